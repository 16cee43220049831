"""Talks to the walker, the selector engine that reads documents; one round trip a question.

Not responsible for what the answers mean; see `snapshot.py` and `actions.py`.
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator, Page, Playwright

from synthagent.browser.raw import ENGINE, RawFrame, RawPage, Target, engine

ENTER = " >> internal:control=enter-frame >> "
MAX_FRAMES = 80
MAX_DEPTH = 6
FIRST_SECONDS, MORE_SECONDS = 0.3, 1.2
"""How long a frame may take to answer; the longer wait is only for one that is still there."""
MAIN_SECONDS = 6.0


async def install(playwright: Playwright) -> None:
    """Register the walker; once for each Playwright instance, before pages are made."""
    await playwright.selectors.register(ENGINE, script("walker.js"), content_script=True)


@cache
def script(name: str) -> str:
    """Return the text of a script in `inject/`."""
    return files("synthagent.browser").joinpath("inject", name).read_text(encoding="utf-8")


async def ask(
    page: Page, verb: str, options: dict[str, Any] | None = None, *, chain: str = "", seconds: float
) -> dict[str, Any]:
    """Return the walker's answer from the frame that `chain` leads to."""
    locator = page.locator(chain + engine(verb, options))
    text = await locator.text_content(timeout=seconds * 1000)
    answer: dict[str, Any] = json.loads(text or "{}")
    return answer


def locate(page: Page, target: Target) -> Locator:
    """Return the locator of an element that was seen."""
    return page.locator(target.selector)


async def read_page(page: Page) -> RawPage:
    """Return what every frame of `page` shows; frames that do not answer are only counted.

    Raises:
        PlaywrightError: the main frame could not be read.
    """
    data = await ask(page, "snap", seconds=MAIN_SECONDS)
    frames = [RawFrame("", "", data)]
    missed, too_many = 0, False
    level: list[RawFrame] = [frames[0]]
    for _ in range(MAX_DEPTH):
        wanted = [child for frame in level for child in _children(frame)]
        room = MAX_FRAMES - len(frames)
        too_many = too_many or len(wanted) > room
        answers = await asyncio.gather(*(_read(page, child) for child in wanted[:room]))
        level = [frame for frame in answers if frame is not None]
        missed += len(answers) - len(level)
        frames.extend(level)
        if not level:
            break
    else:
        too_many = too_many or any(_children(frame) for frame in level)
    return RawPage(tuple(frames), missed, too_many)


@dataclass(frozen=True, slots=True)
class _Child:
    key: str
    parent: str
    element: dict[str, Any]
    offset: tuple[int, int]
    clip: tuple[int, int, int, int]


def _children(frame: RawFrame) -> Sequence[_Child]:
    found = []
    for node in frame.data["nodes"]:
        if (inner := node.get("fr")) is None:
            continue
        key = f"{frame.key}.f{inner['n']}" if frame.key else f"f{inner['n']}"
        x, y = frame.offset
        box = node.get("b", [0, 0, 0, 0])
        clip = inner["clip"]
        found.append(
            _Child(
                key,
                frame.chain,
                {"doc": frame.data["doc"], "id": inner["id"]},
                (x + inner["at"][0], y + inner["at"][1]),
                (
                    x + max(clip[0], box[0]),
                    y + max(clip[1], box[1]),
                    x + min(clip[2], box[0] + box[2]),
                    y + min(clip[3], box[1] + box[3]),
                ),
            )
        )
    return found


async def _read(page: Page, child: _Child) -> RawFrame | None:
    chain = child.parent + engine("ref", child.element) + ENTER
    for seconds in (FIRST_SECONDS, MORE_SECONDS):
        try:
            data = await ask(page, "snap", chain=chain, seconds=seconds)
        except PlaywrightError:
            if page.is_closed() or not await _is_there(page, child):
                return None
        else:
            return RawFrame(child.key, chain, data, child.offset, child.clip)
    return None


async def _is_there(page: Page, child: _Child) -> bool:
    """Return whether the frame's element is still in the document around it."""
    try:
        answer = await ask(page, "has", child.element, chain=child.parent, seconds=FIRST_SECONDS)
    except PlaywrightError:
        return False
    return bool(answer["there"])
