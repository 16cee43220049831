"""Decides on a trajectory from the reviewer's opinion, the verdict and the replay.

Pure; in doubt it drops. Not responsible for asking, replaying or storing.
"""

from dataclasses import dataclass
from typing import Literal

from synthagent.records import ReplayReport, Step, Trajectory, Verdict
from synthagent.refine.edits import Refused, apply_edits
from synthagent.teachers.protocol import Opinion

NOT_TRIED = ReplayReport(label="not replayed", reason="it was dropped before")


@dataclass(frozen=True, slots=True)
class Version:
    """What would be kept: the steps as they are, or edited."""

    decision: Literal["keep", "edit"]
    steps: tuple[Step, ...]
    answer: str | None


@dataclass(frozen=True, slots=True)
class Dropped:
    """Why nothing is kept."""

    reason: str


def weigh(trajectory: Trajectory, opinion: Opinion, min_score: int) -> Version | Dropped:
    """Return what to replay, or why to drop the trajectory at once."""
    if reason := _why_dropped(trajectory, opinion, min_score):
        return Dropped(reason)
    version = Version("keep", trajectory.steps, trajectory.answer)
    if opinion.decision == "edit":
        edited = apply_edits(trajectory.steps, trajectory.answer, opinion.edits)
        if isinstance(edited, Refused):
            return Dropped(f"the edits cannot be applied: {edited.reason}")
        version = Version("edit", edited.steps, edited.answer)
    if trajectory.verdict.passed is False and version.answer == trajectory.answer:
        # Another answer may mend a failed check; the replay judges it anew.
        return Dropped(f"the check failed: {trajectory.verdict.reason}")
    return version


def _why_dropped(trajectory: Trajectory, opinion: Opinion, min_score: int) -> str | None:
    if trajectory.end != "completed" or trajectory.final is None:
        return f"it ended {trajectory.end.replace('_', ' ')}"
    if opinion.decision == "drop":
        return opinion.reason
    if opinion.score < min_score:
        return f"score {opinion.score} is below {min_score}: {opinion.reason}"
    return None


def why_not_kept(report: ReplayReport, verdict: Verdict, *, replays: bool) -> str | None:
    """Return why a reviewed version is not kept after its replay, None when it is."""
    if replays and report.label != "replayed":
        return f"{report.label}: {report.reason}"
    if verdict.passed is False:
        return f"the check failed: {verdict.reason}"
    return None
