"""One browser context, one trajectory: tabs, looks, and actions with what came of them.

Not responsible for how each action is carried out (`actions.py`) or for what a page means.
"""

import asyncio
import re
import time
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.async_api import BrowserContext, Download, Route
from playwright.async_api import Dialog as PlaywrightDialog
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page as PlaywrightPage

from synthagent.blobs import BlobStore
from synthagent.browser.actions import Done, perform
from synthagent.browser.marks import to_webp
from synthagent.browser.rendering import render
from synthagent.browser.settle import settle
from synthagent.browser.snapshot import Known, Reading, Snapshot, build_page
from synthagent.browser.traffic import HARMLESS_METHODS, Traffic
from synthagent.browser.walking import ask, read_page
from synthagent.config import BrowserConfig
from synthagent.errors import BrowserError
from synthagent.records import Action, ActionError, Dialog, Goto, Observation, Outcome, Page, Tab
from synthagent.records.actions import DialogAnswer

ACTION_DEADLINE = 30.0
LOOK_DEADLINE = 20.0
PICTURE_SECONDS = 5.0
LOOK_TRIES = 4
PAUSE = 0.1


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the active tab."""

    page: Page
    text: str
    """What the agent reads."""
    screenshot: bytes | None
    """The viewport as WebP; None when it was not asked for or could not be taken."""

    def observation(self, blobs: BlobStore) -> Observation:
        """Store page and picture, and return what is kept of the look."""
        picture = blobs.put(self.screenshot, ".webp") if self.screenshot is not None else None
        return Observation(
            url=self.page.url,
            title=self.page.title,
            text=self.text,
            content_hash=self.page.content_hash,
            view_hash=self.page.view_hash,
            structure_key=self.page.structure_key,
            page=blobs.put_page(self.page),
            screenshot=picture,
            tabs=max(1, len(self.page.tabs)),
        )


class Session:
    """A context with its tabs; made by `Browser.session`."""

    def __init__(
        self,
        context: BrowserContext,
        config: BrowserConfig,
        reading: Reading,
        beat: str,
        *,
        files: Path | None,
        dialog: DialogAnswer,
    ) -> None:
        self.config = config
        self.reading = reading
        self.files = files
        self.traffic = Traffic(reading.origins, reading.masker)
        self.next_dialog: DialogAnswer | None = None
        """Answer to the dialogs of the action under way."""
        self._context = context
        self._beat = beat
        self._dialog = dialog
        self._tabs: list[PlaywrightPage] = []
        self._recent: list[PlaywrightPage] = []
        self._dialogs: list[Dialog] = []
        self._downloads: list[str] = []
        self._crashed = False
        self._known = Known()
        self._snapshot: Snapshot | None = None
        self._is_fresh = False

    async def open(self, *, read_only: bool) -> None:
        """Open the first tab and begin to listen; called once."""
        self._context.set_default_timeout(self.config.action_seconds * 1000)
        self._context.set_default_navigation_timeout(self.config.navigation_seconds * 1000)
        self.traffic.listen(self._context)
        self._context.on("page", self._on_page)
        self._context.on("dialog", self._on_dialog)
        if read_only:
            await self._context.route("**/*", self._only_reading)
        await self._context.new_page()

    # -- looking ------------------------------------------------------------------------------

    async def observe(self, *, screenshot: bool = True) -> Look:
        """Return what the active tab shows.

        Raises:
            BrowserError: the page crashed, or could not be read within the deadline.
        """
        snapshot = await self.look()
        picture = await self._picture() if screenshot else None
        text = render(snapshot.page, max_tokens=self.config.text_tokens)
        return Look(snapshot.page, text, picture)

    async def look(self, *, again: bool = False) -> Snapshot:
        """Return the snapshot of the active tab; the last one when nothing happened since."""
        if self._snapshot is not None and self._is_fresh and not again:
            stat = await self.stat()
            if (stat.get("doc"), stat.get("mutations")) == (
                self._snapshot.doc,
                self._snapshot.mutations,
            ):
                return self._snapshot
        try:
            async with asyncio.timeout(LOOK_DEADLINE):
                self._snapshot = await self._read()
        except TimeoutError:
            raise BrowserError(
                f"{self.page.url} could not be read in {LOOK_DEADLINE:g} s"
            ) from None
        self._is_fresh = True
        return self._snapshot

    async def _read(self) -> Snapshot:
        for attempt in range(LOOK_TRIES):
            self._raise_if_crashed()
            try:
                raw = await read_page(self.page)
                return build_page(raw, self.reading, tabs=await self._tab_list(), known=self._known)
            except PlaywrightError as error:
                # The document was replaced under the walker: come to rest and look again.
                if attempt == LOOK_TRIES - 1:
                    raise BrowserError(f"page could not be read: {error.message[:200]}") from error
                await asyncio.sleep(PAUSE)
                await self.settle()
        raise AssertionError("unreachable")

    async def stat(self) -> dict[str, Any]:
        """Return document token, mutations and readiness of the active tab; empty in between."""
        try:
            return await ask(self.page, "stat", seconds=self.config.action_seconds)
        except PlaywrightError:
            return {}

    async def _picture(self) -> bytes | None:
        """Return the viewport as WebP; a picture that cannot be taken costs the picture only."""
        try:
            await ask(self.page, "freeze", seconds=1)
            png = await self.page.screenshot(
                timeout=PICTURE_SECONDS * 1000, animations="allow", caret="initial", scale="css"
            )
            await ask(self.page, "thaw", seconds=1)
        except PlaywrightError:
            return None
        return to_webp(Image.open(BytesIO(png)).convert("RGB"))

    # -- acting ------------------------------------------------------------------------------

    async def goto(self, url: str) -> Outcome:
        """Open a canonical or actual address of the site in the active tab."""
        return await self.act(Goto(url=url))

    async def act(self, action: Action) -> Outcome:
        """Do `action` once and return what came of it, read back from the page.

        Raises:
            BrowserError: the page or the browser died, or did not answer within the deadline.
            ValueError: the action ends a task and is none of the page's.
        """
        if action.type in {"answer", "infeasible"}:
            raise ValueError(f"{action.type} is not an action on a page")
        started = time.monotonic()
        before = await self.look() if self._snapshot is not None else None
        self._begin(action)
        count, url = len(self._tabs), self.page.url
        try:
            async with asyncio.timeout(ACTION_DEADLINE):
                done = await perform(self, action)
                reason = await self.settle() if done.touched else "quiet"
        except TimeoutError:
            raise BrowserError(f"{action.type} took more than {ACTION_DEADLINE:g} s") from None
        self._raise_if_crashed()
        self._is_fresh = self._is_fresh and not done.touched
        after = await self.look() if done.touched else before
        self.next_dialog = None
        return self._outcome(done, before, after, started, reason, count, url)

    def _begin(self, action: Action) -> None:
        self.traffic.mark()
        self._dialogs.clear()
        self._downloads.clear()
        self.next_dialog = getattr(action, "dialog", None)

    def _outcome(
        self,
        done: Done,
        before: Snapshot | None,
        after: Snapshot | None,
        started: float,
        reason: str,
        tabs_before: int,
        url_before: str,
    ) -> Outcome:
        error = done.error
        blocked = tuple(self.traffic.blocked)
        if error is None and blocked and self.page.url.startswith("chrome-error:"):
            error = ActionError(
                kind="blocked", message=f"the address is not on the site: {blocked[0]}"
            )
        changed = before is None or after is None or before.page.view_hash != after.page.view_hash
        status = "ok" if error is None else ("failed" if done.touched else "rejected")
        return Outcome(
            status=status,
            error=error,
            changed=changed and done.touched,
            navigated=self.traffic.document_started or self.page.url != url_before,
            url=self.reading.url(self.page.url),
            new_tabs=max(0, len(self._tabs) - tabs_before),
            closed_tabs=max(0, tabs_before - len(self._tabs)),
            dialogs=tuple(self._dialogs),
            downloads=tuple(self._downloads),
            blocked=blocked,
            requests=self.traffic.requests(),
            http_status=self.traffic.document_status,
            typed_value=done.typed_value,
            rebound=done.rebound,
            settled=reason,
            ms=int((time.monotonic() - started) * 1000),
        )

    async def settle(self) -> str:
        """Wait for the active tab to come to rest and return why waiting ended."""
        self._is_fresh = False
        return await settle(lambda: self.page, self.traffic, self._beat)

    async def storage_state(self) -> dict[str, Any]:
        """Return cookies and storage of the context, as Playwright writes them."""
        return dict(await self._context.storage_state())

    # -- tabs ------------------------------------------------------------------------------

    @property
    def page(self) -> PlaywrightPage:
        """Return the active tab.

        Raises:
            BrowserError: none is left.
        """
        if not self._recent:
            raise BrowserError("the session has no open tab left")
        return self._recent[-1]

    @property
    def tabs(self) -> tuple[PlaywrightPage, ...]:
        """Return the open tabs in order of opening."""
        return tuple(self._tabs)

    async def new_tab(self) -> PlaywrightPage:
        """Open an empty tab and make it the active one."""
        return await self._context.new_page()

    def switch_to(self, page: PlaywrightPage) -> None:
        """Make `page` the active tab."""
        self._recent.remove(page)
        self._recent.append(page)
        self._is_fresh = False

    async def _tab_list(self) -> tuple[Tab, ...]:
        if len(self._tabs) == 1:
            return ()
        tabs = []
        for page in self._tabs:
            url = self.reading.url(page.url)
            title = self.reading.text(await page.title())
            tabs.append(Tab(url=url, title=title, active=page is self.page))
        return tuple(tabs)

    # -- events ------------------------------------------------------------------------------

    def _on_page(self, page: PlaywrightPage) -> None:
        self._tabs.append(page)
        self._recent.append(page)
        self._is_fresh = False
        page.on("close", self._on_close)
        page.on("crash", self._on_crash)
        page.on("download", self._on_download)

    def _on_close(self, page: PlaywrightPage) -> None:
        for pages in (self._tabs, self._recent):
            if page in pages:
                pages.remove(page)
        self._is_fresh = False

    def _on_crash(self, page: PlaywrightPage) -> None:
        self._crashed = True

    def _on_download(self, download: Download) -> None:
        self._downloads.append(download.suggested_filename)

    async def _on_dialog(self, dialog: PlaywrightDialog) -> None:
        """Answer at once: an open dialog freezes everything else."""
        answer = self.next_dialog or ("accept" if dialog.type != "confirm" else self._dialog)
        if dialog.type in {"alert", "beforeunload"}:
            answer = "accept"
        self._dialogs.append(
            Dialog(type=dialog.type, message=self.reading.text(dialog.message)[:500], answer=answer)
        )
        try:
            await (dialog.accept() if answer == "accept" else dialog.dismiss())
        except PlaywrightError as error:
            if not re.search(r"closed|no dialog|already handled", error.message, re.IGNORECASE):
                raise

    async def _only_reading(self, route: Route) -> None:
        request = route.request
        if request.method in HARMLESS_METHODS:
            await route.continue_()
            return
        self.traffic.blocked.append(f"{request.method} {self.reading.url(request.url)}")
        await route.abort("blockedbyclient")

    def _raise_if_crashed(self) -> None:
        if self._crashed:
            raise BrowserError("the page crashed")
