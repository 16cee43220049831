"""Starts one Chromium and hands out sessions in it.

Not responsible for what happens in a session; see `session.py`. Ends what it started, always.
"""

import asyncio
import contextlib
import secrets as tokens
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Browser as PlaywrightBrowser
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright

from synthagent.browser import leftovers
from synthagent.browser.chromium import find_chromium, launch_flags
from synthagent.browser.deadlines import deadline
from synthagent.browser.hashing import Volatile
from synthagent.browser.session import DialogPolicy, Session, SessionOptions
from synthagent.browser.walking import install, script
from synthagent.config import BrowserConfig
from synthagent.errors import BrowserError
from synthagent.records import Origins

LAUNCH_SECONDS = 60.0
CLOSE_SECONDS = 10.0
ANSWER_ALL = DialogPolicy()


class Browser:
    """One Chromium process; make it with `launch`."""

    def __init__(self, browser: PlaywrightBrowser, config: BrowserConfig) -> None:
        self._browser = browser
        self._config = config

    @classmethod
    @asynccontextmanager
    async def launch(
        cls, config: BrowserConfig, *, hosts: tuple[str, ...] = ()
    ) -> "AsyncIterator[Browser]":
        """Start Chromium and end it afterwards, with its processes and its profile.

        Args:
            config: The settings.
            hosts: When given, no other host name can be resolved at all by this browser.

        Raises:
            BrowserMissing: there is no Chromium.
            BrowserError: it does not start.
        """
        executable = find_chromium(config)
        leftovers.sweep()
        token = tokens.token_hex(8)
        started = async_playwright()
        async with deadline(LAUNCH_SECONDS, "starting the browser's driver"):
            playwright = await started.start()
        remembered = None
        try:
            async with deadline(LAUNCH_SECONDS, f"starting {executable}"):
                await install(playwright)
                browser = await playwright.chromium.launch(
                    executable_path=executable,
                    headless=config.headless,
                    args=[*launch_flags(hosts), leftovers.MARKER + token],
                    handle_sigint=False,
                    handle_sigterm=False,
                    handle_sighup=False,
                    timeout=LAUNCH_SECONDS * 1000,
                )
            remembered = leftovers.remember(token)
            try:
                yield cls(browser, config)
            finally:
                await _bounded(browser.close())
        finally:
            await _bounded(playwright.stop())
            if remembered is not None:
                leftovers.end(remembered)

    @property
    def is_connected(self) -> bool:
        """Whether the process is there and answers."""
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
        dialog: DialogPolicy = ANSWER_ALL,
        volatile_query: frozenset[str] = frozenset(),
        volatile_text: tuple[str, ...] = (),
    ) -> AsyncIterator[Session]:
        """Open a context for one trajectory and close it afterwards.

        Args:
            origins: The only addresses that can be reached.
            storage_state: Cookies and storage of a logged-in account.
            secrets: What `{{name}}` in typed text stands for; never shows in what comes out.
            read_only: Send nothing but GET, HEAD and OPTIONS.
            files: Folder with the files that can be uploaded.
            dialog: How native dialogs are answered.
            volatile_query: Query keys that say nothing about which page it is.
            volatile_text: Patterns of text that differs between two equal looks.

        Raises:
            BrowserError: the context cannot be opened.
        """
        options = SessionOptions(
            origins,
            storage_state,
            dict(secrets or {}),
            read_only,
            files,
            dialog,
            Volatile(volatile_query, volatile_text),
        )
        if not self._browser.is_connected():
            raise BrowserError("the browser has gone; start another one")
        async with deadline(self._config.navigation_seconds, "opening a context"):
            session = await Session.open(self._browser, self._config, options, script("early.js"))
        try:
            yield session
        finally:
            await _bounded(session.close())


async def _bounded(closing: Any) -> None:
    """Await a close that must not stop the closing of what lies around it."""
    with contextlib.suppress(TimeoutError, PlaywrightError):
        async with asyncio.timeout(CLOSE_SECONDS):
            await closing
