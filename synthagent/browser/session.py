"""One context of the browser for one trajectory: look, act, look again.

Not responsible for how an action is done (`acting.py`) or a page is read (`snapshot.py`).
"""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Browser as PlaywrightBrowser
from playwright.async_api import BrowserContext

from synthagent.blobs import BlobStore
from synthagent.browser.acting import do_on_element, do_on_page, go
from synthagent.browser.attempt import DONE, Attempt, rejected
from synthagent.browser.binding import Bound, bind
from synthagent.browser.deadlines import deadline
from synthagent.browser.dialogs import DialogPolicy
from synthagent.browser.hands import Hands
from synthagent.browser.hashing import Volatile
from synthagent.browser.masking import Masker
from synthagent.browser.network import Network, fence
from synthagent.browser.record import Recorder
from synthagent.browser.screenshot import take_screenshot
from synthagent.browser.settle import Limits, settle
from synthagent.browser.snapshot import Reading, Snapshot, build_page, render
from synthagent.browser.tablist import TabList
from synthagent.browser.tabs import Tab as OpenTab
from synthagent.browser.walking import read_page
from synthagent.config import BrowserConfig
from synthagent.errors import BrowserError
from synthagent.records import (
    Action,
    ActionError,
    Answer,
    Back,
    Click,
    CloseTab,
    Drag,
    Goto,
    Infeasible,
    NewTab,
    Observation,
    Origins,
    Outcome,
    Page,
    Request,
    SwitchTab,
    Tab,
    Wait,
    target_ref,
)

__all__ = ["DialogPolicy", "Look", "Session", "SessionOptions"]

