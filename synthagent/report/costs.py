"""What the stages of a run cost: calls from `calls.sqlite`, time from records and the clock.

Without a store of calls, the sums of the records stand in.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from synthagent.journal import RunDirectory
from synthagent.llm.recorded import CallStore, Spent
from synthagent.records import StageName, Usage
from synthagent.report.rows import Row
from synthagent.report.timing import read_times


@dataclass(frozen=True, slots=True)
class StageCost:
    """What one stage took. `usd` is None when the price of the model is not known."""

    stage: StageName
    items: int
    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0
    work: float = 0.0
    """Seconds, summed over the contexts that worked side by side; 0 where not measured."""
    clock: float = 0.0
    """Seconds on the clock, over all sittings; 0 where not measured."""


def sum_costs(directory: RunDirectory, rows: Sequence[Row]) -> tuple[StageCost, ...]:
    """Return the cost of every stage that works on items."""
    items: dict[StageName, int] = {
        "explore": len(directory.transitions),
        "propose": len(directory.tasks),
        "collect": len(rows),
        "refine": sum(row.decision is not None for row in rows),
    }
    work = {
        "collect": sum(row.usage.seconds for row in rows),
        "refine": sum(row.review_usage.seconds or row.replay_seconds for row in rows),
    }
    usages = {
        "collect": [row.usage for row in rows],
        "refine": [row.review_usage for row in rows],
    }
    spent = _read_spent(directory)
    clock = read_times(directory.path)
    costs = []
    for stage, count in items.items():
        total = spent.get(stage, Spent()) if spent else _add_up(usages.get(stage, ()))
        costs.append(
            StageCost(
                stage=stage,
                items=count,
                calls=total.requests,
                tokens=total.tokens,
                usd=total.usd,
                work=work.get(stage, 0.0),
                clock=clock.get(stage, 0.0),
            )
        )
    return tuple(costs)


def total_usd(costs: Sequence[StageCost]) -> float | None:
    """Return the whole cost, None when part of it is not known."""
    prices = [cost.usd for cost in costs]
    return None if None in prices else sum(price for price in prices if price is not None)


def _read_spent(directory: RunDirectory) -> dict[str, Spent]:
    if not directory.calls_path.exists():
        return {}
    with CallStore.open(directory.calls_path) as store:
        return store.spent_by("stage")


def _add_up(usages: Sequence[Usage]) -> Spent:
    return Spent(
        requests=sum(usage.calls for usage in usages),
        prompt_tokens=sum(usage.prompt_tokens for usage in usages),
        completion_tokens=sum(usage.completion_tokens for usage in usages),
        unpriced=sum(usage.usd is None for usage in usages),
        known_usd=sum(usage.usd or 0.0 for usage in usages),
    )
