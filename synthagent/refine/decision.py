"""Decides on a trajectory from the reviewer's opinion, the verdict and the replay.

Pure; in doubt it drops. Not responsible for asking, replaying or storing.
"""

from dataclasses import dataclass
from typing import Literal

from synthagent.records import Edit, ReplayReport, Step, Trajectory, Verdict
from synthagent.refine.edits import Edited, Refused, apply_edits
from synthagent.teachers.protocol import Opinion

NOT_TRIED = ReplayReport(label="not replayed", reason="it was dropped before")


@dataclass(frozen=True, slots=True)
class Version:
    """What would be kept: the steps as they are, or edited."""

    decision: Literal["keep", "edit"]
    steps: tuple[Step, ...]
    answer: str | None
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Dropped:
    """Why nothing is kept."""

    reason: str


def weigh(trajectory: Trajectory, opinion: Opinion, min_score: int) -> Version | Dropped:
    """Return what to replay, or why to drop the trajectory at once."""
    if trajectory.end != "completed":
        return Dropped(f"it ended {trajectory.end.replace('_', ' ')}")
    if trajectory.final is None:
        return Dropped("its end was not seen")
    if opinion.decision == "drop":
        return Dropped(opinion.reason)
    if opinion.score < min_score:
        return Dropped(f"score {opinion.score} is below {min_score}: {opinion.reason}")
    if opinion.decision == "keep":
        if trajectory.verdict.passed is False:
            return Dropped(f"the check failed: {trajectory.verdict.reason}")
        return Version("keep", trajectory.steps, trajectory.answer)
    edited = apply_edits(trajectory.steps, trajectory.answer, opinion.edits)
    if isinstance(edited, Refused):
        return Dropped(f"the edits cannot be applied: {edited.reason}")
    return _accept(trajectory, edited, opinion)


def _accept(trajectory: Trajectory, edited: Edited, opinion: Opinion) -> Version | Dropped:
    """A failed check may be mended by another answer; the replay judges it anew."""
    changes_answer = edited.answer != trajectory.answer
    if trajectory.verdict.passed is False and not changes_answer:
        return Dropped(f"the check failed: {trajectory.verdict.reason}")
    return Version("edit", edited.steps, edited.answer, opinion.edits)


def why_not_kept(report: ReplayReport, verdict: Verdict, *, replays: bool) -> str | None:
    """Return why a reviewed version is not kept after its replay, None when it is."""
    if replays and report.label != "replayed":
        return f"{report.label}: {report.reason}"
    if verdict.passed is False:
        return f"the check failed: {verdict.reason}"
    return None
