"""The one rollout loop: observe, decide, act, record, stop; with live refinement of the task.

Used by collection and evaluation alike. Not responsible for leasing a site, opening a session or
storing the result.
"""

import time
from dataclasses import dataclass

from synthagent.agent.faults import raise_on_fault
from synthagent.agent.following import open_start
from synthagent.agent.stall import find_stall
from synthagent.blobs import BlobStore
from synthagent.browser.marks import draw_marks
from synthagent.browser.session import Look, Session
from synthagent.config import CollectConfig
from synthagent.errors import INFRASTRUCTURE_ERRORS
from synthagent.journal import STOP_ERRORS
from synthagent.judge.checks import EndState, verify
from synthagent.judge.values import plain
from synthagent.judge.wording import why_not_alone
from synthagent.records import (
    Action,
    Answer,
    Conflict,
    ConflictKind,
    EndReason,
    Fingerprint,
    Infeasible,
    Observation,
    Outcome,
    Page,
    Ref,
    Request,
    Step,
    Task,
    TaskVersion,
    Verdict,
    target_ref,
)
from synthagent.teachers.protocol import Decision, Sight, Teacher

NOT_JUDGED = Verdict(passed=None, judge="none", reason="the task has no check")


@dataclass(frozen=True, slots=True)
class Rollout:
    """One attempt at a task, as it went."""

    task: Task
    """With all versions that it got on the way."""
    steps: tuple[Step, ...]
    final: Observation | None
    end: EndReason
    verdict: Verdict
    answer: str | None = None
    conflicts: tuple[Conflict, ...] = ()
    error: str | None = None
    seconds: float = 0.0


async def rollout(
    task: Task,
    *,
    session: Session,
    teacher: Teacher,
    blobs: BlobStore,
    config: CollectConfig,
    item: str,
) -> Rollout:
    """Open the start page of `task` and let `teacher` act until the task ends.

    Args:
        task: The task; with `config.max_rewrites` 0 its wording stays as it is.
        session: A fresh session with the account of the task.
        teacher: Decides, and rewrites the task on conflict.
        blobs: Where pages and screenshots go.
        config: Limits.
        item: Names the attempt to the ledger of model calls; all of its calls are booked on it.

    Raises:
        SynthError: what only the user can mend (`STOP_ERRORS`). Infrastructure faults are an end.
    """
    started = time.monotonic()
    loop = _Loop(task, session, teacher, blobs, config, item)
    try:
        await loop.open()
        end: EndReason | None = None
        while end is None:
            end = await loop.advance()
        error = None
    except STOP_ERRORS:
        raise
    except INFRASTRUCTURE_ERRORS as fault:
        end, error = "infrastructure", describe_fault(fault)
    return Rollout(
        task=loop.task,
        steps=tuple(loop.steps),
        final=loop.seen,
        end=end,
        verdict=loop.judge(end),
        answer=loop.answer,
        conflicts=tuple(loop.conflicts),
        error=error,
        seconds=time.monotonic() - started,
    )


def describe_fault(fault: BaseException) -> str:
    """Return an infrastructure fault in one line: its kind and its message."""
    return f"{type(fault).__name__}: {fault}"


def judge_end(task: Task, answer: str | None, page: Page, requests: tuple[Request, ...]) -> Verdict:
    """Return the verdict of the check that belongs to the wording in force, if there is one."""
    check = task.current.check
    return NOT_JUDGED if check is None else verify(check, EndState(answer, page, requests))


def target_of(action: Action, page: Page) -> Fingerprint | None:
    """Return the fingerprint of what `action` points at on `page`."""
    ref = target_ref(action)
    node = page.by_ref.get(Ref(ref)) if ref is not None else None
    return node.fingerprint if node is not None else None


def why_no_rewrite(task: Task, version: TaskVersion | None) -> str | None:
    """Return why `version` cannot take the place of the wording in force, None if it can."""
    if version is None:
        return "no rewrite was found"
    if version.rule is None:
        return "the rewrite was refused: it follows none of the rules"
    if any(plain(version.intent) == plain(before.intent) for before in task.versions):
        return "the rewrite was refused: the wording has been tried before"
    leaning = why_not_alone(version.intent)
    return f"the rewrite was refused: {leaning}" if leaning else None


