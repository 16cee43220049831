"""Does one action: check first, act once with real input. The page is not waited for here.

Not responsible for fields (`fields.py`), for finding the element or for the outcome (`session.py`).
"""

import asyncio
import time
from collections.abc import Awaitable
from typing import Any

from playwright.async_api import Error as PlaywrightError

from synthagent.browser.attempt import DONE, Attempt, failed, rejected
from synthagent.browser.deadlines import first_line, is_dead
from synthagent.browser.fields import select_options, set_check, type_text, upload_file
from synthagent.browser.hands import Hands
from synthagent.browser.raw import Target
from synthagent.browser.walking import ask
from synthagent.records import (
    Action,
    Back,
    Check,
    Click,
    Drag,
    Forward,
    Goto,
    Hover,
    Press,
    Reload,
    Scroll,
    Select,
    TypeText,
    Upload,
    Wait,
)

COVER_RETRY = 0.15
FIND_POLL = 0.1
WINDOW_KEYS = frozenset({"Control", "Meta", "Shift"})


async def do_on_element(
    hands: Hands, action: Action, target: Target, other: Target | None
) -> Attempt:
    """Do an action that has an element."""
    match action:
        case Click() | Hover() | Drag():
            return await _explained(_point(hands, action, target, other))
        case TypeText():
            return await _explained(type_text(hands, action, target))
        case Select():
            return await _explained(select_options(hands, action, target))
        case Check():
            return await _explained(set_check(hands, action, target))
        case Upload():
            return await _explained(upload_file(hands, action, target))
        case _:
            return await do_on_page(hands, action, target)


async def do_on_page(hands: Hands, action: Action, target: Target | None = None) -> Attempt:
    """Do an action that concerns the page as a whole, or one place on it."""
    match action:
        case Press():
            return await _explained(_press(hands, action, target))
        case Scroll():
            return await _explained(_scroll(hands, action, target))
        case Goto():
            return await _explained(go(hands, action.url))
        case Back() | Forward() | Reload():
            return await _explained(_travel(hands, action))
        case Wait():
            return await _explained(_wait(hands, action))
        case _:
            raise ValueError(f"{action.type} is not done here")


async def _explained(work: Awaitable[Attempt]) -> Attempt:
    """Await an attempt; a failure of Playwright becomes a failed one."""
    try:
        return await work
    except PlaywrightError as error:
        return explain(error)


def explain(error: PlaywrightError) -> Attempt:
    """Return a failure of Playwright as an attempt.

    Raises:
        PlaywrightError: page, browser or driver are gone; that is no failure of the action.
    """
    if is_dead(error):
        raise error
    text = str(error)
    if "intercepts pointer events" in text:
        return failed("covered", "something moved over it while it was clicked")
    if "not attached" in text or "detached" in text:
        return failed("stale_element", "the element went away while it was used; look again")
    return failed("timeout", f"it could not be done: {first_line(error)}")


async def _point(
    hands: Hands, action: Click | Hover | Drag, target: Target, other: Target | None
) -> Attempt:
    if isinstance(action, Click):
        return await _click(hands, action, target)
    if isinstance(action, Hover):
        return await _hover(hands, target)
    assert other is not None
    return await _drag(hands, target, other)


async def _click(hands: Hands, action: Click, target: Target) -> Attempt:
    info = await hands.info(target)
    if info.get("cover"):
        # A menu that folds away or a banner that slides in gets one moment to be done.
        await asyncio.sleep(COVER_RETRY)
        info = await hands.info(target)
    if refusal := hands.refuse(info):
        return refusal
    if info["type"] == "file" and info["tag"] == "input":
        return rejected("wrong_kind", "this takes a file: use upload")
    if info["tag"] == "select" and not info["multiple"]:
        return rejected("wrong_kind", "this is a list: use select with the option's label")
    await hands.locate(target).click(
        button=action.button,
        click_count=action.count,
        modifiers=list(action.modifiers),
        timeout=hands.milliseconds,
        no_wait_after=True,
    )
    return DONE


