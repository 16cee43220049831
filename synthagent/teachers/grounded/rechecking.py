"""Adapts the check of a task to a new wording: other values, or fewer of them.

Not responsible for the wording; see `mending.py`.
"""

from collections.abc import Sequence

from synthagent.records import AllOf, PageShows, RequestSent, TaskCheck
from synthagent.teachers.grounded.forms import Field


def check_without(check: TaskCheck | None, names: set[str | None]) -> TaskCheck | None:
    """Return `check` without the fields that are not sent any more."""
    match check:
        case RequestSent():
            return check.with_(fields=tuple(one for one in check.fields if one[0] not in names))
        case AllOf():
            parts = (check_without(part, names) for part in check.checks)
            return AllOf(checks=tuple(part for part in parts if part is not None))
        case _:
            return check


def check_with(
    check: TaskCheck | None, values: Sequence[tuple[Field, str]], swapped: dict[str, str]
) -> TaskCheck | None:
    """Return `check` with the values that the new wording asks for."""
    match check:
        case RequestSent():
            sent = {name: swapped.get(value, value) for name, value in check.fields}
            named = {f.name: v for f, v in values if f.name and f.kind in {"text", "number"}}
            return check.with_(fields=tuple((sent | named).items()))
        case AllOf():
            parts = (check_with(part, values, swapped) for part in check.checks)
            return AllOf(checks=tuple(part for part in parts if part is not None))
        case _:
            return check


def swap_texts(check: TaskCheck | None, old: str, new: str) -> TaskCheck | None:
    """Return `check` with `new` where it wants to see `old` on the page."""
    match check:
        case PageShows():
            return check.with_(texts=tuple(new if text == old else text for text in check.texts))
        case AllOf():
            parts = (swap_texts(part, old, new) for part in check.checks)
            return AllOf(checks=tuple(part for part in parts if part is not None))
        case _:
            return check
