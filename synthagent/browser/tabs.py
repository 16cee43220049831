"""Follows what goes on in one tab: navigations, requests under way, windows it opens, crashes.

Not responsible for deciding when it is quiet; see `settle.py`.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from playwright.async_api import CDPSession, Frame, Page, Response
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Request as SentRequest

AWAITED = frozenset({"document", "script", "stylesheet", "xhr", "fetch"})
LONG_POLL = 2.0
"""Seconds after which a request counts as one that never ends."""
TITLE_SECONDS = 1.0
ANNOUNCED = 1.0
"""Seconds that a navigation or window may take from its announcement to its first sign."""


class Tab:
    """One tab of a session."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.cdp: CDPSession | None = None
        self.is_crashed = False
        self.commits = 0
        self.last_network = 0.0
        self.on_request: Callable[[Tab, SentRequest], None] | None = None
        self.on_response: Callable[[Tab, Response], None] | None = None
        self.on_commit: Callable[[Tab], None] | None = None
        self._under_way: dict[SentRequest, float] = {}
        self._navigation: SentRequest | None = None
        self._announced = 0.0
        self._window_announced = 0.0
        self._main_frame = ""

    def follow(self) -> None:
        """Begin to follow the events that need no question."""
        page = self.page
        page.on("request", self._requested)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)
        page.on("response", self._responded)
        page.on("framenavigated", self._navigated)
        page.on("crash", self._crashed)

    async def listen(self, viewport: tuple[int, int]) -> None:
        """Give the tab the size of all tabs, and follow announcements of the browser itself."""
        if self.page.viewport_size != {"width": viewport[0], "height": viewport[1]}:
            await self.page.set_viewport_size({"width": viewport[0], "height": viewport[1]})
        cdp = await self.page.context.new_cdp_session(self.page)
        cdp.on("Page.frameRequestedNavigation", self._announce)
        cdp.on("Page.frameScheduledNavigation", self._announce)
        cdp.on("Page.frameClearedScheduledNavigation", self._withdraw)
        cdp.on("Page.windowOpen", self._announce_window)
        await cdp.send("Page.enable")
        tree = await cdp.send("Page.getFrameTree")
        self._main_frame = tree["frameTree"]["frame"]["id"]
        self.cdp = cdp

    async def title(self) -> str:
        """Return the title, empty when the tab does not tell it at once."""
        try:
            async with asyncio.timeout(TITLE_SECONDS):
                return await self.page.title()
        except (TimeoutError, PlaywrightError):
            return ""

    @property
    def is_navigating(self) -> bool:
        """Whether the tab is on its way to another document."""
        if self._navigation is not None:
            return True
        return self._announced > 0 and time.monotonic() - self._announced < ANNOUNCED

    @property
    def awaits_window(self) -> bool:
        """Whether a window was announced that has not come yet."""
        since = self._window_announced
        return since > 0 and time.monotonic() - since < ANNOUNCED

    @property
    def busy(self) -> int:
        """How many requests are under way that the page is likely to wait for."""
        oldest = time.monotonic() - LONG_POLL
        return sum(
            started > oldest and request.resource_type in AWAITED
            for request, started in self._under_way.items()
        )

    def expect_window(self) -> None:
        """Take note that the next action may open a window without an announcement."""
        self._window_announced = time.monotonic() - ANNOUNCED + 0.3

    def window_came(self) -> None:
        """Take note that the announced window is there."""
        self._window_announced = 0.0

    def download_came(self) -> None:
        """Take note that a navigation turned out to be a download."""
        self._navigation = None
        self._announced = 0.0

    def _announce(self, event: dict[str, Any]) -> None:
        if event.get("frameId") != self._main_frame or event.get("delay", 0) > 1:
            return
        if event.get("disposition", "currentTab") == "currentTab":
            self._announced = time.monotonic()

    def _withdraw(self, event: dict[str, Any]) -> None:
        if event.get("frameId") == self._main_frame and self._navigation is None:
            # Also sent when the navigation begins in earnest: leave it a moment to do so.
            self._announced = min(self._announced, time.monotonic() - ANNOUNCED + 0.3)

    def _announce_window(self, event: dict[str, Any]) -> None:
        del event
        self._window_announced = time.monotonic()

    def _requested(self, request: SentRequest) -> None:
        self._under_way[request] = self.last_network = time.monotonic()
        if self.is_own_navigation(request):
            self._navigation = request
        if self.on_request is not None:
            self.on_request(self, request)

    def _responded(self, response: Response) -> None:
        if self.on_response is not None:
            self.on_response(self, response)
        if response.status in {204, 205} and response.request is self._navigation:
            self.download_came()

    def _ended(self, request: SentRequest) -> None:
        self._under_way.pop(request, None)
        self.last_network = time.monotonic()
        if request is self._navigation and request.failure is not None:
            self._navigation = None
            self._announced = 0.0

    def _navigated(self, frame: Frame) -> None:
        if frame.parent_frame is not None:
            return
        self.commits += 1
        self.last_network = time.monotonic()
        self._navigation = None
        self._announced = 0.0
        self._under_way.clear()
        if self.on_commit is not None:
            self.on_commit(self)

    def _crashed(self, page: Page) -> None:
        del page
        self.is_crashed = True

    def is_own_navigation(self, request: SentRequest) -> bool:
        """Return whether `request` is for a document of the tab itself, not of a frame in it."""
        if not request.is_navigation_request():
            return False
        return request.frame.parent_frame is None