async def _hover(hands: Hands, target: Target) -> Attempt:
    info = await hands.info(target)
    # What is disabled can still be pointed at; it often says why it is.
    if not info.get("gone"):
        info["disabled"] = False
    if refusal := hands.refuse(info):
        return refusal
    await hands.locate(target).hover(timeout=hands.milliseconds)
    return DONE


async def _press(hands: Hands, action: Press, target: Target | None) -> Attempt:
    try:
        if target is None:
            await hands.page.keyboard.press(action.keys)
            return DONE
        info = await hands.info(target)
        if refusal := hands.refuse(info):
            return refusal
        await hands.locate(target).press(action.keys, timeout=hands.milliseconds)
    except PlaywrightError as error:
        if "Unknown key" not in str(error):
            raise
        return rejected(
            "bad_value", f'no key "{action.keys}"; write Enter, Tab, ArrowDown or Control+a'
        )
    return DONE


async def _scroll(hands: Hands, action: Scroll, target: Target | None) -> Attempt:
    options: dict[str, Any] = {"direction": action.direction, "amount": action.amount}
    chain = ""
    if target is not None:
        options |= {"doc": target.doc, "id": target.id}
        chain = target.frame
    moved = await ask(hands.page, "move", options, chain=chain, seconds=3)
    if moved.get("gone"):
        return rejected("stale_element", "the scroller is not on the page any more; look again")
    if moved["moved"] == 0 and not moved["end"]:
        await hands.page.mouse.move(*moved["wheel"])
        await hands.page.mouse.wheel(*moved["step"])
        return Attempt(note="turned the wheel")
    end = ", the end is reached" if moved["end"] else ""
    return Attempt(note=f"scrolled {abs(moved['moved'])} px{end}")


async def _drag(hands: Hands, target: Target, other: Target) -> Attempt:
    for one in (other, target):
        info = await hands.info(one)
        if not info.get("gone"):
            info["disabled"] = False
        if refusal := hands.refuse(info):
            return refusal
    await hands.locate(target).drag_to(hands.locate(other), timeout=hands.milliseconds, steps=4)
    return DONE


async def go(hands: Hands, url: str) -> Attempt:
    """Open an address, canonical or actual."""
    actual = hands.origins.actual(url)
    if not hands.network.allows(actual):
        return rejected("blocked", f"{url[:150]} is not on this site")
    recorder = hands.network.recorder
    try:
        await hands.page.goto(
            actual, wait_until="domcontentloaded", timeout=hands.config.navigation_seconds * 1000
        )
    except PlaywrightError as error:
        if is_dead(error):
            raise
        if "Download is starting" in str(error) or (recorder and recorder.downloads):
            return DONE
        if recorder is not None and recorder.refused_wanted:
            return failed("blocked", f"{url[:100]} leads away from the site")
        if "net::ERR_ABORTED" in str(error):
            return Attempt(note="the address sent no page")
        reason = hands.origins.canonical_text(first_line(error))
        return failed("navigation_failed", f"{url[:100]} did not open: {reason}")
    return DONE


async def _travel(hands: Hands, action: Back | Forward | Reload) -> Attempt:
    milliseconds = hands.config.navigation_seconds * 1000
    if isinstance(action, Reload):
        await hands.page.reload(wait_until="domcontentloaded", timeout=milliseconds)
        return DONE
    before = hands.page.url
    step = hands.page.go_forward if isinstance(action, Forward) else hands.page.go_back
    answer = await step(wait_until="domcontentloaded", timeout=milliseconds)
    if answer is None and hands.page.url == before:
        return rejected("bad_value", f"there is no page to go {action.type} to")
    return DONE


async def _wait(hands: Hands, action: Wait) -> Attempt:
    if not action.text:
        await asyncio.sleep(action.seconds)
        return DONE
    until = time.monotonic() + action.seconds
    wanted = hands.masker.reveal(action.text)
    while True:
        answer = await ask(hands.page, "find", {"text": wanted}, seconds=3)
        if answer["found"]:
            return DONE
        if time.monotonic() >= until:
            return failed("timeout", f'"{action.text[:100]}" did not show in {action.seconds:g} s')
        await asyncio.sleep(FIND_POLL)
