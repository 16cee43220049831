"""What the report keeps of each trajectory: a few facts, so that a run of any size fits in memory.

Counts nothing and draws nothing; see `numbers.py` and `gallery.py`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from synthagent.records import (
    Conflict,
    EndReason,
    RefinedTrajectory,
    ReplayLabel,
    Review,
    TaskType,
    Trajectory,
    Usage,
)


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One live change of a task's wording, with what led to it."""

    before: str
    after: str
    conflict: Conflict | None
    rule: str


@dataclass(frozen=True, slots=True)
class Row:
    """The facts of one trajectory, its review and its place in the data."""

    id: str
    type: TaskType
    category: str
    role: str
    intent: str
    steps: int
    kinds: tuple[str, ...]
    """Structure keys of the pages on the way."""
    end: EndReason
    passed: bool | None
    rewrites: tuple[Rewrite, ...]
    label: ReplayLabel | None
    """None when it was never reviewed."""
    decision: str | None
    refined: str | None
    """Id of its line in `refined.jsonl`; None when it was not kept."""
    score: int | None
    reason: str
    """Why it was dropped, or what the reviewer said."""
    usage: Usage
    review_usage: Usage
    replay_seconds: float

    @property
    def kept(self) -> bool:
        """Return whether it is in the data."""
        return self.refined is not None


def read_rows(
    trajectories: Iterable[Trajectory],
    reviews: Iterable[Review],
    refined: Iterable[RefinedTrajectory],
) -> tuple[Row, ...]:
    """Return one row a trajectory, in the order of collection."""
    by_trajectory = {review.trajectory: review for review in reviews}
    kept = {parent: item for item in refined for parent in item.parents}
    return tuple(_row(item, by_trajectory.get(item.id), kept.get(item.id)) for item in trajectories)


def _row(item: Trajectory, review: Review | None, refined: RefinedTrajectory | None) -> Row:
    task = item.task
    looks = [step.observation for step in item.steps] + ([item.final] if item.final else [])
    return Row(
        id=item.id,
        type=task.type,
        category=task.category,
        role=task.role,
        intent=task.intent,
        steps=len(refined.steps) if refined else len(item.steps),
        kinds=tuple(look.structure_key for look in looks),
        end=item.end,
        passed=item.verdict.passed,
        rewrites=_rewrites(item),
        label=review.replay.label if review else None,
        decision=review.decision if review else None,
        refined=refined.id if refined else None,
        score=review.score if review else None,
        reason=_reason(item, review),
        usage=item.usage,
        review_usage=review.usage if review else Usage(),
        replay_seconds=review.replay.seconds if review else 0.0,
    )


def _rewrites(item: Trajectory) -> tuple[Rewrite, ...]:
    versions = item.task.versions
    return tuple(
        Rewrite(before.intent, after.intent, after.conflict, after.rule or "")
        for before, after in pairwise(versions)
    )


def _reason(item: Trajectory, review: Review | None) -> str:
    if item.end == "infrastructure":
        return item.error or "infrastructure failed"
    if review is not None:
        return review.reason or review.replay.reason
    return item.verdict.reason or item.end
