"""Chooses trajectories to show and lays out their steps: what was seen, done, and came of it.

Draws no pictures itself; see `pictures.py`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from synthagent.journal import RunDirectory
from synthagent.records import Answer, Infeasible, RefinedTrajectory, Step, Trajectory
from synthagent.report.pictures import Album, Picture
from synthagent.report.rows import Rewrite, Row
from synthagent.report.wording import describe_action, describe_check, describe_outcome

SHOWN = 24
"""Trajectories in the gallery, …"""
MISSES = 4
"""… of which so many that were not kept, for an honest look."""
TEXT = 2600
"""Characters shown of what the agent read."""
THUMBNAIL = 420


@dataclass(frozen=True, slots=True)
class StepView:
    """One step, ready for the template."""

    picture: Picture | None
    url: str
    title: str
    instruction: str
    reasoning: str
    action: str
    status: str
    outcome: tuple[str, ...]
    text: str
    rewrite: Rewrite | None
    """The change of the task just before this step."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One trajectory, ready for the template."""

    row: Row
    steps: tuple[StepView, ...]
    thumbnail: Picture | None
    final: Picture | None
    final_url: str
    start_url: str
    answer: str | None
    checks: tuple[str, ...]
    verdict: str
    replay: str
    error: str | None


def choose_rows(rows: Sequence[Row], shown: int = SHOWN, misses: int = MISSES) -> tuple[Row, ...]:
    """Return kept trajectories of every type, length and role, then some that were not kept."""
    lost = [row for row in rows if not row.kept and row.end != "infrastructure"]
    chosen_lost = _take_in_turn(lost, misses)
    kept = _take_in_turn([row for row in rows if row.kept], shown - len(chosen_lost))
    return (*kept, *chosen_lost)


def show(directory: RunDirectory, rows: Sequence[Row]) -> tuple[tuple[Shown, ...], int]:
    """Return `rows` with their steps and pictures, and how many pictures did not fit."""
    items = [(row, item) for row in rows if (item := _load(directory, row)) is not None]
    album = Album.for_count(directory.blobs, sum(len(item.steps) + 1 for _, item in items))
    return tuple(_show(row, item, album) for row, item in items), album.left_out


def _take_in_turn(rows: Sequence[Row], limit: int) -> list[Row]:
    """Return `limit` rows, the types in turn, and within a type its lengths and roles in turn."""
    types = _group(rows, lambda row: row.type)
    mixed = [
        _alternate(
            _group(members, lambda row: (min(row.steps, 12) // 2, len(row.rewrites), row.role))
        )
        for members in types
    ]
    return sorted(
        _alternate(mixed)[:limit], key=lambda row: (not row.rewrites, row.type, row.steps)
    )


def _group(rows: Iterable[Row], key: Callable[[Row], Any]) -> list[list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return [groups[name] for name in sorted(groups)]


def _alternate(groups: Iterable[Sequence[Row]]) -> list[Row]:
    return [row for taken in zip_longest(*groups) for row in taken if row is not None]


def _load(directory: RunDirectory, row: Row) -> Trajectory | RefinedTrajectory | None:
    if row.refined is not None:
        return directory.refined.get(row.refined)
    return directory.trajectories.get(row.id)


def _show(row: Row, item: Trajectory | RefinedTrajectory, album: Album) -> Shown:
    last = item.final or (item.steps[-1].observation if item.steps else None)
    thumbnail = album.look(last, THUMBNAIL)
    steps = tuple(
        _show_step(step, before, row, album)
        for before, step in zip((None, *item.steps), item.steps, strict=False)
    )
    label = row.label or "not reviewed"
    replay = item.replay.reason if isinstance(item, RefinedTrajectory) else row.reason
    return Shown(
        row=row,
        steps=steps,
        thumbnail=thumbnail,
        final=album.look(item.final),
        final_url=item.final.url if item.final else "",
        start_url=item.task.start_url,
        answer=item.answer,
        checks=describe_check(item.task.current.check),
        verdict=item.verdict.reason,
        replay=f"{label}: {replay}" if replay else label,
        error=item.error if isinstance(item, Trajectory) else None,
    )


def _show_step(step: Step, before: Step | None, row: Row, album: Album) -> StepView:
    earlier = before.version if before else 0
    changed = step.version > earlier and 0 < step.version <= len(row.rewrites)
    ends = isinstance(step.action, Answer | Infeasible)
    text = step.observation.text
    return StepView(
        picture=album.step(step),
        url=step.observation.url,
        title=step.observation.title,
        instruction=step.instruction,
        reasoning=step.reasoning,
        action=describe_action(step.action),
        status=step.outcome.status,
        outcome=() if ends else describe_outcome(step.outcome),
        text=text if len(text) <= TEXT else text[:TEXT] + "\n…",
        rewrite=row.rewrites[step.version - 1] if changed else None,
    )
