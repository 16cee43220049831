"""The runner: what is chosen and handed over depends on results only, not on timing."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthagent.errors import (
    BudgetExceeded,
    ConfigError,
    DataError,
    ModelAccessDenied,
    ModelUnavailable,
    SiteUnreachable,
)
from synthagent.journal import run_items, run_stream


class Book:
    """Writes down what was handed over."""

    def __init__(self):
        self.entries = []

    def done(self, item, result):
        self.entries.append((item, result))

    def failed(self, item, error, trace):
        assert type(error).__name__ in trace
        self.entries.append((item, type(error).__name__))


async def pause(turns):
    """Let the event loop go round, as a stand-in for work that takes longer or shorter."""
    for _ in range(turns):
        await asyncio.sleep(0)


@settings(deadline=None, max_examples=50)
@given(
    delays=st.lists(st.integers(0, 9), min_size=1, max_size=30),
    concurrency=st.integers(1, 8),
    window=st.integers(1, 12),
)
def test_results_are_handed_over_in_order_whatever_the_timing(delays, concurrency, window):
    book = Book()
    running = 0
    most = 0

    async def work(item):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await pause(delays[item])
        running -= 1
        if item % 5 == 4:
            raise SiteUnreachable("down")
        return item * 2

    room = {"concurrency": concurrency, "window": window}
    asyncio.run(run_items(range(len(delays)), work, **room, done=book.done, failed=book.failed))
    assert book.entries == [
        (item, "SiteUnreachable" if item % 5 == 4 else item * 2) for item in range(len(delays))
    ]
    assert most <= min(concurrency, window)
    assert running == 0


def explore(delays, concurrency, window=4):
    """Walk a tree whose children show only when their parent is handed over."""
    frontier, chosen, book = [1], [], Book()

    def choose():
        if not frontier:
            return None
        chosen.append(frontier.pop())  # depends on all that was handed over so far
        return chosen[-1]

    async def work(number):
        await pause(delays[number % len(delays)])
        return [child for child in (2 * number, 2 * number + 1) if child < 64]

    def done(number, children):
        frontier.extend(children)
        book.done(number, children)

    room = {"concurrency": concurrency, "window": window}
    asyncio.run(run_stream(choose, work, **room, done=done, failed=book.failed))
    return chosen, book.entries


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=20), st.integers(1, 6))
def test_what_is_chosen_depends_neither_on_timing_nor_on_concurrency(delays, concurrency):
    chosen, entries = explore(delays, concurrency)
    assert (chosen, entries) == explore([0], 1)
    assert sorted(chosen) == list(range(1, 64))


@pytest.mark.parametrize("error", [ModelAccessDenied, BudgetExceeded, ConfigError, DataError])
async def test_what_only_the_user_can_mend_stops_the_run(error):
    book, cancelled, started = Book(), [], []

    async def work(item):
        started.append(item)
        if item == 5:
            await pause(20)
            raise error("stop")
        try:
            await (asyncio.Event().wait() if item in (3, 6) else pause(1))
        except asyncio.CancelledError:
            cancelled.append(item)
            raise
        return item

    with pytest.raises(error, match="stop"):
        await run_items(
            range(100), work, concurrency=3, window=8, done=book.done, failed=book.failed
        )
    assert book.entries == [(0, 0), (1, 1), (2, 2)]
    assert sorted(cancelled) == [3, 6]
    assert max(started) <= 10


async def test_results_that_are_next_in_order_are_handed_over_before_the_stop():
    book, gate = Book(), asyncio.Event()

    async def work(item):
        if item == 2:
            gate.set()
            raise BudgetExceeded("enough")
        await gate.wait()
        return item

    with pytest.raises(BudgetExceeded):
        await run_items(range(3), work, concurrency=3, done=book.done, failed=book.failed)
    assert book.entries in ([], [(0, 0)], [(0, 0), (1, 1)])

    book, steps = Book(), []

    async def quick(item):
        steps.append(item)
        if item == 2:
            raise BudgetExceeded("enough")
        return item

    with pytest.raises(BudgetExceeded):
        await run_items(range(9), quick, concurrency=1, done=book.done, failed=book.failed)
    assert book.entries == [(0, 0), (1, 1)]
    assert steps == [0, 1, 2]


async def test_cancelling_the_run_cancels_what_is_under_way_and_keeps_what_is_finished():
    book, cancelled, reached = Book(), [], asyncio.Event()

    async def work(item):
        if item < 2:
            return item
        reached.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(item)
            raise

    running = asyncio.create_task(
        run_items(range(9), work, concurrency=2, done=book.done, failed=book.failed)
    )
    await reached.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert book.entries == [(0, 0), (1, 1)]
    assert cancelled in ([2], [2, 3])


async def test_a_library_that_cancels_itself_fails_one_item_only():
    book = Book()

    async def work(item):
        if item == 1:
            raise asyncio.CancelledError
        if item == 2:
            async with asyncio.timeout(0):
                await asyncio.Event().wait()
        return item

    await run_items(range(4), work, concurrency=2, done=book.done, failed=book.failed)
    assert book.entries == [(0, 0), (1, "CancelledError"), (2, "TimeoutError"), (3, 3)]


@pytest.mark.parametrize("error", [ValueError("bug"), ModelUnavailable("busy"), RecursionError()])
async def test_a_fault_of_one_item_is_reported_and_the_others_go_on(error):
    book = Book()

    async def work(item):
        if item == 0:
            raise error
        return item

    await run_items(range(3), work, concurrency=1, done=book.done, failed=book.failed)
    assert book.entries == [(0, type(error).__name__), (1, 1), (2, 2)]


async def test_a_result_that_cannot_be_stored_ends_the_run_and_nothing_follows_it():
    seen = []

    def done(item, _):
        seen.append(item)
        if item == 1:
            raise DataError("disk full")

    async def work(item):
        return item

    with pytest.raises(DataError, match="disk full"):
        await run_items(range(5), work, concurrency=5, done=done, failed=Book().failed)
    assert seen == [0, 1]
    await asyncio.sleep(0)  # no cancellation is left over from the stopped run


async def test_an_error_in_choosing_is_raised_as_it_is():
    def choose():
        raise KeyError("frontier")

    async def work(item):
        return item

    with pytest.raises(KeyError):
        await run_stream(choose, work, concurrency=1, done=Book().done, failed=Book().failed)


@pytest.mark.parametrize(("concurrency", "window"), [(0, 1), (1, 0), (-1, 5)])
async def test_no_room_is_an_error_not_a_standstill(concurrency, window):
    async def work(item):
        return item

    room = {"concurrency": concurrency, "window": window}
    with pytest.raises(ValueError, match="at least 1"):
        await run_items([1], work, **room, done=Book().done, failed=Book().failed)
