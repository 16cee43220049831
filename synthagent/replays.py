"""Replays of stored trajectories, to see whether they still hold. Changes nothing in the run.

How one is replayed is in `agent/replaying.py`.
"""

from collections import Counter
from pathlib import Path

from synthagent.agent.replaying import replay
from synthagent.agent.visiting import visit
from synthagent.errors import INFRASTRUCTURE_ERRORS, ConfigError
from synthagent.journal import STOP_ERRORS, RunDirectory, run_items
from synthagent.records import Frozen, RefinedTrajectory, ReplayLabel, ReplayReport, Trajectory
from synthagent.run import BrowserPool
from synthagent.sites import SitePool, load_site
from synthagent.tracker import Tracker

STAGE = "replay"
Stored = RefinedTrajectory | Trajectory


class Replay(Frozen):
    """What came of doing one trajectory again."""

    id: str
    intent: str
    steps: int
    report: ReplayReport


class Replays(Frozen):
    """What came of doing trajectories again."""

    labels: dict[ReplayLabel, int]
    replays: tuple[Replay, ...]


async def replay_trajectories(
    directory: RunDirectory,
    name: str | None,
    *,
    contexts: int | None = None,
    home: Path,
    tracker: Tracker,
) -> Replays:
    """Do the kept trajectories of a run again, or the one that `name` is the beginning of.

    Raises:
        ConfigError: there is nothing to replay, or `name` is not the beginning of exactly one id.
        SynthError: site or browser cannot be started.
    """
    chosen = _choose(directory, name)
    config = directory.config
    spec = load_site(config.site)
    size = min(contexts or config.contexts, len(chosen))
    made: list[Replay] = []
    async with (
        SitePool(spec, size, home) as site,
        BrowserPool(config.browser, spec.volatile) as browsers,
    ):

        async def work(item: Stored) -> ReplayReport:
            return await _replay(item, directory, site, browsers)

        def done(item: Stored, report: ReplayReport) -> None:
            intent = item.task.intent
            made.append(Replay(id=item.id, intent=intent, steps=len(item.steps), report=report))
            tracker.item_done(
                STAGE, intent, "replayed" if report.label == "replayed" else "dropped"
            )

        def failed(item: Stored, error: BaseException, trace: str) -> None:
            raise error

        tracker.stage_started(STAGE, len(chosen))
        await run_items(chosen, work, concurrency=size, done=done, failed=failed)
        tracker.stage_done(STAGE)
    labels = Counter(one.report.label for one in made)
    return Replays(labels=dict(labels), replays=tuple(made))


async def _replay(
    item: Stored, directory: RunDirectory, site: SitePool, browsers: BrowserPool
) -> ReplayReport:
    if item.final is None:
        return ReplayReport(label="not replayed", reason="it has no last page")
    try:
        async with visit(site, browsers, item.task.role) as session:
            return await replay(
                item.steps,
                item.final,
                item.task,
                item.answer,
                session=session,
                blobs=directory.blobs,
                volatile=site.spec.volatile.query,
            )
    except STOP_ERRORS:
        raise
    except INFRASTRUCTURE_ERRORS as fault:
        return ReplayReport(label="not replayed", reason=f"{type(fault).__name__}: {fault}")


def _choose(directory: RunDirectory, name: str | None) -> tuple[Stored, ...]:
    kept = tuple(directory.refined)
    if name is None:
        if not kept:
            raise ConfigError(f"run {directory.path.name!r} has no kept trajectories to replay yet")
        return kept
    found: dict[str, Stored] = {
        item.id: item
        for item in kept
        if any(id.startswith(name) for id in (item.id, *item.parents))
    }
    if not found:
        for id in directory.trajectories.ids():
            item = directory.trajectories.get(id) if id.startswith(name) else None
            if item is not None:
                found[id] = item
    if len(found) != 1:
        ids = ", ".join(sorted(found)[:5]) or "none"
        raise ConfigError(f"--trajectory {name!r} fits {len(found)} trajectories ({ids}); name one")
    return tuple(found.values())
