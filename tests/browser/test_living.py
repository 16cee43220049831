"""What happens when a page, the browser or its owner dies: one name of failure, nothing left."""

import asyncio
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

from synthagent.browser import Browser, leftovers
from synthagent.browser.chromium import find_chromium
from synthagent.config import BrowserConfig
from synthagent.errors import BrowserError, BrowserMissing
from synthagent.records import Origins
from tests.browser.conftest import SITE, Opens

pytestmark = pytest.mark.browser

OWNER = textwrap.dedent(
    """
    import asyncio
    from synthagent.browser import Browser
    from synthagent.config import BrowserConfig

    async def main():
        async with Browser.launch(BrowserConfig()):
            print("up", flush=True)
            await asyncio.sleep(600)

    asyncio.run(main())
    """
)


async def test_crashed_page_is_a_browser_error(opens: Opens, origins: Origins):
    async with Browser.launch(BrowserConfig()) as own:
        async with own.session(origins=origins) as session:
            await session.goto(f"{SITE}/plain.html")
            page = session._tabs.active.page
            crash = asyncio.create_task(page.goto("chrome://crash"))
            await asyncio.wait([crash], timeout=10)
            crash.cancel()
            await asyncio.gather(crash, return_exceptions=True)
            with pytest.raises(BrowserError):
                await session.observe()
        # The browser itself lives on, and so does the next trajectory.
        async with own.session(origins=origins) as session:
            assert (await session.goto(f"{SITE}/plain.html")).status == "ok"


async def test_killed_browser_is_a_browser_error_and_leaves_nothing(origins: Origins):
    async with Browser.launch(BrowserConfig()) as own:
        (found,) = _own_browsers()
        async with own.session(origins=origins) as session:
            await session.goto(f"{SITE}/plain.html")
            process = psutil.Process(found.browser)
            process.kill()
            await asyncio.to_thread(process.wait, 10)
            with pytest.raises(BrowserError):
                await session.observe()
            with pytest.raises(BrowserError):
                await session.goto(f"{SITE}/plain.html")
        assert not own.is_connected
    assert not psutil.pid_exists(found.browser)
    assert not Path(found.profile).exists()
    assert found.token not in {one.token for one in _own_browsers()}


async def test_browser_whose_owner_was_killed_is_swept():
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    assert await asyncio.to_thread(owner.stdout.readline) == "up\n"
    (found,) = [one for one in _remembered() if one.owner == owner.pid]
    drivers = psutil.Process(owner.pid).children()
    assert psutil.pid_exists(found.browser)
    # Without its driver, nobody is left to end the browser in an orderly way.
    for process in [*drivers, psutil.Process(owner.pid)]:
        process.kill()
    owner.wait()
    owner.stdout.close()
    assert leftovers.sweep() >= 1
    assert not leftovers._is_running(found.browser, found.browser_started)
    assert not Path(found.profile).exists()
    assert found.token not in {one.token for one in _remembered()}


def test_sweep_spares_a_living_owner_and_a_number_used_again(tmp_path: Path):
    own = psutil.Process()
    for token, owner_started in (("alive", own.create_time()), ("reused", 1.0)):
        # The recorded browser is this very process, with another start time: it must survive.
        record = leftovers.Remembered(token, own.pid, owner_started, own.pid, 1.0, "")
        leftovers.write(record, tmp_path)
    assert leftovers.sweep(tmp_path) == 1
    assert [path.stem for path in tmp_path.iterdir()] == ["alive"]
    assert own.is_running()


def test_missing_browser_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    with pytest.raises(BrowserMissing, match="no program"):
        find_chromium(BrowserConfig(executable=str(tmp_path / "none")))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PLAYWRIGHT_BROWSERS_PATH", raising=False)
    with pytest.raises(BrowserMissing, match=r"(?s)apt install.*playwright install.*--set"):
        find_chromium(BrowserConfig())


def _remembered() -> list[leftovers.Remembered]:
    return leftovers.remembered()


def _own_browsers() -> list[leftovers.Remembered]:
    """The browsers of this process but the one that all tests share, which is the oldest."""
    mine = [one for one in _remembered() if one.owner == psutil.Process().pid]
    newest = max(mine, key=lambda one: one.browser_started, default=None)
    return [newest] if newest else []
