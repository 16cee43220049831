"""What came of trying an action, before the page has settled.

Not responsible for trying; see `acting.py` and `fields.py`.
"""

from dataclasses import dataclass
from typing import Any, Literal

from synthagent.records import ActionError
from synthagent.records.actions import ActionErrorKind

MESSAGE_MAX = 300


@dataclass(frozen=True, slots=True)
class Attempt:
    """An action that was done, refused beforehand, or tried without the wanted effect."""

    status: Literal["ok", "rejected", "failed"] = "ok"
    error: ActionError | None = None
    typed_value: str | None = None
    note: str = ""


DONE = Attempt()


def rejected(kind: ActionErrorKind, message: str) -> Attempt:
    """Return an attempt that touched nothing."""
    return Attempt("rejected", ActionError(kind=kind, message=shorten(message)))


def failed(kind: ActionErrorKind, message: str, typed_value: str | None = None) -> Attempt:
    """Return an attempt that was made and did not do what was wanted."""
    return Attempt("failed", ActionError(kind=kind, message=shorten(message)), typed_value)


def shorten(text: str, most: int = MESSAGE_MAX) -> str:
    """Return `text` in at most `most` characters."""
    return text if len(text) <= most else text[: most - 1] + "…"


def listed(options: list[dict[str, Any]], most: int = 12) -> str:
    """Return the labels of options for a message."""
    labels = [f'"{option["label"]}"' for option in options if option["label"]]
    more = f" and {len(labels) - most} more" if len(labels) > most else ""
    return ", ".join(labels[:most]) + more
