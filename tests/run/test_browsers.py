"""The pool of browsers: one for all, replaced when it is worn out or has died."""

from collections.abc import AsyncIterator
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


def browsers() -> set[int]:
    """Return the processes of Chromium that belong to this one, without their helpers."""
    found = set()
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # just ended
            words = " ".join(child.cmdline())
            if "--remote-debugging-pipe" in words and "--type=" not in words:
                found.add(child.pid)
    return found


async def lose_browser(pool: BrowserPool, origins: Origins) -> None:
    async with pool.session(origins=origins) as session:
        assert (await session.goto(ORIGIN + "/")).status == "ok"
        for pid in browsers():
            psutil.Process(pid).kill()
        await session.goto(ORIGIN + "/products.html")


async def test_sessions_share_a_browser_until_it_is_worn(origins: Origins) -> None:
    async with BrowserPool(BrowserConfig(sessions_per_browser=2)) as pool:
        first = browsers()
        async with pool.session(origins=origins), pool.session(origins=origins) as two:
            assert browsers() == first
            assert len(first) == 1
            async with pool.session(origins=origins) as three:
                both = browsers()
                assert len(both) == 2, "the worn one serves those that are still at work"
                assert (await two.goto(ORIGIN + "/")).status == "ok"
                assert (await three.goto(ORIGIN + "/")).status == "ok"
        assert browsers() == both - first
    assert browsers() == set()


async def test_a_dead_browser_is_an_infrastructure_fault_and_is_replaced(origins: Origins) -> None:
    async with BrowserPool(BrowserConfig()) as pool:
        with pytest.raises(BrowserError):
            await lose_browser(pool, origins)
        async with pool.session(origins=origins) as session:
            assert (await session.goto(ORIGIN + "/")).status == "ok"
    assert browsers() == set()
