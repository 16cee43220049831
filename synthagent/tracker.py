"""How a stage tells what it is doing; the terminal and the Prefect UI listen in their own ways.

Not a log: nothing is stored here, and a listener that fails must never stop the work.
"""

from typing import Literal, Protocol

Count = Literal["kept", "dropped", "rewritten", "infrastructure", "resumed", "replayed", "skipped"]


class Tracker(Protocol):
    """Listens to the progress of a run."""

    def stage_started(self, stage: str, total: int | None) -> None:
        """Take note that `stage` begins with `total` items, None when not known yet."""

    def item_done(self, stage: str, label: str, *counts: Count) -> None:
        """Take note of one finished item; `label` says which, `counts` what it adds to."""

    def cost(self, usd: float | None, calls: int, tokens: int) -> None:
        """Take note of the whole cost of the run so far; `usd` is None when prices are unknown."""

    def stage_done(self, stage: str) -> None:
        """Take note that `stage` is over."""

    def note(self, message: str) -> None:
        """Take note of something that a person should read."""


class SilentTracker:
    """Listens to nothing; for tests and for library use."""

    def stage_started(self, stage: str, total: int | None) -> None:
        """Ignore it."""

    def item_done(self, stage: str, label: str, *counts: Count) -> None:
        """Ignore it."""

    def cost(self, usd: float | None, calls: int, tokens: int) -> None:
        """Ignore it."""

    def stage_done(self, stage: str) -> None:
        """Ignore it."""

    def note(self, message: str) -> None:
        """Ignore it."""
