"""The stage that collects: each task is carried out on a fresh copy of the site and written down.

Not responsible for the loop itself (`agent/rollout.py`) or for what is worth keeping (`refine/`).
"""

from typing import Final

from synthagent.agent.faults import Breaker
from synthagent.agent.rollout import NOT_JUDGED, Rollout, describe_fault, rollout
from synthagent.agent.visiting import visit
from synthagent.errors import INFRASTRUCTURE_ERRORS, SynthError
from synthagent.journal import STOP_ERRORS, run_items
from synthagent.records import Task, Trajectory, content_id
from synthagent.run import Run
from synthagent.tracker import Count

STAGE: Final = "collect"


async def collect(run: Run) -> None:
    """Carry out every task; attempts that infrastructure spoiled are repeated, and all are kept.

    Trajectories are written in the order of the tasks, whatever came first.
    """
    if run.directory.is_complete(STAGE):
        return
    tasks = list(run.directory.tasks)
    work = _Collection(run)
    run.tracker.stage_started(STAGE, len(tasks))
    await run_items(
        tasks,
        work.attempts,
        concurrency=run.config.contexts,
        done=work.done,
        failed=work.failed,
    )
    run.directory.seal(STAGE, len(run.directory.trajectories))
    run.tracker.stage_done(STAGE)


def trajectory_id(task: Task, attempt: int) -> str:
    """Return the id of an attempt at a task."""
    return content_id("trajectory", task.id, attempt)


class _Collection:
    def __init__(self, run: Run) -> None:
        self._run = run
        self._breaker = Breaker()

    async def attempts(self, task: Task) -> tuple[Trajectory, ...]:
        """Return all attempts at `task`; those that spoiled an earlier run do not count."""
        made: list[Trajectory] = []
        while stored := self._run.directory.trajectories.get(trajectory_id(task, len(made))):
            made.append(stored)
        for _ in range(self._run.config.collect.attempts):
            if made and made[-1].end != "infrastructure":
                break
            made.append(await self._attempt(task, len(made)))
        return tuple(made)

    async def _attempt(self, task: Task, attempt: int) -> Trajectory:
        run, name = self._run, trajectory_id(task, attempt)
        try:
            async with visit(run.site, run.browsers, task.role) as session:
                done = await rollout(
                    task,
                    session=session,
                    teacher=run.teacher,
                    blobs=run.directory.blobs,
                    config=run.config.collect,
                    item=name,
                )
        except STOP_ERRORS:
            raise
        except INFRASTRUCTURE_ERRORS as fault:
            done = _spoiled(task, fault)
        return Trajectory(
            id=name,
            parents=(task.id,),
            created_by=run.provenance(STAGE),
            task=done.task,
            attempt=attempt,
            steps=done.steps,
            final=done.final,
            end=done.end,
            answer=done.answer,
            verdict=done.verdict,
            conflicts=done.conflicts,
            error=done.error,
            usage=run.usage(name).with_(seconds=round(done.seconds, 3)),
        )

    def done(self, task: Task, made: tuple[Trajectory, ...]) -> None:
        run, last = self._run, made[-1]
        is_known = last.id in run.directory.trajectories
        for trajectory in made:
            run.directory.trajectories.append(trajectory)
        counts: list[Count] = ["infrastructure"] * sum(one.end == "infrastructure" for one in made)
        counts += ["rewritten"] * (len(last.task.versions) > 1)
        counts += ["resumed"] * is_known
        if last.end != "infrastructure":
            counts.append("dropped" if _is_failure(last) else "kept")
        run.tracker.item_done(STAGE, f"{last.end}: {last.task.intent}", *counts)
        if last.end != "infrastructure":
            self._breaker.fine()
        elif not is_known:
            self._breaker.fault(SynthError(last.error or "infrastructure"))

    def failed(self, task: Task, error: BaseException, trace: str) -> None:
        """Tell of a fault of the program; the task has no trajectory and is tried again later."""
        self._run.tracker.note(f"collect: {task.intent}: {trace}")
        self._run.tracker.item_done(STAGE, task.intent, "skipped")
        self._breaker.fault(error)


def _is_failure(trajectory: Trajectory) -> bool:
    return trajectory.end != "completed" or trajectory.verdict.passed is False


def _spoiled(task: Task, fault: SynthError) -> Rollout:
    return Rollout(task, (), None, "infrastructure", NOT_JUDGED, error=describe_fault(fault))
