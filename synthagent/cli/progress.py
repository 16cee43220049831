"""Shows how far a run is: bars on a terminal, plain lines elsewhere. Always on stderr.

Stores nothing, and knows nothing of what the stages do.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from synthagent.tracker import Count, Tracker

EVERY_SECONDS = 5.0


class StageProgress:
    """Counts of one stage, its rate and the time left."""

    def __init__(self, name: str, total: int | None, clock: Callable[[], float]) -> None:
        self.name = name
        self.total = total
        self.done = 0
        self.counts: Counter[str] = Counter()
        self._clock = clock
        self._begin = clock()
        self._worked = 0
        """Items of this sitting; resumed ones took no time and say nothing about the rate."""

    def add(self, counts: tuple[Count, ...]) -> None:
        """Count one finished item."""
        self.done += 1
        self.counts.update(counts)
        self._worked += "resumed" not in counts

    @property
    def seconds(self) -> float:
        """Return how long the stage has been going on."""
        return self._clock() - self._begin

    @property
    def rate(self) -> float:
        """Return finished items a minute."""
        return self._worked / self.seconds * 60 if self.seconds > 0 else 0.0

    @property
    def left(self) -> float | None:
        """Return the seconds that the rest will take at this rate, None when not known."""
        if self.total is None or not self.rate:
            return None
        return max(self.total - self.done, 0) / self.rate * 60

    def describe(self) -> str:
        """Return all of it in one line."""
        total = "" if self.total is None else f"/{max(self.total, self.done)}"
        parts = [f"{self.done}{total}"]
        parts += [f"{count} {name}" for name, count in self.counts.items()]
        if self._worked and self.seconds >= 1:
            parts.append(f"{self.rate:.0f}/min")
        if self.left:
            parts.append(f"about {show_seconds(self.left)} left")
        return ", ".join(parts)


class LineTracker:
    """Prints a line at the start and end of a stage and every few seconds in between."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._stage: StageProgress | None = None
        self._last = 0.0
        self._cost = ""

    def stage_started(self, stage: str, total: int | None) -> None:
        """Print the beginning of `stage`."""
        self._stage = StageProgress(stage, total, self._clock)
        self._print(f"{stage}: begins" + (f", {total} items" if total is not None else ""))

    def item_done(self, stage: str, label: str, *counts: Count) -> None:
        """Count an item, and print how far it is unless that was done just now."""
        if self._stage is None:
            return
        self._stage.add(counts)
        if self._clock() - self._last >= EVERY_SECONDS:
            self._print(f"{stage}: {self._stage.describe()}{self._cost}")

    def cost(self, usd: float | None, calls: int, tokens: int) -> None:
        """Remember the cost for the next line."""
        self._cost = f", {show_cost(usd, calls)}"

    def stage_done(self, stage: str) -> None:
        """Print the end of `stage`."""
        if self._stage is not None:
            took = show_seconds(self._stage.seconds)
            self._print(f"{stage}: done in {took}: {self._stage.describe()}{self._cost}")
        self._stage = None

    def note(self, message: str) -> None:
        """Print something that a person should read."""
        self._print(message)

    def _print(self, text: str) -> None:
        self._last = self._clock()
        print(text, file=self._stream, flush=True)


@contextmanager
def show_progress(stream: TextIO | None = None) -> Iterator[Tracker]:
    """Yield a tracker that suits where stderr leads to."""
    stream = stream or sys.stderr
    if not stream.isatty():
        yield LineTracker(stream)
        return
    from synthagent.cli.bars import BarTracker  # rich is slow to import

    with BarTracker() as tracker:
        yield tracker


def show_seconds(seconds: float) -> str:
    """Return a duration as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"


def show_cost(usd: float | None, calls: int) -> str:
    """Return what model calls have cost."""
    price = "price unknown" if usd is None else f"${usd:.2f}"
    return f"{calls} calls, {price}"
