"""How many requests run at once, and how fast they follow each other, at one endpoint.

Not responsible for retries: it only makes callers wait before they send.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

WINDOW = 60.0
"""Seconds over which the rate that a server allows is measured."""
SAMPLE = 8
"""Answers needed to measure a rate."""
FIRST_INTERVAL = 0.05
"""Seconds between two starts when there is nothing to measure by."""


class Pace:
    """Adds to the concurrency while all goes well, halves it on a refusal (AIMD).

    A rate limit also stops all starts for as long as the server asks, then spaces them by the
    rate that got through before; the space shrinks slowly, to find a higher limit again.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._limit = float(most)
        self._active = 0
        self._interval = 0.0
        self._next_start = 0.0
        self._backed_off = 0.0
        self._first: float | None = None
        self._passed: deque[float] = deque()
        self._changed = asyncio.Condition()
        self._turn = asyncio.Lock()

    @property
    def limit(self) -> int:
        """Return how many requests may run at once now."""
        return max(1, int(self._limit))

    @property
    def interval(self) -> float:
        """Return the seconds between two starts."""
        return self._interval

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Wait for a turn to send; gives the moment of the start."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._active < self.limit)
            self._active += 1
        try:
            await self._wait_for_turn()
            started = time.monotonic()
            self._first = self._first or started
            yield started
        finally:
            async with self._changed:
                self._active -= 1
                self._changed.notify_all()

    async def _wait_for_turn(self) -> None:
        async with self._turn:  # one after the other, in the order of asking
            due = self._next_start
            while (wait := due - time.monotonic()) > 0:
                await asyncio.sleep(wait)
                due = self._next_start  # a refusal may have moved it meanwhile
            self._next_start = max(due, time.monotonic()) + self._interval

    def passed(self) -> None:
        """Take note of a request that was answered."""
        now = time.monotonic()
        self._passed.append(now)
        while self._passed and self._passed[0] < now - WINDOW:
            self._passed.popleft()
        self._limit = min(self._most, self._limit + 1 / self._limit)
        self._interval *= 0.998

    def refused(self, started: float, wait: float | None, *, rate: bool) -> None:
        """Take note of a rate limit or an overload, of a request begun at `started`.

        Refusals of requests that were on their way before the last slowing down do not count
        again; they only move the next start.
        """
        now = time.monotonic()
        if wait is not None:
            self._next_start = max(self._next_start, now + wait)
        if started <= self._backed_off:
            return
        self._backed_off = now
        self._limit = max(1.0, self._limit / 2)
        if rate:
            # What got through until now has to last until the server takes requests again.
            span = min(WINDOW, now - (self._first or now) + (wait or 0.0))
            enough = len(self._passed) >= SAMPLE
            measured = 1.1 * span / len(self._passed) if enough else 0.0
            self._interval = measured or max(self._interval, FIRST_INTERVAL)
