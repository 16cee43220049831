"""A small page, a task and a good reply, in the shapes that the LLM teacher works with."""

import json
from pathlib import Path
from typing import Any

from synthagent.config import ModelConfig
from synthagent.llm import ModelClient
from synthagent.llm.client import Patience
from synthagent.llm.scripted import Canned
from synthagent.records import Action, Click, Node, Page, Provenance, Task, TaskVersion
from synthagent.teachers.protocol import Sight
from tests.teachers.pages import node, page

CASES = Path(__file__).parents[1] / "fixtures" / "cases"
QUICK = Patience(retries=3, first_seconds=0.001, most_seconds=0.01)
GOOD: dict[str, Any] = {
    "observation": "A form.",
    "reasoning": "The search field holds the text, so the button comes next.",
    "instruction": 'Click the button "Search"',
    "action": {"type": "click", "ref": "17"},
}
GOOD_ACTION: Action = Click(ref="17")
PAGE = page(
    "/",
    node("heading", "Welcome", level=1),
    node("textbox", "Search", ref="4"),
    node("button", "Search", ref="17"),
    node("link", "Help", ref="23", href="http://site.test/help/"),
)


def page_text(shown: Page) -> str:
    return "\n".join(map(_line, shown.nodes))


def _line(one: Node) -> str:
    if one.role == "heading":
        return f"heading {one.level}: {one.name}"
    mark = f"[{one.ref}] " if one.ref else ""
    return f'{mark}{one.role} "{one.name}"' + (
        f" ({' | '.join(one.options)})" if one.options else ""
    )


def sight(shown: Page = PAGE, more: str = "") -> Sight:
    return Sight(shown, page_text(shown) + more)


def task(intent: str = "Search for a rain coat", kind: str = "navigation") -> Task:
    created = Provenance(
        stage="propose", code_version="0", teacher="scripted", config_hash="0", seed=0
    )
    return Task(
        id="0" * 16, created_by=created, site="site", role="anonymous", type=kind,
        category="search", start_url="http://site.test/", evidence=(),
        versions=(TaskVersion(intent=intent),),
    )  # fmt: skip


def said(text: str, **message: Any) -> dict[str, Any]:
    """Return a response body in which the model says `text`."""
    finish = message.pop("finish", "stop")
    return {
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
        "usage": {"prompt_tokens": 1500, "completion_tokens": 40, "total_tokens": 1540},
    }


def canned(row: dict[str, Any]) -> Canned:
    """Return the response of a stored case."""
    body = row["body"] if isinstance(row["body"], str) else json.dumps(row["body"])
    return Canned(row.get("status", 200), body, row.get("content_type", "application/json"))


def load_cases(number: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((CASES / f"{number}.json").read_text("utf-8"))
    return rows


def settings(url: str, **more: Any) -> ModelConfig:
    return ModelConfig(**{"name": "scripted", "base_url": url, "timeout_seconds": 10, **more})


def opened(config: ModelConfig, path: Path, **more: Any):
    return ModelClient.open(config, path, **{"patience": QUICK, "environ": {}, **more})
