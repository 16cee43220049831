"""Waits until a page has come to rest after an action, without fixed sleeps.

Not responsible for what is on it then. Never waits for an idle network: long polls have no end.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from synthagent.browser.traffic import Traffic
from synthagent.browser.walking import ask

POLL = 0.025
QUIET_MS = 80
"""Without a change of the document, while nothing is under way."""
FIRST_LOOK = 0.04
LISTEN = 0.25
"""How long an action without any effect so far may still have one."""
MUTATION_CAP, NETWORK_CAP, NAVIGATION_CAP = 1.5, 4.0, 15.0


async def settle(page: Callable[[], Page], traffic: Traffic, beat: str) -> str:
    """Wait for the page to come to rest and return why waiting ended.

    Args:
        page: Returns the active page, which the action may change.
        traffic: Marked when the action began.
        beat: Name of the event by which a page tells of short timers that are still to fire.

    Returns:
        `quiet`, `cap:mutations`, `cap:network` or `cap:navigation`.
    """
    started = time.monotonic()
    first: int | None = None
    while True:
        await asyncio.sleep(POLL)
        elapsed = time.monotonic() - started
        stat = await _stat(page(), beat)
        if stat is None:
            if elapsed > NAVIGATION_CAP:
                return "cap:navigation"
            continue
        first = stat["mutations"] if first is None else first
        acted = traffic.has_started or stat["mutations"] != first
        busy = traffic.is_busy() or stat["ready"] == "loading"
        if not busy and not stat["pending"] and stat["age"] >= QUIET_MS:
            if elapsed >= (FIRST_LOOK if acted or stat["age"] < elapsed * 1000 else LISTEN):
                return "quiet"
        elif not busy and elapsed > MUTATION_CAP:
            return "cap:mutations"
        elif elapsed > (NAVIGATION_CAP if stat["ready"] == "loading" else NETWORK_CAP):
            return "cap:network"


async def _stat(page: Page, beat: str) -> dict[str, Any] | None:
    """Return the state of the document, None while one is being replaced by another."""
    try:
        return await ask(page, "stat", {"beat": beat}, seconds=NETWORK_CAP)
    except PlaywrightError:
        return None
