"""Checks, actions and outcomes in words, and what changed between two wordings. Pure.

Returns plain text only; the templates escape it.
"""

import re
from difflib import SequenceMatcher
from typing import Literal, NamedTuple
from urllib.parse import urlencode

from synthagent.records import (
    Action,
    AllOf,
    AnswerEquals,
    AnswerShown,
    Outcome,
    PageShows,
    RequestSent,
    TaskCheck,
    UrlMatches,
)

SHORT = 140


class Change(NamedTuple):
    """A piece of a wording: unchanged, taken out, or put in."""

    kind: Literal["same", "del", "ins"]
    text: str


def describe_check(check: TaskCheck | None) -> tuple[str, ...]:
    """Return one sentence for each thing that must hold at the end."""
    if check is None:
        return ()
    return tuple(map(_describe, check.checks if isinstance(check, AllOf) else (check,)))


def _describe(check: TaskCheck) -> str:
    match check:
        case AnswerEquals(expected=expected, kind=kind):
            return f"the answer is “{expected}”" + ("" if kind == "text" else f", as {kind}")
        case AnswerShown(fact=fact):
            place = " ".join(part for part in (fact.row, fact.label) if part) or "heading"
            return f"the answer is what the page shows for {fact.kind} “{place}”"
        case UrlMatches(path=path, query=query):
            return f"the last page is {path}" + (f"?{urlencode(query)}" if query else "")
        case PageShows(texts=texts):
            return "the last page shows " + ", ".join(f"“{text}”" for text in texts)
        case AllOf(checks=checks):
            return ", and ".join(_describe(one) for one in checks)
        case RequestSent(method=method, path=path, fields=fields):
            values = ", ".join(f"{name}={value}" for name, value in fields)
            return f"{method} {path} was sent" + (f" with {values}" if values else "")


def describe_action(action: Action) -> str:
    """Return the typed action on one line: `click ref=12`."""
    values = action.model_dump(exclude_defaults=True, exclude={"type"})
    return " ".join([action.type, *(f"{name}={value!r}" for name, value in values.items())])


def describe_outcome(outcome: Outcome) -> tuple[str, ...]:
    """Return what came of an action, the most important first."""
    lines = []
    if outcome.error is not None:
        lines.append(f"{outcome.status}: {outcome.error.message}")
    elif outcome.navigated:
        lines.append(f"opened {outcome.url}")
    elif outcome.changed:
        lines.append("the page changed")
    else:
        lines.append("no visible change")
    if outcome.typed_value is not None:
        lines.append(f"the field shows “{outcome.typed_value}”")
    lines += [_shorten(f"sent {sent.method} {sent.url}") for sent in outcome.requests]
    lines += [f"{dialog.type} “{dialog.message}”: {dialog.answer}" for dialog in outcome.dialogs]
    lines += [f"downloaded {name}" for name in outcome.downloads]
    lines += [f"stopped {request}" for request in outcome.blocked]
    if outcome.new_tabs:
        lines.append("opened a new tab")
    if outcome.rebound:
        lines.append("element found again after a redraw")
    return tuple(lines)


def diff_words(before: str, after: str) -> tuple[Change, ...]:
    """Return `before` and `after` merged, word by word."""
    old, new = re.findall(r"\s+|[^\s]+", before), re.findall(r"\s+|[^\s]+", after)
    changes = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            changes.append(Change("same", "".join(old[i1:i2])))
            continue
        if i2 > i1:
            changes.append(Change("del", "".join(old[i1:i2])))
        if j2 > j1:
            changes.append(Change("ins", "".join(new[j1:j2])))
    return tuple(changes)


def _shorten(text: str) -> str:
    return text if len(text) <= SHORT else text[: SHORT - 1] + "…"
