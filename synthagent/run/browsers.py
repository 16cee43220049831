"""One browser for all sessions of a run, replaced when it has crashed or is worn out.

Bounds nothing: how many sessions are open at once is up to the site pool.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from synthagent.browser import Browser, Session
from synthagent.config import BrowserConfig
from synthagent.errors import BrowserError
from synthagent.records.origins import Origins
from synthagent.sites.spec import Volatile


@dataclass(slots=True)
class _Running:
    browser: Browser
    stack: AsyncExitStack
    opened: int = 0
    at_work: int = 0
    is_retired: bool = False


class BrowserPool:
    """Hands out sessions; use it as an async context manager."""

    def __init__(self, config: BrowserConfig, volatile: Volatile = Volatile()) -> None:  # noqa: B008 -- frozen
        """Make a pool; `volatile` tells what of the site differs between two equal looks."""
        self._config = config
        self._volatile = volatile
        self._present: _Running | None = None
        self._retired: list[_Running] = []
        self._launching = asyncio.Lock()

    async def __aenter__(self) -> Self:
        """Launch the first browser, so that a missing one is noticed at once."""
        await self._browser()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._retire()
        for running in list(self._retired):
            await self._close(running)

    @asynccontextmanager
    async def session(
        self,
        *,
        origins: Origins,
        storage_state: dict[str, Any] | None = None,
        secrets: Mapping[str, str] | None = None,
        read_only: bool = False,
    ) -> AsyncIterator[Session]:
        """Open a session that is closed at the end of the context.

        Raises:
            BrowserError: the browser does not start, or failed while the session was in use; the
                next session gets another one.
        """
        running = await self._browser()
        running.opened += 1
        running.at_work += 1
        try:
            async with running.browser.session(
                origins=origins,
                storage_state=storage_state,
                secrets=secrets,
                read_only=read_only,
                volatile_query=frozenset(self._volatile.query),
                volatile_text=self._volatile.text,
            ) as session:
                yield session
        except BrowserError:
            if not running.browser.is_connected:
                self._retire(running)
            raise
        finally:
            running.at_work -= 1
            if running.is_retired and running.at_work == 0:
                await self._close(running)

    async def _browser(self) -> _Running:
        async with self._launching:
            present = self._present
            if present is not None and (
                present.opened >= self._config.sessions_per_browser
                or not present.browser.is_connected
            ):
                self._retire(present)
                if present.at_work == 0:
                    await self._close(present)
            if self._present is None:
                stack = AsyncExitStack()
                browser = await stack.enter_async_context(Browser.launch(self._config))
                self._present = _Running(browser, stack)
            return self._present

    def _retire(self, running: _Running | None = None) -> None:
        """Hand out no more sessions of a browser; those at work go on if they can."""
        running = running or self._present
        if running is not None and not running.is_retired:
            running.is_retired = True
            self._retired.append(running)
            if self._present is running:
                self._present = None

    async def _close(self, running: _Running) -> None:
        if running in self._retired:
            self._retired.remove(running)
            await running.stack.aclose()
