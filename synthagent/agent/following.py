"""Does recorded actions again on a fresh load, their targets found by fingerprint.

Not responsible for judging where they lead; see `replaying.py` and `explore/`. Never goes by
coordinates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from synthagent.agent.faults import raise_on_fault
from synthagent.browser.fingerprint import find
from synthagent.browser.session import Session
from synthagent.errors import SiteUnreachable
from synthagent.records import Action, Drag, Fingerprint, Goto, Outcome, Page, PathStep, target_ref


@dataclass(frozen=True, slots=True)
class Followed:
    """How far a path could be followed. `problem` is None when all of it was."""

    outcomes: tuple[Outcome, ...]
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Bound:
    """An action with the ref that its target has on the page at hand."""

    action: Action | None
    """None when the target is not there, or cannot be told apart from others."""
    exact: bool = True
    problem: str = ""


async def open_start(session: Session, url: str) -> Outcome:
    """Open the page on which work begins.

    Raises:
        SiteUnreachable: it does not open; without it nothing can be said about the work.
    """
    outcome = raise_on_fault(await session.goto(url))
    if outcome.status != "ok" or (outcome.http_status or 200) >= HTTPStatus.BAD_REQUEST:
        why = outcome.error.message if outcome.error else f"status {outcome.http_status}"
        raise SiteUnreachable(f"the start page {url} does not open: {why}")
    return outcome


async def follow(session: Session, path: Sequence[PathStep]) -> Followed:
    """Do `path` from its opening `goto` on; stop where it cannot be done.

    Raises:
        SynthError: browser or site broke; that says nothing about the path.
    """
    outcomes: list[Outcome] = []
    for step in path:
        page = None if target_ref(step.action) is None else (await look_quickly(session))
        bound = bind(step.action, step.target, page)
        if bound.action is None:
            return Followed(tuple(outcomes), bound.problem)
        outcome = await perform(session, bound.action)
        outcomes.append(outcome)
        if outcome.status != "ok":
            said = outcome.error.message if outcome.error else outcome.status
            return Followed(tuple(outcomes), f"{describe(step)}: {said}")
    return Followed(tuple(outcomes))


async def look_quickly(session: Session) -> Page:
    """Return the page as data, without a screenshot."""
    return (await session.observe(screenshot=False)).page


async def perform(session: Session, action: Action) -> Outcome:
    """Do a page action; an address is opened as a fresh load."""
    if isinstance(action, Goto):
        return raise_on_fault(await session.goto(action.url))
    return raise_on_fault(await session.act(action))


def bind(
    action: Action,
    target: Fingerprint | None,
    page: Page | None,
    other: Fingerprint | None = None,
) -> Bound:
    """Return `action` with the refs of `page`; `other` is the element that a drag ends on."""
    if target_ref(action) is None or page is None:
        return Bound(action)
    if target is None:
        return Bound(None, problem=f"{action.type}: nothing is known about its target")
    match = find(page, target)
    if match.ref is None:
        return Bound(None, problem=f"{_name(target)} is not on {page.url}")
    changes = {"ref": match.ref}
    if isinstance(action, Drag):
        end = find(page, other).ref if other is not None else None
        if end is None:
            return Bound(None, problem=f"the element to drag {_name(target)} onto is not there")
        changes["target"] = end
    return Bound(action.with_(**changes), exact=match.level == "exact")


def describe(step: PathStep) -> str:
    """Return a path step in words: `click button "Save"`."""
    if isinstance(step.action, Goto):
        return f"goto {step.action.url}"
    return step.action.type if step.target is None else f"{step.action.type} {_name(step.target)}"


def _name(target: Fingerprint) -> str:
    return f'{target.role} "{target.name}"'
