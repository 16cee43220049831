"""Waits until a page has reacted to an action and is quiet, and says why the wait ended.

Not responsible for acting. No fixed sleeps and no `networkidle`: a page that reacts at once costs
two short looks; requests, navigations and short timers that the action caused are waited for.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from playwright.async_api import Error as PlaywrightError

from synthagent.browser.deadlines import is_dead
from synthagent.browser.tabs import Tab
from synthagent.browser.walking import ask

POLL = 0.02
QUIET_MS = 30
SHORTEST = 0.035
"""Two frames: a page that has not begun to react by then has been given the time to."""
NETWORK_QUIET = 0.05
MUTATIONS_CAP = 1.5
LOADING_CAP = 1.0
"""Seconds that pictures and fonts may keep a page from being complete."""
WHOLE_CAP = 4.0
STAT_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How long is waited for what, in seconds."""

    navigation: float = 15.0
    whole: float = WHOLE_CAP


async def settle(active: Callable[[], Tab], beat: str, limits: Limits) -> str:
    """Return why waiting ended: `quiet`, `cap:mutations` or `cap:network`.

    Args:
        active: Returns the active tab, which may become another one while waiting.
        beat: Name of the event by which pages are asked for timers still to fire.
        limits: The deadlines.
    """
    started = time.monotonic()
    busy_since = started
    reason = "quiet"
    while True:
        tab = active()
        if tab.page.is_closed() or tab.is_crashed:
            return "quiet"
        now = time.monotonic()
        if tab.is_navigating or tab.awaits_window:
            if now - started > limits.navigation:
                return "cap:network"
            busy_since = now
            await asyncio.sleep(POLL)
            continue
        if now - started < SHORTEST:
            await asyncio.sleep(SHORTEST - (now - started))
        waiting_for = await _busy_with(tab, beat, now - busy_since)
        if waiting_for is None and not tab.is_navigating and not tab.awaits_window:
            return reason
        spent = time.monotonic() - busy_since
        if waiting_for == "mutations" and spent > MUTATIONS_CAP:
            return "cap:mutations"
        if spent > limits.whole:
            return "cap:network"
        await asyncio.sleep(POLL)


async def _busy_with(tab: Tab, beat: str, spent: float) -> str | None:
    """Return what keeps the page busy, None when it is quiet."""
    if tab.busy or time.monotonic() - tab.last_network < NETWORK_QUIET:
        return "network"
    try:
        stat = await ask(tab.page, "stat", {"beat": beat}, seconds=STAT_SECONDS)
    except PlaywrightError as error:
        return None if is_dead(error) else "network"
    if stat["ready"] == "loading" or (stat["ready"] != "complete" and spent < LOADING_CAP):
        return "network"
    if stat["pending"] or stat["age"] < QUIET_MS:
        return "mutations"
    # Events come in order: what the page asked for before it answered has been announced by now.
    return "network" if tab.busy else None
