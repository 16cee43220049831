"""Lets through drafts that are tasks: they stand alone and are not done before they begin.

Pure; not responsible for choosing among those that pass, see `selection.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from synthagent.judge.checks import EndState, verify
from synthagent.judge.wording import why_not_alone
from synthagent.records import AnswerShown, Goto, Page, Transition
from synthagent.teachers.protocol import TaskDraft


@dataclass(frozen=True, slots=True)
class Offer:
    """A draft together with the transition that it was proposed from."""

    draft: TaskDraft
    transition: Transition

    @property
    def length(self) -> int:
        """Return the number of planned actions; 0 when there is no plan."""
        return len(self.draft.plan.steps) if self.draft.plan else 0


def start_pages(
    transitions: tuple[Transition, ...], pages: Mapping[str, Page]
) -> dict[tuple[str, str], Page]:
    """Return the pages that were seen by opening their address on the fresh site.

    The key is the role and the address.
    """
    found: dict[tuple[str, str], Page] = {}
    for transition in transitions:
        first = transition.path[0].action if len(transition.path) == 1 else None
        page = pages.get(transition.before.page)
        if isinstance(first, Goto) and page is not None:
            found.setdefault((transition.role, first.url), page)
    return found


def why_rejected(draft: TaskDraft, start: Page | None) -> str | None:
    """Return why `draft` is no task, None when it is one.

    Args:
        draft: What the teacher proposed.
        start: The page on which the task begins, when it was seen.
    """
    if reason := why_not_alone(draft.intent):
        return reason
    if not draft.evidence:
        return "no transition shows that the site can do it"
    if draft.plan is not None and not draft.plan.steps and draft.plan.fact is None:
        return "there is nothing to do"
    if start is not None and _is_done_at(draft, start):
        return "the check passes before anything is done"
    return None


def _is_done_at(draft: TaskDraft, start: Page) -> bool:
    """Return whether doing nothing would pass; an answer still has to be read, so it is not known.

    A check of the answer alone passes at the start for whoever knows the answer.
    """
    if draft.check is None or isinstance(draft.check, AnswerShown):
        return False
    return verify(draft.check, EndState(None, start)).passed is True
