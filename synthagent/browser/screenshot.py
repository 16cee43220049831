"""Takes pictures of a tab, equal bytes for an equal page, and paints over secrets on them.

Not responsible for marks; see `marks.py`. A picture that cannot be had costs the picture only.
"""

import asyncio
import base64
import io
from typing import Any

from PIL import Image, ImageDraw
from playwright.async_api import Error as PlaywrightError

from synthagent.browser.deadlines import is_dead
from synthagent.browser.masking import MASK, PLACEHOLDER
from synthagent.browser.tabs import Tab
from synthagent.browser.walking import ask
from synthagent.records import Box, Page

SECONDS = 5.0
QUALITY = 80
TALLEST = 8000


async def take_screenshot(tab: Tab, page: Page, *, full_page: bool = False) -> bytes | None:
    """Return a WebP picture of the viewport, or of the whole page; None when there is none."""
    if tab.cdp is None:
        return None
    try:
        async with asyncio.timeout(SECONDS):
            await ask(tab.page, "freeze", seconds=1)
            try:
                picture = await _capture(tab, page, full_page=full_page)
            finally:
                await ask(tab.page, "thaw", seconds=1)
    except TimeoutError:
        return None
    except PlaywrightError as error:
        if is_dead(error) and (tab.is_crashed or tab.page.is_closed()):
            raise
        return None
    return hide_secrets(picture, page, offset=page.scroll_y if full_page else 0)


async def _capture(tab: Tab, page: Page, *, full_page: bool) -> bytes:
    assert tab.cdp is not None
    options: dict[str, Any] = {"format": "webp", "quality": QUALITY, "optimizeForSpeed": True}
    if full_page:
        height = min(max(page.height, page.viewport[1]), TALLEST)
        options["clip"] = {"x": 0, "y": 0, "width": page.viewport[0], "height": height, "scale": 1}
        options["captureBeyondViewport"] = True
    answer = await tab.cdp.send("Page.captureScreenshot", options)
    return base64.b64decode(answer["data"])


def hide_secrets(picture: bytes, page: Page, *, offset: int = 0) -> bytes:
    """Return `picture` with fields and texts that hold a secret painted over."""
    boxes = [*_secret_boxes(page)]
    if not boxes:
        return picture
    with Image.open(io.BytesIO(picture)) as image:
        painted = image.convert("RGB")
    draw = ImageDraw.Draw(painted)
    for box in boxes:
        top = box.y + offset
        draw.rectangle((box.x, top, box.x + box.width, top + box.height), fill=(90, 90, 90))
    return to_webp(painted)


def _secret_boxes(page: Page) -> list[Box]:
    found = []
    for node in page.nodes:
        shown = f"{node.name} {node.value or ''}"
        is_dotted = node.input_type == "password"
        if node.box and not is_dotted and (MASK in shown or PLACEHOLDER.search(shown)):
            found.append(node.box)
    return found


def to_webp(image: Image.Image) -> bytes:
    """Return `image` as WebP, equal bytes for equal pixels."""
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=QUALITY, method=3)
    return buffer.getvalue()
