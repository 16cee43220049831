"""Puts every wait for the browser under a deadline, and gives its failures one name.

Not responsible for failures of an action, which are outcomes; see `acting.py`.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Error as PlaywrightError

from synthagent.errors import BrowserError

DEAD = (
    "target closed",
    "has been closed",
    "target crashed",
    "page crashed",
    "browser has disconnected",
    "connection closed",
    "connection terminated",
    "browser closed",
)


def is_dead(error: BaseException) -> bool:
    """Return whether `error` says that page, browser or driver are gone."""
    text = str(error).lower()
    return any(sign in text for sign in DEAD)


@asynccontextmanager
async def deadline(seconds: float, what: str) -> AsyncIterator[None]:
    """Bound what is awaited inside.

    Raises:
        BrowserError: it took longer, or page, browser or driver failed meanwhile.
    """
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise BrowserError(f"{what} took longer than {seconds:g} s") from error
    except PlaywrightError as error:
        raise BrowserError(f"{what} failed: {first_line(error)}") from error


def first_line(error: BaseException) -> str:
    """Return the first line of a message, without the log of calls that follows it."""
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__
