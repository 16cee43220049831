"""Applies a reviewer's edits to the steps of a trajectory, or says why they cannot be applied.

Pure. Never invents a step. Whether the rest still works is shown by replay, not here.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from synthagent.judge.wording import QUOTED
from synthagent.records import Answer, Edit, Infeasible, MoveStep, RemoveStep, SetAnswer, Step

LOOKS_BACK = re.compile(
    r"\b(?:previous|earlier|former|preceding|last|prior) (?:step|action|attempt|click|try|page)s?\b"
    r"|\bsteps? \d+\b|\bas (?:before|I did)\b|\b(?:once )?again\b|\balready\b"
    r"|\b(?:I|we) (?:have |had )?just\b|\b(?:second|third|another) (?:time|attempt|try)\b"
    r"|\binstead\b|\bretry(?:ing)?\b|\bstill\b|\bfailed\b|\bdid(?:n't| not) (?:work|help)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Edited:
    """Steps after the edits, and the answer."""

    steps: tuple[Step, ...]
    answer: str | None


@dataclass(frozen=True, slots=True)
class Refused:
    """Edits that do not fit the trajectory."""

    reason: str


def apply_edits(
    steps: Sequence[Step], answer: str | None, edits: Sequence[Edit]
) -> Edited | Refused:
    """Return the steps after `edits`; all indices count the steps as they were recorded.

    The step that ends the task stays the last one. Reasoning that looks back at what was taken out
    or moved is replaced by the step's own instruction.
    """
    if reason := _why_refused(steps, edits):
        return Refused(reason)
    removed = {edit.index for edit in edits if isinstance(edit, RemoveStep)}
    order = [at for at in range(len(steps)) if at not in removed]
    touched = set(removed)
    for edit in edits:
        if isinstance(edit, MoveStep):
            touched.add(edit.index)
            order = _moved(order, edit.index, edit.to)
    if not removed and order == list(range(len(steps))) and not _answers(edits):
        return Refused("the edits change nothing")
    first = min(touched, default=len(steps))
    after = [steps[at].instruction for at in order if at > first]
    leaning = [text for text in after if LOOKS_BACK.search(QUOTED.sub("", text))]
    if leaning:
        return Refused(f"{leaning[0]!r} refers to steps that would be gone or elsewhere")
    kept = [_without_looking_back(steps[at], at > first) for at in order]
    if all(_ends(step) for step in kept):
        return Refused("no step would be left")
    for edit in _answers(edits):
        answer = edit.answer
        kept[-1] = _answering(kept[-1], edit.answer)
    return Edited(tuple(kept), answer)


def _why_refused(steps: Sequence[Step], edits: Sequence[Edit]) -> str | None:
    if not edits:
        return "there are no edits"
    named = [edit.index for edit in edits if isinstance(edit, RemoveStep | MoveStep)]
    places = named + [edit.to for edit in edits if isinstance(edit, MoveStep)]
    beyond = [at for at in places if at >= len(steps)]
    if beyond:
        return f"there is no step {beyond[0]}; the steps are 0 to {len(steps) - 1}"
    twice = [at for at in named if named.count(at) > 1]
    if twice:
        return f"step {twice[0]} is edited twice"
    last = len(steps) - 1
    if last in places and _ends(steps[last]):
        return f"step {last} ends the task and has to stay where it is"
    if _answers(edits) and not (steps and isinstance(steps[last].action, Answer)):
        return "there is no answer to change"
    return None


def _moved(order: list[int], index: int, to: int) -> list[int]:
    """Put step `index` where step `to` is: after it when moved down, before it when moved up."""
    rest = [at for at in order if at != index]
    if to not in rest:
        later = [at for at in rest if at > to]
        place = rest.index(later[0]) if later else len(rest)
    else:
        place = rest.index(to) + (index < to)
    return [*rest[:place], index, *rest[place:]]


def _without_looking_back(step: Step, is_after: bool) -> Step:
    if is_after and LOOKS_BACK.search(step.reasoning):
        return step.with_(reasoning=step.instruction)
    return step


def _answering(step: Step, answer: str) -> Step:
    old = step.action.text if isinstance(step.action, Answer) else ""
    said = {
        name: text.replace(old, answer) if old else text
        for name, text in (("instruction", step.instruction), ("reasoning", step.reasoning))
    }
    return step.with_(action=Answer(text=answer), **said)


def _answers(edits: Sequence[Edit]) -> list[SetAnswer]:
    return [edit for edit in edits if isinstance(edit, SetAnswer)]


def _ends(step: Step) -> bool:
    return isinstance(step.action, Answer | Infeasible)
