"""Progress bars for a terminal.

Counts and rates come from `progress.py`.
"""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from synthagent.cli.progress import StageProgress, show_cost, show_seconds
from synthagent.tracker import Count

SHOWN = 60
"""Characters of the item that was finished last."""


class BarTracker:
    """One bar a stage, with counts, rate, cost and time left; use it as a context manager."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description:10}"),
            BarColumn(bar_width=28),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("[dim]{task.fields[told]}"),
            console=self._console,
        )
        self._stage: StageProgress | None = None
        self._bar: TaskID | None = None
        self._cost = ""

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def stage_started(self, stage: str, total: int | None) -> None:
        """Add a bar."""
        self._stage = StageProgress(stage, total, time.monotonic)
        self._bar = self._progress.add_task(stage, total=total, told="")

    def item_done(self, stage: str, label: str, *counts: Count) -> None:
        """Move the bar on."""
        if self._stage is None or self._bar is None:
            return
        self._stage.add(counts)
        self._progress.update(self._bar, completed=self._stage.done, told=self._told(label))

    def cost(self, usd: float | None, calls: int, tokens: int) -> None:
        """Remember the cost for the next move."""
        self._cost = show_cost(usd, calls)

    def stage_done(self, stage: str) -> None:
        """Leave the bar full, with what came of the stage."""
        if self._stage is None or self._bar is None:
            return
        total = self._stage.done or 1
        self._progress.update(self._bar, total=total, completed=total, told=self._told(""))
        self._stage = self._bar = None

    def note(self, message: str) -> None:
        """Print something above the bars."""
        self._progress.console.print(escape(message), highlight=False, style="dim")

    def _told(self, label: str) -> str:
        stage = self._stage
        if stage is None:
            return ""
        parts = [f"{count} {name}" for name, count in stage.counts.items()]
        parts.append(f"{stage.rate:.0f}/min")
        if stage.left:
            parts.append(f"{show_seconds(stage.left)} left")
        if self._cost:
            parts.append(self._cost)
        shown = label if len(label) <= SHOWN else label[: SHOWN - 1] + "…"
        return escape(" · ".join([*parts, shown] if shown else parts))
