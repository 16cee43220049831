"""Prompts as files: strict templates, their hashes, and text cut to a budget of tokens.

Not responsible for what the prompts say (`prompts/*.md.jinja`) nor for sending them (`llm/`).
"""

import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

FOLDER = Path(__file__).with_name("prompts")
FENCES = ("page", "task", "steps", "transition", "check", "conflict", "material")
"""Names of the tags between which prompts put data that the site or a model wrote."""

_FENCE_TAG = re.compile(rf"<(?=/?(?:{'|'.join(FENCES)})\b)", re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_WIDE = re.compile(r"[\u2e80-\uffff\U00010000-\U0010ffff]")
_MIDDLE = re.compile(r"[\u0250-\u2e7f]")


class Rendered(NamedTuple):
    """A prompt ready to send; `system` is the part that stays the same from call to call."""

    system: str
    user: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt file with the blocks `system` and `user`."""

    name: str

    @property
    def hash(self) -> str:
        """Return a hash of the file and of all that it includes."""
        return prompt_hash(self.name)

    def render(self, **values: Any) -> Rendered:
        """Return both blocks filled with `values`; a name without a value is an error."""
        template = _environment().get_template(f"{self.name}.md.jinja")
        parts = (
            "".join(template.blocks[block](template.new_context(values)))
            for block in Rendered._fields
        )
        return Rendered(*(clean_text(part).strip() for part in parts))


def prompt_hash(*names: str) -> str:
    """Return a hash of these prompt files, or of the whole folder when none is named."""
    files = sorted(FOLDER.glob("*.md.jinja"))
    kept = [file for file in files if not names or file.name.startswith((*names, "_"))]
    digest = hashlib.sha256()
    for file in kept:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def clean_text(text: str) -> str:
    """Return `text` with surrogate pairs joined, and lone ones, which nothing encodes, replaced."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def fence(text: str, name: str) -> str:
    """Return `text` between the tags of `name`, unable to close them itself."""
    if name not in FENCES:
        raise ValueError(f"unknown fence {name!r}; known: {', '.join(FENCES)}")
    return f"<{name}>\n{_FENCE_TAG.sub('‹', str(text))}\n</{name}>"


def estimate_tokens(text: str) -> int:
    """Return about how many tokens `text` is, by script, without any model's tokenizer.

    Right within a factor of two for the tokenizers in use: good enough for budgets and for
    noticing that a server read half of a prompt, not for bills.
    """
    wide, middle = len(_WIDE.findall(text)), len(_MIDDLE.findall(text))
    blanks = sum(len(run) - 1 for run in re.findall(r"\s{2,}", text))
    return math.ceil((len(text) - wide - middle - blanks) / 4 + middle * 0.4 + wide * 0.9)


def cut_lines(text: str, max_tokens: int) -> str:
    """Return the lines of a page text that fit, and say how many were left out.

    Lines without a `[ref]` go first, from the end backwards; then the controls, from the end.
    """
    if estimate_tokens(text) <= max_tokens:
        return text
    lines = text.split("\n")
    costs = [estimate_tokens(line + "\n") for line in lines]
    spare = sum(costs) - max(0, max_tokens - 16)
    dropped: set[int] = set()
    for wanted in (False, True):
        for index in range(len(lines) - 1, -1, -1):
            if spare > 0 and bool(_CONTROL.match(lines[index])) is wanted:
                dropped.add(index)
                spare -= costs[index]
    kept = [line for index, line in enumerate(lines) if index not in dropped]
    return "\n".join([*kept, f"({len(dropped)} lines of the page left out to fit the model)"])


_CONTROL = re.compile(r"\s*\*?\[[\w.]+\]")


def cut_text(text: str, max_tokens: int) -> str:
    """Return the beginning of `text` that fits, with a mark where it was cut."""
    if estimate_tokens(text) <= max_tokens:
        return text
    return text[: max(0, max_tokens * 4 - 8)].rstrip() + " … (cut)"


def last_steps(steps: Sequence[str], count: int) -> str:
    """Return the last `count` lines of a history, saying how many came before."""
    shown = steps[len(steps) - min(count, len(steps)) :]
    hidden = len(steps) - len(shown)
    head = [f"({hidden} earlier steps not shown)"] if hidden else []
    return "\n".join([*head, *shown]) or "(none yet)"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        undefined=StrictUndefined,
        autoescape=False,  # prompts are text for a model, not markup for a browser
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters["fence"] = fence
    return environment
