"""Keeps the tabs of a session: which are open, which is active, and what happens in them.

Not responsible for reading pages. New windows become active, unless what was clicked changed its
own page: then the window is an advert beside it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any

from playwright.async_api import BrowserContext, Dialog, Download, Page, Response
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Request as SentRequest

from synthagent.browser.attempt import DONE, Attempt, rejected
from synthagent.browser.deadlines import is_dead
from synthagent.browser.dialogs import DialogPolicy, answer_dialog
from synthagent.browser.masking import Masker
from synthagent.browser.network import Network
from synthagent.browser.record import Recorder
from synthagent.browser.tabs import Tab
from synthagent.errors import BrowserError
from synthagent.records import Dialog as SeenDialog
from synthagent.records.actions import DialogAnswer

MESSAGE_MAX = 500


class TabList:
    """The open tabs, in order of opening."""

    def __init__(
        self,
        context: BrowserContext,
        policy: DialogPolicy,
        network: Network,
        masker: Masker,
        viewport: tuple[int, int],
    ) -> None:
        self._context = context
        self._policy = policy
        self._network = network
        self._masker = masker
        self._viewport = viewport
        self._tabs: list[Tab] = []
        self._recent: list[Tab] = []
        self._fresh: list[Tab] = []
        self._recorder: Recorder | None = None
        self._wanted_answer: DialogAnswer | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_own = False
        self._is_open = True

    def __iter__(self) -> Iterator[Tab]:
        return iter(self._tabs)

    @property
    def is_empty(self) -> bool:
        """Whether the page has closed the last tab."""
        return not self._tabs

    @property
    def active(self) -> Tab:
        """The tab that is looked at and acted on.

        Raises:
            BrowserError: no tab is left: the browser has gone.
        """
        if not self._recent:
            raise BrowserError("no tab is left; the browser has gone")
        return self._recent[-1]

    @property
    def fresh(self) -> tuple[Tab, ...]:
        """The tabs that the action under way has opened and that are still open."""
        return tuple(tab for tab in self._fresh if not tab.page.is_closed())

    async def open_first(self) -> None:
        """Open the first tab."""
        self._context.on("page", self._came)
        await self.open_new()

    async def open_new(self) -> None:
        """Open an empty tab and make it active."""
        self._is_own = True
        try:
            page = await self._context.new_page()
        finally:
            self._is_own = False
        await self.adopted()
        tab = next(one for one in self._tabs if one.page is page)
        self._activate(tab)
        self._fresh = [one for one in self._fresh if one is not tab]

    def begin(self, recorder: Recorder, wanted: DialogAnswer | None) -> Recorder:
        """Record what happens from now on into `recorder`, and return it."""
        self._recorder = self._network.recorder = recorder
        self._wanted_answer = wanted
        self._fresh = []
        return recorder

    def end(self) -> None:
        """Record no more."""
        self._recorder = self._network.recorder = None
        self._wanted_answer = None

    def stop(self) -> None:
        """Take no more part in what happens."""
        self._is_open = False
        self.end()
        for task in self._tasks:
            task.cancel()

    def switch(self, index: int) -> Attempt:
        """Make the tab with this index active."""
        if index >= len(self._tabs):
            last = len(self._tabs) - 1
            return rejected("bad_value", f"there is no tab {index}; the last one is {last}")
        self._activate(self._tabs[index])
        return DONE

    async def close_active(self) -> Attempt:
        """Close the active tab, unless it is the only one."""
        if len(self._tabs) == 1:
            return rejected("bad_value", "this is the only tab; it stays open")
        await self.active.page.close()
        return DONE

    async def adopted(self) -> None:
        """Wait until tabs that have just come are followed."""
        while waiting := [task for task in self._tasks if not task.done()]:
            await asyncio.wait(waiting, timeout=5)
            if any(not task.done() for task in waiting):
                return

    async def choose(self, before: Tab, has_changed: Callable[[], Awaitable[bool]]) -> None:
        """Decide which tab is active after an action that began in `before`."""
        for tab in self.fresh:
            if self._recorder and self._recorder.blocked and tab.page.url in {"about:blank", ""}:
                await tab.page.close()
        fresh = self.fresh
        if fresh and before in self._tabs and not await has_changed():
            self._activate(fresh[-1])
        if not self._tabs and self._is_open:
            await self.open_new()

    def _activate(self, tab: Tab) -> None:
        if tab in self._recent:
            self._recent.remove(tab)
        self._recent.append(tab)

    def _came(self, page: Page) -> None:
        tab = Tab(page)
        tab.on_request = self._on_request
        tab.on_response = self._on_response
        tab.on_commit = self._on_commit
        self._tabs.append(tab)
        self._recent.insert(0, tab)
        tab.follow()
        page.on("dialog", self._on_dialog)
        page.on("download", lambda download: self._on_download(tab, download))
        page.on("close", lambda _: self._on_close(tab))
        if not self._is_own:
            for other in self._tabs:
                other.window_came()
            self._fresh.append(tab)
            if self._recorder is not None:
                self._recorder.new_tabs += 1
        self._start(self._adopt(tab))

    async def _adopt(self, tab: Tab) -> None:
        try:
            await tab.listen(self._viewport)
        except PlaywrightError as error:
            # A window may close itself before anybody has looked at it.
            if not is_dead(error) and not tab.page.is_closed():
                raise

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_request(self, tab: Tab, request: SentRequest) -> None:
        del tab
        self._network.note(request)

    def _on_response(self, tab: Tab, response: Response) -> None:
        if self._recorder is None:
            return
        self._recorder.statuses[response.request] = response.status
        if tab.is_own_navigation(response.request):
            self._recorder.document_status = response.status

    def _on_commit(self, tab: Tab) -> None:
        if self._recorder is not None and (tab is self.active or tab in self._fresh):
            self._recorder.committed += 1

    def _on_dialog(self, dialog: Dialog) -> None:
        answer = self._policy.answer(dialog.type, self._wanted_answer)
        if self._recorder is not None:
            message = self._masker.text(dialog.message)[:MESSAGE_MAX]
            self._recorder.dialogs.append(
                SeenDialog(type=dialog.type, message=message, answer=answer)
            )
        self._start(answer_dialog(dialog, answer, self._policy))

    def _on_download(self, tab: Tab, download: Download) -> None:
        tab.download_came()
        if self._recorder is not None:
            self._recorder.downloads.append(self._masker.text(download.suggested_filename))
        self._start(_drop(download))

    def _on_close(self, tab: Tab) -> None:
        if tab in self._tabs:
            self._tabs.remove(tab)
            self._recent.remove(tab)
            if self._recorder is not None:
                self._recorder.closed_tabs += 1


async def _drop(download: Download) -> None:
    """Stop a download: that it came is what counts, and nothing is kept on disk."""
    try:
        await download.cancel()
    except PlaywrightError as error:
        if not is_dead(error):
            raise
