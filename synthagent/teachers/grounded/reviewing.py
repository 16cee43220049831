"""Reviews a finished trajectory by rules, with the whole of it in view; in doubt it drops.

The edits it proposes only take steps out; whether the rest still works is shown by replay.
"""

from synthagent.records import Edit, Fingerprint, RemoveStep, Step, Trajectory
from synthagent.teachers.protocol import Opinion

PATIENT = frozenset({"scroll", "wait", "hover"})
FILLING = frozenset({"type", "select", "check"})


def review(trajectory: Trajectory) -> Opinion:
    """Return keep, edit or drop for `trajectory`."""
    reason = _why_drop(trajectory)
    if reason is not None:
        return Opinion(decision="drop", score=0, reason=reason)
    edits = _needless_steps(trajectory.steps)
    score = _score(trajectory, len(edits))
    if edits:
        count = f"{len(edits)} step" + ("s" if len(edits) > 1 else "")
        return Opinion("edit", score, f"{count} did nothing for the task", edits)
    return Opinion("keep", score, "every step serves the task")


def _why_drop(trajectory: Trajectory) -> str | None:
    if trajectory.end != "completed":
        return f"the trajectory ended {trajectory.end.replace('_', ' ')}"
    if trajectory.verdict.passed is False:
        return f"the check failed: {trajectory.verdict.reason}"
    if not any(step.outcome.changed for step in trajectory.steps):
        return "no step changed anything"
    return None


def _score(trajectory: Trajectory, edits: int) -> int:
    checked = 100 if trajectory.verdict.passed else 75
    rewrites = len(trajectory.task.versions) - 1
    return max(0, checked - 5 * rewrites - 3 * edits)


def _needless_steps(steps: tuple[Step, ...]) -> tuple[Edit, ...]:
    """Return the removal of steps without effect, and of input that was refused and redone."""
    removals: dict[int, str] = {}
    for at, step in enumerate(steps):
        if step.outcome.status != "ok":
            removals[at] = "the action was not carried out"
        elif step.action.type == "click" and not _had_effect(step):
            removals[at] = "the click had no effect"
    for at in _refused_sends(steps):
        removals[at] = "the form was refused and sent again"
        for before in range(at):
            if _is_redone(steps, before, at):
                removals[before] = "the value was refused and replaced"
    return tuple(RemoveStep(index=at, reason=removals[at]) for at in sorted(removals))


def _had_effect(step: Step) -> bool:
    outcome = step.outcome
    return outcome.changed or outcome.navigated or bool(outcome.requests or outcome.new_tabs)


def _refused_sends(steps: tuple[Step, ...]) -> list[int]:
    """Return the sends after which the task was rewritten and the same button pressed again."""
    return [
        at
        for at, step in enumerate(steps)
        if step.action.type == "click"
        and step.outcome.requests
        and any(
            later.version > step.version and _same(later.target, step.target)
            for later in steps[at + 1 :]
            if later.action.type == "click"
        )
    ]


def _is_redone(steps: tuple[Step, ...], index: int, send: int) -> bool:
    step = steps[index]
    return step.action.type in FILLING and any(
        later.action.type in FILLING and _same(later.target, step.target)
        for later in steps[send + 1 :]
    )


def _same(one: Fingerprint | None, other: Fingerprint | None) -> bool:
    return (
        one is not None
        and other is not None
        and (one.role, one.name, one.landmark) == (other.role, other.name, other.landmark)
    )
