"""Works through items side by side and hands results over in order.

Not responsible for what an item is or for retries; stages are. The one broad `except` of the house
is here: a fault in one item is reported with its traceback, and the others go on.
"""

import asyncio
import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from synthagent.errors import BudgetExceeded, ConfigError, DataError, ModelAccessDenied

T = TypeVar("T")
R = TypeVar("R")

STOP_ERRORS = (ModelAccessDenied, BudgetExceeded, ConfigError, DataError)
"""What no other item can do better: only the user can mend it."""

WINDOW = 16


async def run_items(
    items: Sequence[T],
    work: Callable[[T], Awaitable[R]],
    *,
    concurrency: int,
    window: int | None = None,
    done: Callable[[T, R], None],
    failed: Callable[[T, BaseException, str], None],
) -> None:
    """Do `work` for all `items`; like `run_stream` with the items known beforehand."""
    remaining = iter(items)
    await run_stream(
        lambda: next(remaining, None),
        work,
        concurrency=concurrency,
        window=max(WINDOW, 2 * concurrency) if window is None else window,
        done=done,
        failed=failed,
    )


async def run_stream(
    next_item: Callable[[], T | None],
    work: Callable[[T], Awaitable[R]],
    *,
    concurrency: int,
    window: int = WINDOW,
    done: Callable[[T, R], None],
    failed: Callable[[T, BaseException, str], None],
) -> None:
    """Do `work` for items that are chosen on the way, until there are none.

    Results reach `done` and `failed` in the order in which items were chosen. Item n is chosen
    when exactly the items up to n - window have been handed over, so which items are chosen depends
    on results only: not on timing, and not on `concurrency`.

    Args:
        next_item: Returns the next item, or None when there is none at present; it is asked again
            after each hand-over and the stream ends when nothing is under way either.
        work: Does one item.
        concurrency: Items at work at once; never more than `window`.
        window: Items chosen but not handed over. Part of what decides the result, so keep it fixed.
        done: Takes a result.
        failed: Takes the error of an item and its traceback.

    Raises:
        SynthError: one of `STOP_ERRORS`, from any item, or what `done`, `failed` and `next_item`
            raise. Items under way are cancelled first, and all results that are next in order
            handed over.
    """
    if concurrency < 1 or window < 1:
        raise ValueError(f"concurrency {concurrency} and window {window} must be at least 1")
    await _Stream(next_item, work, concurrency, window, done, failed).run()


@dataclass(frozen=True, slots=True)
class _Result(Generic[R]):
    value: R


@dataclass(frozen=True, slots=True)
class _Failure:
    error: BaseException
    trace: str


class _Stream(Generic[T, R]):
    """Items chosen and not yet handed over, oldest first."""

    def __init__(
        self,
        next_item: Callable[[], T | None],
        work: Callable[[T], Awaitable[R]],
        concurrency: int,
        window: int,
        done: Callable[[T, R], None],
        failed: Callable[[T, BaseException, str], None],
    ) -> None:
        self._next_item = next_item
        self._work = work
        self._room = asyncio.Semaphore(concurrency)
        self._window = window
        self._done = done
        self._failed = failed
        self._waiting: deque[tuple[T, asyncio.Task[_Result[R] | _Failure]]] = deque()

    async def run(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                self._fill(group)
                while self._waiting:
                    await self._waiting[0][1]
                    self._hand_over()
                    self._fill(group)
        except BaseExceptionGroup as stopped:
            raise _first(stopped) from stopped
        finally:
            while self._waiting and _is_good(self._waiting[0][1]):
                self._hand_over()

    def _fill(self, group: asyncio.TaskGroup) -> None:
        while len(self._waiting) < self._window:
            item = self._next_item()
            if item is None:
                return
            self._waiting.append((item, group.create_task(self._attempt(item))))

    async def _attempt(self, item: T) -> _Result[R] | _Failure:
        await self._room.acquire()
        outcome: _Result[R] | _Failure
        try:
            outcome = _Result(await self._work(item))
        except STOP_ERRORS:
            raise  # its room stays taken, so that nothing starts before the group is cancelled
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # a library cancelled itself inside the item; nobody asked this task to stop
            outcome = _Failure(error, traceback.format_exc())
        except Exception as error:
            outcome = _Failure(error, traceback.format_exc())
        self._room.release()
        return outcome

    def _hand_over(self) -> None:
        item, task = self._waiting.popleft()
        later, self._waiting = self._waiting, deque()  # when a callback raises, nothing follows it
        outcome = task.result()
        if isinstance(outcome, _Failure):
            self._failed(item, outcome.error, outcome.trace)
        else:
            self._done(item, outcome.value)
        self._waiting = later


def _is_good(task: asyncio.Task[object]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