LOOK_SECONDS = 20.0
STATE_SECONDS = 10.0
ACT_SLACK = 30.0
ERROR_PAGE = "chrome-error:"


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """What a session is allowed and knows; see `Browser.session`."""

    origins: Origins
    storage_state: dict[str, Any] | None = None
    secrets: dict[str, str] = field(default_factory=dict)
    read_only: bool = False
    files: Path | None = None
    dialog: DialogPolicy = field(default_factory=DialogPolicy)
    volatile: Volatile = field(default_factory=Volatile)


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the active tab: as data, as text, and as a picture without marks."""

    page: Page
    text: str
    screenshot: bytes | None

    def observation(self, blobs: BlobStore) -> Observation:
        """Store page and picture, and return what is kept of the look."""
        page = self.page
        return Observation(
            url=page.url,
            title=page.title,
            text=self.text,
            content_hash=page.content_hash,
            view_hash=page.view_hash,
            structure_key=page.structure_key,
            page=blobs.put_page(page),
            screenshot=blobs.put(self.screenshot, ".webp") if self.screenshot else None,
            tabs=max(1, len(page.tabs)),
        )


class Session:
    """A browser context; made by `Browser.session`."""

    def __init__(
        self, context: BrowserContext, config: BrowserConfig, options: SessionOptions, beat: str
    ) -> None:
        self._context = context
        self._config = config
        self._options = options
        self._beat = beat
        self._masker = Masker(options.secrets)
        self._network = Network(options.origins, self._masker, read_only=options.read_only)
        self._tabs = TabList(
            context, options.dialog, self._network, self._masker, (config.width, config.height)
        )
        self._seen: Snapshot | None = None
        self._known: dict[str, frozenset[int]] | None = None
        self._typed: dict[tuple[str, int], str] = {}

    @classmethod
    async def open(
        cls,
        browser: PlaywrightBrowser,
        config: BrowserConfig,
        options: SessionOptions,
        early: str,
    ) -> "Session":
        """Open the context and its first, empty tab."""
        beat = f"b{time.monotonic_ns():x}"
        state: Any = options.storage_state
        context = await browser.new_context(
            viewport={"width": config.width, "height": config.height},
            device_scale_factor=1,
            locale=config.locale,
            timezone_id=config.timezone,
            reduced_motion="reduce",
            color_scheme="light",
            permissions=[],
            service_workers="block",
            ignore_https_errors=True,
            storage_state=state,
            proxy=fence(options.origins),
        )
        session = cls(context, config, options, beat)
        try:
            await session._network.guard(context)
            await context.add_init_script(script=early.replace("BEAT", f'"{beat}"'))
            await session._tabs.open_first()
        except BaseException:
            await context.close()
            raise
        return session

    async def close(self) -> None:
        """Close the context; what still happens in it is not recorded any more."""
        self._tabs.stop()
        await self._context.close()

    async def goto(self, url: str) -> Outcome:
        """Open an address, canonical or actual, in the active tab."""
        return await self.act(Goto(url=url))

    async def observe(self, *, screenshot: bool = True) -> Look:
        """Look at the active tab. Changes nothing; two looks at an unchanged page are equal.

        Raises:
            BrowserError: the page crashed, does not answer, or the browser has gone.
        """
        async with deadline(LOOK_SECONDS, "looking at the page"):
            snapshot = await self._read(self._tabs.active)
            picture = await self.screenshot_of(snapshot.page) if screenshot else None
        self._seen = snapshot
        text = render(snapshot.page, max_tokens=self._config.text_tokens)
        return Look(snapshot.page, text, picture)

    async def screenshot_of(self, page: Page, *, full_page: bool = False) -> bytes | None:
        """Return a picture of the active tab that shows `page`; None when it cannot be had."""
        return await take_screenshot(self._tabs.active, page, full_page=full_page)

    async def storage_state(self) -> dict[str, Any]:
        """Return cookies and storage, to open another session with."""
        async with deadline(STATE_SECONDS, "reading the storage state"):
            return dict(await self._context.storage_state())

    async def act(self, action: Action) -> Outcome:
        """Do a page action once, wait until the page has reacted, and tell what came of it.

        Raises:
            ValueError: the action is none that is done on a page.
            BrowserError: the page crashed, does not answer, or the browser has gone.
        """
        if isinstance(action, Answer | Infeasible):
            raise ValueError(f"{action.type} is not done on a page")
        started = time.monotonic()
        seconds = self._config.navigation_seconds * 2 + ACT_SLACK
        if isinstance(action, Wait):
            seconds += action.seconds
        self._known = self._seen.numbers if self._seen is not None else self._known
        recorder = self._tabs.begin(Recorder(), getattr(action, "dialog", None))
        try:
            async with deadline(seconds, f"the action {action.type}"):
                outcome = await self._act(action, recorder)
        finally:
            self._tabs.end()
        return outcome.with_(ms=round((time.monotonic() - started) * 1000))

    async def _act(self, action: Action, recorder: Recorder) -> Outcome:
        tab = self._tabs.active
        before = await self._read(tab)
        url_before = tab.page.url
        attempt, rebound = await self._attempt(action, before)
        settled = "quiet"
        if attempt.status != "rejected":
            settled = await self._settle(tab)
            await self._tabs.choose(tab, lambda: self._has_changed(tab, before))
            if recorder.refused_wanted and self._tabs.active.page.url.startswith(ERROR_PAGE):
                await self._return_from_error_page()
        after = await self._read(self._tabs.active)
        attempt = _with_consequences(attempt, recorder, self._tabs.active.page.url)
        return Outcome(
            status=attempt.status,
            error=attempt.error,
            note=attempt.note,
            typed_value=attempt.typed_value,
            rebound=rebound,
            changed=after.page.view_hash != before.page.view_hash,
            navigated=bool(recorder.committed) or after.page.url != self._shown(url_before),
            url=after.page.url,
            new_tabs=recorder.new_tabs,
            closed_tabs=recorder.closed_tabs,
            dialogs=tuple(recorder.dialogs),
            downloads=tuple(recorder.downloads),
            blocked=tuple(dict.fromkeys(recorder.blocked)),
            requests=self._requests(recorder),
            http_status=recorder.document_status,
            settled=settled,
        )

    async def _attempt(self, action: Action, before: Snapshot) -> tuple[Attempt, bool]:
        match action:
            case NewTab():
                return await self._open_tab(action), False
            case SwitchTab():
                return self._tabs.switch(action.index), False
            case CloseTab():
                return await self._tabs.close_active(), False
        ref = target_ref(action)
        if ref is None:
            return await do_on_page(self._hands(), action), False
        bound = bind(ref, self._seen, before)
        other: Bound | None = None
        if isinstance(action, Drag):
            other = bind(action.target, self._seen, before)
        for one in (bound, other):
            if one is not None and one.refusal is not None:
                return one.refusal, False
        assert bound.target is not None
        if isinstance(action, Click) and (action.button == "middle" or action.modifiers):
            self._tabs.active.expect_window()
        attempt = await do_on_element(
            self._hands(), action, bound.target, other.target if other else None
        )
        return attempt, bound.rebound

    async def _open_tab(self, action: NewTab) -> Attempt:
        if action.url is not None:
            actual = self._options.origins.actual(action.url)
            if not self._network.allows(actual):
                return rejected("blocked", f"{action.url[:150]} is not on this site")
        await self._tabs.open_new()
        return await go(self._hands(), action.url) if action.url is not None else DONE

    async def _settle(self, tab: OpenTab) -> str:
        limits = Limits(navigation=self._config.navigation_seconds)
        reason = await settle(lambda: tab, self._beat, limits)
        await self._tabs.adopted()
        for other in self._tabs.fresh:
            also = await settle(lambda other=other: other, self._beat, limits)  # type: ignore[misc]
            reason = also if reason == "quiet" else reason
        if not self._tabs.is_empty:
            active = self._tabs.active
            if active is not tab and active not in self._tabs.fresh:
                await settle(lambda: active, self._beat, limits)
        return reason

    async def _return_from_error_page(self) -> None:
        """Go back to the page that a stopped redirect has led away from, if there is one."""
        tab = self._tabs.active
        await do_on_page(self._hands(), Back())
        await settle(lambda: tab, self._beat, Limits(navigation=self._config.navigation_seconds))

    async def _has_changed(self, tab: OpenTab, before: Snapshot) -> bool:
        """Return whether a tab shows something else than before."""
        if tab.page.is_closed():
            return True
        after = await self._read(tab)
        return after.page.content_hash != before.page.content_hash

    async def _read(self, tab: OpenTab) -> Snapshot:
        if tab.is_crashed:
            raise BrowserError("the page crashed")
        raw = await read_page(tab.page)
        reading = Reading(
            origins=self._options.origins,
            masker=self._masker,
            volatile=self._options.volatile,
            tabs=await self._describe_tabs(raw.frames[0].data["title"]),
            known=self._known,
            typed=self._typed,
        )
        return build_page(raw, reading)

    async def _describe_tabs(self, title: str) -> tuple[Tab, ...]:
        found = []
        for tab in self._tabs:
            is_active = tab is self._tabs.active
            said = self._masker.text(title if is_active else await tab.title())
            found.append(Tab(url=self._shown(tab.page.url), title=said, active=is_active))
        return tuple(found)

    def _shown(self, url: str) -> str:
        return self._masker.text(self._options.origins.canonical(url))

    def _hands(self) -> Hands:
        return Hands(
            page=self._tabs.active.page,
            config=self._config,
            origins=self._options.origins,
            masker=self._masker,
            network=self._network,
            files=self._options.files,
            typed=self._typed,
        )

    def _requests(self, recorder: Recorder) -> tuple[Request, ...]:
        return tuple(
            self._network.record(request, recorder.statuses.get(request))
            for request in recorder.sent
        )


def _with_consequences(attempt: Attempt, recorder: Recorder, url: str) -> Attempt:
    """Return the attempt as failed, when what it set off did not get through."""
    if attempt.status != "ok":
        return attempt
    if recorder.refused_wanted:
        message = f"the network policy stopped {recorder.refused_wanted}"
        return Attempt("failed", ActionError(kind="blocked", message=message[:300]))
    if url.startswith(ERROR_PAGE):
        message = "the page that it leads to did not open"
        return Attempt("failed", ActionError(kind="navigation_failed", message=message))
    return attempt
