"""What a trained model answers with: one JSON object a step, written and read back here.

Not responsible for what it is shown; see `rows.py`.
"""

import json
import re
from typing import Any

from pydantic import ValidationError

from synthagent.errors import DataError
from synthagent.records import ACTION, Action, Step
from synthagent.records.frozen import Frozen

MARKUP = re.compile(
    r"<(?=\||/?(?:image|video|audio|think|tool_call|tool_response|s)>)", re.IGNORECASE
)
"""Where chat templates and trainers see signs of their own: `<image>`, `<|im_end|>`, `</think>`."""


class Target(Frozen):
    """The answer of one step, as it was trained."""

    reasoning: str
    instruction: str
    action: Action


def write_target(step: Step) -> str:
    """Return the answer of `step` as strict JSON on one line; `read_target` undoes it."""
    answer = {
        "reasoning": step.reasoning,
        "instruction": step.instruction,
        "action": compact_action(step.action),
    }
    # escaped inside the JSON text, so that the value read back is the same
    return MARKUP.sub(lambda _: "\\u003c", json.dumps(answer, ensure_ascii=False, allow_nan=False))


def read_target(text: str) -> Target:
    """Return the answer that `text` holds.

    Raises:
        DataError: it is not the JSON of an answer.
    """
    try:
        return Target.model_validate_json(text)
    except ValidationError as error:
        raise DataError(f"not the answer of a step: {text:.200}: {error}") from error


def compact_action(action: Action) -> dict[str, Any]:
    """Return `action` without what is as by default; its type always stays."""
    told: dict[str, Any] = ACTION.dump_python(action, mode="json", exclude_defaults=True)
    return {"type": action.type} | told
