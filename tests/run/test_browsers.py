"""The pool of browsers: one for all, replaced when it is worn out or has died."""

from collections.abc import AsyncIterator, Set
from contextlib import suppress

import psutil
import pytest

from synthagent.config import BrowserConfig
from synthagent.errors import BrowserError
from synthagent.records.origins import Origins
from synthagent.run import BrowserPool
from tests.fixtures.corner_shop import ORIGIN, corner_shop

pytestmark = pytest.mark.browser


@pytest.fixture
async def origins() -> AsyncIterator[Origins]:
    with corner_shop() as url:
        yield Origins(pairs=((ORIGIN, url),))


@pytest.fixture
def others() -> set[int]:
    """Browsers that other tests of this process have open; none of our business."""
    return browsers()


def browsers(others: Set[int] = frozenset()) -> set[int]:
    """Return the processes of Chromium that belong to this one, without their helpers."""
    found: dict[int, int] = {}
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # just ended
            words = " ".join(child.cmdline())
            if "--remote-debugging-pipe" in words and "--type=" not in words:
                found[child.pid] = child.ppid()
    # A script around the browser, or a fork of it, has the same words: one browser all the same.
    return {pid for pid, parent in found.items() if parent not in found} - others


async def lose_browser(pool: BrowserPool, origins: Origins, others: Set[int]) -> None:
    async with pool.session(origins=origins) as session:
        assert (await session.goto(ORIGIN + "/")).status == "ok"
        for pid in browsers(others):
            for process in [*psutil.Process(pid).children(recursive=True), psutil.Process(pid)]:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
        await session.goto(ORIGIN + "/products.html")


async def test_sessions_share_a_browser_until_it_is_worn(
    origins: Origins, others: set[int]
) -> None:
    async with BrowserPool(BrowserConfig(sessions_per_browser=2)) as pool:
        first = browsers(others)
        async with pool.session(origins=origins), pool.session(origins=origins) as two:
            assert browsers(others) == first
            assert len(first) == 1
            async with pool.session(origins=origins) as three:
                both = browsers(others)
                assert len(both) == 2, "the worn one serves those that are still at work"
                assert (await two.goto(ORIGIN + "/")).status == "ok"
                assert (await three.goto(ORIGIN + "/")).status == "ok"
        assert browsers(others) == both - first
    assert browsers(others) == set()


async def test_a_dead_browser_is_an_infrastructure_fault_and_is_replaced(
    origins: Origins, others: set[int]
) -> None:
    async with BrowserPool(BrowserConfig()) as pool:
        with pytest.raises(BrowserError):
            await lose_browser(pool, origins, others)
        async with pool.session(origins=origins) as session:
            assert (await session.goto(ORIGIN + "/")).status == "ok"
    assert browsers(others) == set()
