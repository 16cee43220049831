"""Adds the running cost to what a tracker hears, so that stages need not think of it.

Stores nothing; the ledger does.
"""

from synthagent.llm import Ledger
from synthagent.tracker import Count, Tracker


class MeteredTracker:
    """Passes everything on to another tracker, with the cost after each finished item."""

    def __init__(self, inner: Tracker, ledger: Ledger) -> None:
        self._inner = inner
        self._ledger = ledger

    def stage_started(self, stage: str, total: int | None) -> None:
        """Take note that `stage` begins."""
        self._inner.stage_started(stage, total)
        self._tell_cost()

    def item_done(self, stage: str, label: str, *counts: Count) -> None:
        """Take note of one finished item."""
        self._inner.item_done(stage, label, *counts)
        self._tell_cost()

    def cost(self, usd: float | None, calls: int, tokens: int) -> None:
        """Take note of the whole cost so far."""
        self._inner.cost(usd, calls, tokens)

    def stage_done(self, stage: str) -> None:
        """Take note that `stage` is over."""
        self._tell_cost()
        self._inner.stage_done(stage)

    def note(self, message: str) -> None:
        """Take note of something that a person should read."""
        self._inner.note(message)

    def _tell_cost(self) -> None:
        spent = self._ledger.total()
        self._inner.cost(spent.usd, spent.requests, spent.tokens)