class _Loop:
    """What changes while a task is under way."""

    def __init__(
        self,
        task: Task,
        session: Session,
        teacher: Teacher,
        blobs: BlobStore,
        config: CollectConfig,
        item: str,
    ) -> None:
        self.task = task
        self.steps: list[Step] = []
        self.conflicts: list[Conflict] = []
        self.answer: str | None = None
        self.seen: Observation | None = None
        self._look: Look | None = None
        self._session = session
        self._teacher = teacher
        self._blobs = blobs
        self._config = config
        self._item = item
        self._since = 0
        """Steps taken before the wording in force; they are no evidence against it."""
        self._refused = ""

    async def open(self) -> None:
        await open_start(self._session, self.task.start_url)
        await self._observe()

    async def advance(self) -> EndReason | None:
        """Take one step, or end the task; return why it ended."""
        _, seen = self._now()
        if stuck := find_stall(self.steps[self._since :], seen):
            return await self._mend(self._conflict("stall", stuck))
        if len(self.steps) >= self._config.max_steps:
            return "out_of_steps"
        decision = await self._teacher.decide(
            self._item, self.task, self._sight(), tuple(self.steps)
        )
        match decision.action:
            case Answer(text=text):
                self.answer = text
                self._record(decision, Outcome(status="ok", url=seen.url))
                return "completed"
            case Infeasible(kind=kind, evidence=evidence):
                end = await self._mend(self._conflict(kind, evidence))
                if end is not None:
                    self._record(decision, Outcome(status="ok", url=seen.url))
                return end
            case action:
                outcome = raise_on_fault(await self._session.act(action))
                self._record(decision, outcome)
                await self._observe()
                return None

    def judge(self, end: EndReason) -> Verdict:
        """Return the verdict on how the task ended."""
        if end == "infrastructure" or self._look is None:
            return Verdict(passed=None, judge="none", reason="ended by an infrastructure fault")
        requests = tuple(request for step in self.steps for request in step.outcome.requests)
        verdict = judge_end(self.task, self.answer, self._look.page, requests)
        if self._refused:
            return verdict.with_(reason=f"{verdict.reason}; {self._refused}")
        return verdict

    async def _observe(self) -> None:
        self._look = await self._session.observe()
        self.seen = self._look.observation(self._blobs)

    def _now(self) -> tuple[Look, Observation]:
        if self._look is None or self.seen is None:
            raise RuntimeError("the start page must be opened first")
        return self._look, self.seen

    def _sight(self) -> Sight:
        look, _ = self._now()
        marked = None
        if self._teacher.wants_pictures and look.screenshot is not None:
            marked = draw_marks(look.screenshot, look.page)
        return Sight(look.page, look.text, marked)

    def _conflict(self, kind: ConflictKind, evidence: str) -> Conflict:
        _, seen = self._now()
        return Conflict(kind=kind, evidence=evidence, step=len(self.steps), url=seen.url)

    def _record(self, decision: Decision, outcome: Outcome) -> None:
        look, seen = self._now()
        self.steps.append(
            Step(
                observation=seen,
                reasoning=decision.reasoning,
                instruction=decision.instruction,
                action=decision.action,
                target=target_of(decision.action, look.page),
                outcome=outcome,
                version=len(self.task.versions) - 1,
                calls=decision.calls,
            )
        )

    async def _mend(self, conflict: Conflict) -> EndReason | None:
        """Have the task rewritten and go on, or end it as infeasible; executed steps stay."""
        self.conflicts.append(conflict)
        if len(self.task.versions) > self._config.max_rewrites:
            return "infeasible"
        version = await self._teacher.rewrite(
            self._item, self.task, self._sight(), tuple(self.steps), conflict
        )
        if refused := why_no_rewrite(self.task, version):
            self._refused = refused
            return "infeasible"
        assert version is not None
        self.task = self.task.rewritten(version.with_(conflict=conflict))
        self._since = len(self.steps)
        return None
