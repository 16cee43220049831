"""Tells when an agent is stuck, from its steps alone.

Not responsible for what to do about it. Scrolls that move the page, waits, and faults of
browser or site are never a stall; a clock that ticks on the page does not hide one.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from synthagent.records import Action, ActionError, Observation, Scroll, Step, Wait, canonical_json

STILL_ACTIONS = 3
"""Actions in a row without a visible change."""
SAME_ACTIONS = 6
"""Equal actions in a row that change nothing but digits, as a counter or a clock may do."""
INFRASTRUCTURE_KINDS = frozenset({"page_crashed", "navigation_failed"})
REF = re.compile(r"^(\s*)\*?\[[\w.]+\] ", re.MULTILINE)
FOCUS = re.compile(r" \(focused\)|, focused\b|\bfocused, ")
VALUE = re.compile(r'= "[^"\n]*"')
TIME = re.compile(
    r"\b\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:\s?[ap]\.?m\b\.?)?"
    r"|\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?Z?)?"
    r"|\b\d+(?:[.,]\d+)?\s?(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b(?! of)",
    re.IGNORECASE,
)


def find_stall(steps: Sequence[Step], now: Observation) -> str | None:
    """Return how the agent is stuck, or None.

    Args:
        steps: What was done under the wording in force, oldest first.
        now: The page after the last of them.
    """
    moves = [step for step in steps if not isinstance(step.action, Wait) and not _is_fault(step)]
    return (
        _same_error(moves)
        or _nothing_changes(steps, now)
        or _same_again(moves, now)
        or _only_digits_change(moves, now)
    )


def _same_error(moves: Sequence[Step]) -> str | None:
    if len(moves) < 2:
        return None
    first, second = (step.outcome.error for step in moves[-2:])
    if first is None or second is None or _error_key(first) != _error_key(second):
        return None
    if moves[-2].action.type != moves[-1].action.type:
        return None
    return f"the same error twice in a row: {second.message}"


def _nothing_changes(steps: Sequence[Step], now: Observation) -> str | None:
    """Count back over actions that left the page as it was; waits are passed over."""
    still: list[Step] = []
    looks = [*(step.observation for step in steps), now]
    for at in range(len(steps) - 1, -1, -1):
        if not _is_same_view(looks[at], looks[at + 1]):
            break
        if _is_fault(steps[at]):
            break
        if not isinstance(steps[at].action, Wait):
            still.append(steps[at])
        if len(still) == STILL_ACTIONS:
            said = ", ".join(step.instruction for step in reversed(still))
            return f"no visible change after {STILL_ACTIONS} actions: {said}"
    return None


def _same_again(moves: Sequence[Step], now: Observation) -> str | None:
    """Find the last action done before on the same state, e.g. in going to and fro."""
    if not moves or isinstance(moves[-1].action, Scroll) or moves[-1].outcome.status != "ok":
        return None
    last = moves[-1]
    for step in moves[:-1]:
        if (
            step.outcome.status == "ok"
            and action_key(step) == action_key(last)
            and _is_same_state(step.observation, last.observation)
        ):
            return f"done before on the same page: {last.instruction}"
    return None


def _only_digits_change(moves: Sequence[Step], now: Observation) -> str | None:
    tail = moves[-SAME_ACTIONS:]
    if len(tail) < SAME_ACTIONS or len({action_key(step) for step in tail}) > 1:
        return None
    if isinstance(tail[0].action, Scroll):
        return None
    looks = [*(step.observation for step in tail), now]
    if any(_without_digits(one) != _without_digits(other) for one, other in pairwise(looks)):
        return None
    return f"done {SAME_ACTIONS} times while nothing but digits changed: {tail[0].instruction}"


def action_key(step: Step) -> str:
    """Return what a step does to what, independent of the ref that the element had."""
    action: Action = step.action
    values = action.model_dump(mode="json")
    if step.target is not None:
        values["ref"] = step.target.model_dump(mode="json")
    return canonical_json(values)


def _error_key(error: ActionError) -> tuple[str, str]:
    return error.kind, re.sub(r"\[?[\w.]*\d+\]?", "#", error.message)


def _is_fault(step: Step) -> bool:
    error = step.outcome.error
    return error is not None and error.kind in INFRASTRUCTURE_KINDS


def _is_same_view(one: Observation, other: Observation) -> bool:
    return one.view_hash == other.view_hash or _only_time_passed(one, other)


def _is_same_state(one: Observation, other: Observation) -> bool:
    return one.content_hash == other.content_hash or _only_time_passed(one, other)


def _only_time_passed(one: Observation, other: Observation) -> bool:
    """Return whether what differs is to be seen and is nothing but time, or where the focus is.

    Texts that are equal while the hashes differ changed out of view: that is a change.
    """
    first, second = REF.sub(r"\1", one.text), REF.sub(r"\1", other.text)
    return first != second and one.url == other.url and _timeless(first) == _timeless(second)


def _timeless(text: str) -> str:
    return _outside_values(text, lambda part: TIME.sub("#", FOCUS.sub("", part)))


def _without_digits(look: Observation) -> str:
    text = REF.sub(r"\1", look.text)
    return look.url + _outside_values(text, lambda part: re.sub(r"\d+", "#", FOCUS.sub("", part)))


def _outside_values(text: str, replace: Callable[[str], str]) -> str:
    """Apply `replace` to all but the values of fields: what was typed is always a change."""
    parts, at = [], 0
    for value in VALUE.finditer(text):
        parts += [replace(text[at : value.start()]), value.group()]
        at = value.end()
    return "".join([*parts, replace(text[at:])])
