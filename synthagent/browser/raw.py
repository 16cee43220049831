"""What the walker answers, before it is a page.

Plain data; not responsible for getting it, see `walking.py`.
"""

import json
from dataclasses import dataclass
from typing import Any

ENGINE = "synth"


@dataclass(frozen=True, slots=True)
class Target:
    """Where an element lives: the selectors into its frame, its document, and its number there."""

    frame: str
    doc: str
    id: int

    @property
    def selector(self) -> str:
        """Return a selector for exactly this element, empty when its document is gone."""
        return self.frame + engine("ref", {"doc": self.doc, "id": self.id})


@dataclass(frozen=True, slots=True)
class RawFrame:
    """The walker's answer for one frame, with the frame's place on the page."""

    key: str
    """Empty for the main frame, else `f1`, `f1.f2`."""
    chain: str
    """Selectors that lead into the frame."""
    data: dict[str, Any]
    offset: tuple[int, int] = (0, 0)
    clip: tuple[int, int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class RawPage:
    """All frames that could be read, the main frame first, and what could not."""

    frames: tuple[RawFrame, ...]
    missed: int = 0
    too_many: bool = False


def engine(verb: str, options: dict[str, Any] | None = None) -> str:
    """Return the selector that asks `verb` of the walker.

    Options travel as hex digits, because `>>` and quotes mean something in selectors.
    """
    return f"{ENGINE}={verb}:{json.dumps(options).encode().hex() if options else ''}"
