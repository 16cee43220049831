"""All stages of a run in a row, and what came of them.

Not responsible for what a stage does, nor for opening a run (`run/`).
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import get_args

from synthagent.collect.stage import collect
from synthagent.config import RunConfig
from synthagent.errors import ConfigError, SynthError
from synthagent.explore.stage import explore
from synthagent.export import ExportReport, export_run
from synthagent.journal import RunDirectory
from synthagent.propose.stage import propose
from synthagent.records import Frozen, StageName
from synthagent.refine.stage import refine
from synthagent.report import write_report
from synthagent.report.costs import sum_costs, total_usd
from synthagent.report.rows import Row, read_rows
from synthagent.report.timing import read_times, time_stage
from synthagent.run import Run, open_run
from synthagent.tracker import Tracker

STAGES: tuple[StageName, ...] = get_args(StageName)
WORLDLY: frozenset[StageName] = frozenset({"explore", "collect", "refine"})
"""Stages that work on the site; the others need neither it nor a browser."""
WORK: Mapping[StageName, Callable[[Run], Awaitable[None]]] = {
    "explore": explore,
    "propose": propose,
    "collect": collect,
    "refine": refine,
}


class Summary(Frozen):
    """What a run holds: the object that `--json` prints."""

    run: str
    site: str
    teacher: str
    complete: tuple[StageName, ...]
    """Stages that went through all their items."""
    transitions: int
    tasks: int
    trajectories: int
    completed: int
    replayed: int
    kept: int
    infrastructure: int
    """Trajectories that a fault of browser, site or model server ended."""
    page_kinds: int
    """Seen while exploring."""
    kept_page_kinds: int
    types: dict[str, int]
    """Kept trajectories by task type."""
    lengths: dict[str, int]
    """Kept trajectories by number of steps."""
    rewrites: int
    """Tasks whose wording was changed live; kept or not."""
    kept_rewrites: int
    labels: dict[str, int]
    """Reviewed trajectories by replay label."""
    damaged: dict[str, int]
    """Unreadable lines by file; none in a sound run."""
    calls: int
    usd: float | None
    seconds: float
    """On the clock, over all sittings."""
    refined_file: str
    report_file: str


async def synthesize_at(
    path: Path,
    config: RunConfig,
    *,
    home: Path,
    tracker: Tracker,
    stages: Sequence[StageName] = STAGES,
) -> Summary:
    """Open the run at `path` and do `stages`; site and browser are started only if needed.

    Raises:
        SynthError: as `open_run` and `synthesize` do.
    """
    world = bool(WORLDLY.intersection(_left(path, stages)))
    async with open_run(path, config, home=home, tracker=tracker, world=world) as run:
        return await synthesize(run, stages)


async def synthesize(run: Run, stages: Sequence[StageName] = STAGES) -> Summary:
    """Do `stages` in their order, skipping what is complete, and write the report.

    Raises:
        SynthError: something that only the user can mend. What was done stays; the same call goes
            on from there.
    """
    try:
        for stage in stages:
            await run_stage(run, stage)
    except SynthError:
        with suppress(SynthError):  # the reason to stop says more than a second failure
            write_report(run.directory)
        raise
    write_report(run.directory)
    return summarize(run.directory)


async def run_stage(run: Run, stage: StageName) -> None:
    """Do one stage unless it is complete, and seal it."""
    directory = run.directory
    if directory.is_complete(stage):
        run.tracker.note(f"{stage}: complete already")
        return
    _require_earlier(directory, stage)
    with time_stage(directory.path, stage):
        if stage == "export":
            export_files(directory)
        else:
            await WORK[stage](run)


def export_files(directory: RunDirectory) -> ExportReport:
    """Write the exports of a run anew; the stage counts as complete once all before it are."""
    report = export_run(directory)
    if all(directory.is_complete(stage) for stage in STAGES if stage != "export"):
        directory.seal("export", len(directory.refined))
    return report


def summarize(directory: RunDirectory) -> Summary:
    """Return the figures of a run, finished or not."""
    rows = read_rows(directory.trajectories, directory.reviews, directory.refined)
    kept = [row for row in rows if row.kept]
    costs = sum_costs(directory, rows)
    config = directory.config
    return Summary(
        run=directory.path.name,
        site=config.site,
        teacher=config.model.name or "llm" if config.teacher == "llm" else config.teacher,
        complete=tuple(stage for stage in STAGES if directory.is_complete(stage)),
        transitions=len(directory.transitions),
        tasks=len(directory.tasks),
        trajectories=len(rows),
        completed=sum(row.end == "completed" for row in rows),
        replayed=sum(row.label == "replayed" for row in rows),
        kept=len(kept),
        infrastructure=sum(row.end == "infrastructure" for row in rows),
        page_kinds=_page_kinds(directory),
        kept_page_kinds=len({kind for row in kept for kind in row.kinds}),
        types=_counts([row.type for row in kept]),
        lengths=_counts([str(row.steps) for row in sorted(kept, key=_steps)]),
        rewrites=sum(bool(row.rewrites) for row in rows),
        kept_rewrites=sum(bool(row.rewrites) for row in kept),
        labels=_counts([row.label for row in rows if row.label]),
        damaged=directory.damaged,
        calls=sum(cost.calls for cost in costs),
        usd=total_usd(costs),
        seconds=round(sum(read_times(directory.path).values()), 1),
        refined_file=str(directory.path / "refined.jsonl"),
        report_file=str(directory.path / "report.html"),
    )


def _left(path: Path, stages: Sequence[StageName]) -> set[StageName]:
    """Return which of `stages` a run still has to do."""
    if not (path / "config.yaml").exists():
        return set(stages)
    directory = RunDirectory.load(path)
    return {stage for stage in stages if not directory.is_complete(stage)}


def _require_earlier(directory: RunDirectory, stage: StageName) -> None:
    """Refuse to work on half of what an earlier stage will leave."""
    for earlier in STAGES[: STAGES.index(stage)]:
        if not directory.is_complete(earlier):
            raise ConfigError(
                f"{stage}: the stage {earlier!r} of run {directory.path.name!r} is not complete; "
                f"run `synthagent {earlier} --run {directory.path.name}` first"
            )


def _page_kinds(directory: RunDirectory) -> int:
    kinds = (
        (item.before.structure_key, item.after.structure_key) for item in directory.transitions
    )
    return len({key for pair in kinds for key in pair})


def _counts(values: Sequence[str]) -> dict[str, int]:
    return dict(Counter(values))


def _steps(row: Row) -> int:
    return row.steps
