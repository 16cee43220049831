"""Replays a trajectory from a reset start and says whether it comes to the same end.

Not responsible for resetting the site or opening the session.
"""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from synthagent.agent.following import bind, open_start, perform
from synthagent.agent.rollout import describe_fault, judge_end
from synthagent.blobs import BlobStore
from synthagent.browser.session import Look, Session
from synthagent.errors import INFRASTRUCTURE_ERRORS
from synthagent.records import (
    Answer,
    Drag,
    Fingerprint,
    Infeasible,
    Observation,
    Outcome,
    Ref,
    ReplayLabel,
    ReplayReport,
    Request,
    Step,
    Task,
    Verdict,
    target_ref,
)


@dataclass(frozen=True, slots=True)
class Replayed:
    """A replay. `steps` and `final` are what it recorded anew, when it was asked to."""

    report: ReplayReport
    steps: tuple[Step, ...] = ()
    final: Observation | None = None
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """What is replayed: steps as they were, the page they came to, and the answer given there."""

    task: Task
    steps: tuple[Step, ...]
    final: Observation
    answer: str | None


async def replay(
    steps: Sequence[Step],
    final: Observation,
    task: Task,
    answer: str | None,
    *,
    session: Session,
    blobs: BlobStore,
    volatile: Collection[str] = (),
) -> ReplayReport:
    """Do `steps` again in a fresh session on a reset site and compare the end with `final`.

    Args:
        steps: Recorded steps; those that were refused or failed at the time are passed over.
        final: The last page as it was.
        task: Its check judges the new end.
        answer: The recorded answer.
        session: A fresh session with the account of the task.
        blobs: Holds the recorded pages.
        volatile: Query keys that say nothing about which page it is.
    """
    recorded = Recorded(task, tuple(steps), final, answer)
    done = await replay_whole(recorded, session=session, blobs=blobs, volatile=volatile, anew=False)
    return done.report


async def replay_whole(
    recorded: Recorded,
    *,
    session: Session,
    blobs: BlobStore,
    volatile: Collection[str] = (),
    anew: bool,
) -> Replayed:
    """Replay as `replay` does; with `anew`, look at each page with a screenshot and keep it.

    Steps recorded anew have the observations, refs and outcomes of the replay, so that an edited
    trajectory shows what an agent sees that goes this way.
    """
    started = time.monotonic()
    run = _Replay(recorded, session, blobs, anew)
    label: ReplayLabel
    try:
        if problem := await run.go():
            label, reason = "broken", problem
        else:
            label, reason = await run.compare(frozenset(volatile))
    except INFRASTRUCTURE_ERRORS as fault:
        label, reason = "not replayed", describe_fault(fault)
    report = ReplayReport(
        label=label,
        reason=reason,
        steps_done=run.done,
        rebound=run.rebound,
        seconds=round(time.monotonic() - started, 3),
    )
    return Replayed(report, tuple(run.steps), run.final, run.verdict)


class _Replay:
    def __init__(self, recorded: Recorded, session: Session, blobs: BlobStore, anew: bool) -> None:
        self.steps: list[Step] = []
        self.final: Observation | None = None
        self.verdict: Verdict | None = None
        self.done = 0
        self.rebound = 0
        self._requests: list[Request] = []
        self._recorded = recorded
        self._session = session
        self._blobs = blobs
        self._anew = anew

    async def go(self) -> str | None:
        """Do all steps; return why one could not be done."""
        await open_start(self._session, self._recorded.task.start_url)
        for number, step in enumerate(self._recorded.steps, start=1):
            if step.outcome.status != "ok":
                continue
            if problem := await self._redo(step):
                return f"step {number}: {problem}"
            self.done += 1
        return None

    async def _redo(self, step: Step) -> str | None:
        ends = isinstance(step.action, Answer | Infeasible)
        look = await self._look(needed=target_ref(step.action) is not None)
        if ends:
            self._keep(step, look, step.outcome)
            return None
        bound = bind(step.action, step.target, look.page if look else None, self._drag_end(step))
        if bound.action is None:
            return bound.problem
        outcome = await perform(self._session, bound.action)
        if outcome.status != "ok":
            return outcome.error.message if outcome.error else outcome.status
        self.rebound += not bound.exact
        self._requests += outcome.requests
        self._keep(step.with_(action=bound.action), look, outcome)
        return None

    async def compare(self, volatile: frozenset[str]) -> tuple[ReplayLabel, str]:
        """Return whether the end is the recorded one, and how it differs."""
        recorded, final = self._recorded, self._recorded.final
        look = await self._session.observe(screenshot=self._anew)
        page = look.page
        if self._anew:
            self.final = look.observation(self._blobs)
        self.verdict = judge_end(recorded.task, recorded.answer, page, tuple(self._requests))
        if self.verdict.passed is False:
            return "drifted", self.verdict.reason
        if plain_url(page.url, volatile) != plain_url(final.url, volatile):
            return "drifted", f"ended on {page.url} instead of {final.url}"
        if page.structure_key != final.structure_key:
            return "drifted", f"{page.url} has other controls than before"
        if page.content_hash != final.content_hash and not self.verdict.passed:
            return "drifted", f"{page.url} shows something else than before, and no check passed"
        return "replayed", ""

    async def _look(self, *, needed: bool) -> Look | None:
        if self._anew:
            return await self._session.observe()
        return await self._session.observe(screenshot=False) if needed else None

    def _keep(self, step: Step, look: Look | None, outcome: Outcome) -> None:
        if self._anew and look is not None:
            seen = look.observation(self._blobs)
            self.steps.append(step.with_(observation=seen, outcome=outcome))

    def _drag_end(self, step: Step) -> Fingerprint | None:
        if not isinstance(step.action, Drag):
            return None
        page = self._blobs.get_page(step.observation.page)
        node = page.by_ref.get(Ref(step.action.target))
        return node.fingerprint if node is not None else None


def plain_url(url: str, volatile: Collection[str] = ()) -> str:
    """Return `url` with its query in order and without the keys in `volatile`."""
    parts = urlsplit(url)
    query = sorted(
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if name not in volatile
    )
    return parts._replace(query=urlencode(query)).geturl()
