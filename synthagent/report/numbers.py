"""The figures of a run: funnel, types, lengths, drops. Pure.

Not the place for shapes (`charts.py`) or money (`costs.py`).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from synthagent.report.rows import Row

TYPES = ("information", "navigation", "modification")


@dataclass(frozen=True, slots=True)
class FunnelStage:
    """How many items are left after a part of the pipeline."""

    name: str
    count: int
    hint: str


def count_funnel(transitions: int, tasks: int, rows: Sequence[Row]) -> tuple[FunnelStage, ...]:
    """Return the stages from first click to finished data; infrastructure faults are left out."""
    tried = [row for row in rows if row.end != "infrastructure"]
    replayed = [row for row in tried if row.label == "replayed"]
    return (
        FunnelStage("transitions", transitions, "actions explored"),
        FunnelStage("tasks", tasks, "proposed from them"),
        FunnelStage("trajectories", len(tried), "tasks tried"),
        FunnelStage("completed", sum(row.end == "completed" for row in tried), "came to an end"),
        FunnelStage("replayed", len(replayed), "same end from a fresh start"),
        FunnelStage("kept", sum(row.kept for row in tried), "in refined.jsonl"),
    )


def count_types(rows: Iterable[Row]) -> tuple[tuple[str, int, int], ...]:
    """Return (task type, kept, not kept) for the three types."""
    kept: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for row in rows:
        if row.end != "infrastructure":
            (kept if row.kept else lost)[row.type] += 1
    return tuple((name, kept[name], lost[name]) for name in TYPES)


def count_lengths(rows: Iterable[Row]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return (steps, kept trajectories of each type in `TYPES`) without gaps in the steps."""
    lengths: Counter[tuple[int, str]] = Counter((row.steps, row.type) for row in rows if row.kept)
    if not lengths:
        return ()
    steps = [length for length, _ in lengths]
    return tuple(
        (length, tuple(lengths[length, name] for name in TYPES))
        for length in range(min(steps), max(steps) + 1)
    )


def group_drops(rows: Iterable[Row]) -> tuple[tuple[str, tuple[Row, ...]], ...]:
    """Return what was not kept, by the kind of reason, the most frequent first."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if not row.kept and row.end != "infrastructure":
            groups.setdefault(_drop_kind(row), []).append(row)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple((kind, tuple(members)) for kind, members in ordered)


def _drop_kind(row: Row) -> str:
    if row.decision is None and row.end == "completed":
        return "not reviewed yet"
    if row.end == "out_of_steps":
        return "out of steps"
    if row.end == "infeasible":
        return "infeasible as worded"
    if row.label in {"drifted", "broken"}:
        return f"replay {row.label}"
    if row.passed is False:
        return "failed its check"
    return "not replayed" if row.label == "not replayed" else "dropped by review"
