"""Starts and ends one Chromium, and opens sessions in it.

Not responsible for how many are open at once, or for replacing a dead browser; see `run/`.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser as PlaywrightBrowser
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import ProxySettings, async_playwright

from synthagent.browser.chromium import find_chromium, launch_flags
from synthagent.browser.masking import Masker
from synthagent.browser.session import Session
from synthagent.browser.snapshot import Reading
from synthagent.browser.walking import install, script
from synthagent.config import BrowserConfig
from synthagent.errors import BrowserError
from synthagent.records.actions import DialogAnswer
from synthagent.records.origins import Origins

DEAD_PROXY = "http://127.0.0.1:9"
"""Port 9 takes nothing: whatever is not on the site ends here, redirects and sockets included."""
CLOSE_SECONDS = 10.0


class Browser:
    """One Chromium process."""

    def __init__(self, browser: PlaywrightBrowser, config: BrowserConfig) -> None:
        self._browser = browser
        self._config = config

    @classmethod
    @asynccontextmanager
    async def launch(cls, config: BrowserConfig) -> AsyncIterator["Browser"]:
        """Start a Chromium and end it with the context.

        Raises:
            BrowserMissing: none was found.
            BrowserError: it does not start.
        """
        path = find_chromium(config)
        async with async_playwright() as playwright:
            await install(playwright)
            try:
                browser = await playwright.chromium.launch(
                    executable_path=str(path), headless=config.headless, args=launch_flags()
                )
            except PlaywrightError as error:
                raise BrowserError(f"{path} does not start: {error.message[:500]}") from error
            try:
                yield cls(browser, config)
            finally:
                with suppress(PlaywrightError, TimeoutError):
                    async with asyncio.timeout(CLOSE_SECONDS):
                        await browser.close()

    @property
    def is_connected(self) -> bool:
        """Return whether the process is alive."""
        return self._browser.is_connected()

    @asynccontextmanager
    async def session(
        self,
        *,
        origins: Origins,
        storage_state: dict[str, Any] | None = None,
        secrets: Mapping[str, str] | None = None,
        read_only: bool = False,
        files: Path | None = None,
        dialog: DialogAnswer = "accept",
        volatile_query: frozenset[str] = frozenset(),
        volatile_text: tuple[str, ...] = (),
    ) -> AsyncIterator[Session]:
        """Open a context of its own, closed at the end.

        Args:
            origins: The site; nothing else can be reached.
            storage_state: Cookies and storage of a logged-in role.
            secrets: Values behind the placeholders `{{name}}`.
            read_only: Let only GET, HEAD and OPTIONS leave the browser.
            files: Folder that uploads may take files from.
            dialog: Answer to confirm dialogs.
            volatile_query: Query keys that say nothing about the page.
            volatile_text: Patterns of text that changes by itself.

        Raises:
            BrowserError: the browser has died.
        """
        masker = Masker(secrets or {})
        reading = Reading(origins, masker, volatile_query, tuple(map(re.compile, volatile_text)))
        beat = f"synth-{token_hex(8)}"
        try:
            context = await self._browser.new_context(
                viewport={"width": self._config.width, "height": self._config.height},
                device_scale_factor=1,
                locale=self._config.locale,
                timezone_id=self._config.timezone,
                reduced_motion="reduce",
                color_scheme="light",
                service_workers="block",
                accept_downloads=True,
                storage_state=storage_state,  # type: ignore[arg-type]  # a file of Playwright's own
                proxy=fence(origins),
            )
        except PlaywrightError as error:
            raise BrowserError(f"no session could be opened: {error.message[:300]}") from error
        try:
            await context.add_init_script(script("early.js").replace("BEAT", f"'{beat}'"))
            session = Session(context, self._config, reading, beat, files=files, dialog=dialog)
            await session.open(read_only=read_only)
            yield session
        except PlaywrightError as error:
            raise BrowserError(f"the session broke: {error.message[:300]}") from error
        finally:
            with suppress(PlaywrightError, TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await context.close()


def fence(origins: Origins) -> ProxySettings:
    """Return the proxy that lets a session reach the origins of its site and nothing else."""
    hosts = sorted({urlsplit(origin).netloc for origin in origins.actual_origins})
    # Rules are read from the last to the first: the loopback rule must not come after the hosts.
    return {"server": DEAD_PROXY, "bypass": ",".join(["<-loopback>", *hosts])}
