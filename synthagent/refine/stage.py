"""The stage that refines: review, edit, replay, and write down what stands.

Not responsible for the rules of each; see `decision.py`, `edits.py` and `agent/replaying.py`.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from synthagent.agent.faults import Breaker
from synthagent.agent.replaying import Recorded, Replayed, replay_whole
from synthagent.agent.rollout import describe_fault, judge_end
from synthagent.agent.visiting import visit
from synthagent.errors import INFRASTRUCTURE_ERRORS, DataError
from synthagent.journal import run_items
from synthagent.judge.wording import grams, likeness
from synthagent.records import (
    Page,
    RefinedTrajectory,
    ReplayReport,
    Review,
    Trajectory,
    Verdict,
    content_id,
)
from synthagent.refine.decision import NOT_TRIED, Dropped, Version, weigh, why_not_kept
from synthagent.run import Run
from synthagent.teachers.protocol import Opinion
from synthagent.tracker import Count

STAGE: Final = "refine"
TRIES = 2
"""Of a replay that infrastructure spoiled."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one trajectory, before it is compared with those kept so far."""

    opinion: Opinion
    refined: RefinedTrajectory | None
    replay: ReplayReport
    reason: str


async def refine(run: Run) -> None:
    """Review every trajectory, replay what is to be kept, and write reviews and refined ones.

    Infrastructure ends are no trajectories to judge and are passed over.
    """
    if run.directory.is_complete(STAGE):
        return
    items = [one.id for one in run.directory.trajectories if one.end != "infrastructure"]
    work = _Refinement(run)
    run.tracker.stage_started(STAGE, len(items))
    await run_items(
        items, work.do, concurrency=run.config.contexts, done=work.done, failed=work.failed
    )
    run.directory.seal(STAGE, len(run.directory.refined))
    run.tracker.stage_done(STAGE)


class _Refinement:
    def __init__(self, run: Run) -> None:
        self._run = run
        self._breaker = Breaker()
        self._kept: dict[str, Counter[str]] = {
            one.id: grams(one.task.intent) for one in run.directory.refined
        }

    async def do(self, name: str) -> Finding | None:
        """Return what came of a trajectory, None when an earlier run wrote it down."""
        if review_id(name) in self._run.directory.reviews:
            return None
        trajectory = self._load(name)
        pages = self._pages(trajectory)
        opinion = await self._run.teacher.review(review_id(name), trajectory, pages)
        version = weigh(trajectory, opinion, self._run.config.refine.min_score)
        if isinstance(version, Dropped):
            return Finding(opinion, None, NOT_TRIED, version.reason)
        return await self._stand(trajectory, opinion, version)

    def done(self, name: str, finding: Finding | None) -> None:
        run = self._run
        self._breaker.fine()
        if finding is None:
            run.tracker.item_done(STAGE, name, "resumed")
            return
        refined, reason = finding.refined, finding.reason
        if refined is not None and (twin := self._twin(refined)):
            refined, reason = None, f"too alike to {twin}, which was kept"
        # The review comes last: once it is there, all that belongs to it is.
        if refined is not None:
            run.directory.refined.append(refined)
            self._kept[refined.id] = grams(refined.task.intent)
        run.directory.reviews.append(self._review(name, finding, refined, reason))
        counts: list[Count] = ["kept" if refined else "dropped"]
        counts += ["replayed"] * (finding.replay.label == "replayed")
        run.tracker.item_done(STAGE, reason, *counts)

    def failed(self, name: str, error: BaseException, trace: str) -> None:
        is_fault = isinstance(error, INFRASTRUCTURE_ERRORS)
        self._run.tracker.note(f"refine: {name}: {error if is_fault else trace}")
        self._run.tracker.item_done(STAGE, name, "infrastructure" if is_fault else "skipped")
        self._breaker.fault(error)

    async def _stand(self, trajectory: Trajectory, opinion: Opinion, version: Version) -> Finding:
        """Replay what is to be kept; what does not stand is dropped."""
        run, final = self._run, trajectory.final
        assert final is not None
        recorded = Recorded(trajectory.task, version.steps, final, version.answer)
        if run.config.refine.replay:
            replayed = await self._replay(recorded, anew=version.decision == "edit")
        else:
            replayed = Replayed(ReplayReport(label="not replayed", reason="refine.replay is off"))
        verdict = replayed.verdict or self._judge(recorded)
        reason = why_not_kept(replayed.report, verdict, replays=run.config.refine.replay)
        if reason is not None:
            return Finding(opinion, None, replayed.report, reason)
        refined = RefinedTrajectory(
            id=content_id("refined", trajectory.id),
            parents=(trajectory.id,),
            created_by=run.provenance(STAGE),
            task=trajectory.task,
            steps=replayed.steps or version.steps,
            final=replayed.final or final,
            answer=version.answer,
            verdict=verdict if version.decision == "edit" else trajectory.verdict,
            conflicts=trajectory.conflicts,
            score=opinion.score,
            decision=version.decision,
            replay=replayed.report,
            usage=trajectory.usage,
        )
        return Finding(opinion, refined, replayed.report, opinion.reason)

    async def _replay(self, recorded: Recorded, *, anew: bool) -> Replayed:
        """Replay on a fresh copy of the site; once more when infrastructure failed."""
        run = self._run
        for _ in range(TRIES):
            try:
                async with visit(run.site, run.browsers, recorded.task.role) as session:
                    replayed = await replay_whole(
                        recorded,
                        session=session,
                        blobs=run.directory.blobs,
                        volatile=run.site.spec.volatile.query,
                        anew=anew,
                    )
            except INFRASTRUCTURE_ERRORS as fault:
                report = ReplayReport(label="not replayed", reason=describe_fault(fault))
                replayed = Replayed(report)
            if replayed.report.label != "not replayed":
                break
        return replayed

    def _judge(self, recorded: Recorded) -> Verdict:
        page = self._run.directory.blobs.get_page(recorded.final.page)
        requests = tuple(request for step in recorded.steps for request in step.outcome.requests)
        return judge_end(recorded.task, recorded.answer, page, requests)

    def _review(
        self, name: str, finding: Finding, refined: RefinedTrajectory | None, reason: str
    ) -> Review:
        opinion = finding.opinion
        return Review(
            id=review_id(name),
            parents=(name,),
            created_by=self._run.provenance(STAGE),
            trajectory=name,
            decision=refined.decision if refined else "drop",
            edits=opinion.edits,
            score=opinion.score,
            reason=reason,
            replay=finding.replay,
            usage=self._run.usage(review_id(name)),
        )

    def _twin(self, refined: RefinedTrajectory) -> str | None:
        """Return the id of a kept trajectory whose task is nearly the same."""
        words = grams(refined.task.intent)
        limit = self._run.config.propose.similarity
        others = (item for item in self._kept.items() if item[0] != refined.id)
        return next((other for other, kept in others if likeness(words, kept) > limit), None)

    def _load(self, name: str) -> Trajectory:
        trajectory = self._run.directory.trajectories.get(name)
        if trajectory is None:
            raise DataError(f"trajectory {name} is gone from {self._run.directory.path}")
        return trajectory

    def _pages(self, trajectory: Trajectory) -> dict[str, Page]:
        looks = [step.observation for step in trajectory.steps]
        looks += [trajectory.final] if trajectory.final else []
        keys = dict.fromkeys(look.page for look in looks)
        return {key: self._run.directory.blobs.get_page(key) for key in keys}


def review_id(trajectory: str) -> str:
    """Return the id of the review of a trajectory."""
    return content_id("review", trajectory)
