"""Draws the numbers of controls on a screenshot, from the same boxes as the text form.

Never touches the page. Only what is visible and not covered is marked.
"""

import io
from collections.abc import Iterator

from PIL import Image, ImageDraw, ImageFont

from synthagent.browser.screenshot import to_webp
from synthagent.records import Box, Node, Page, Ref

FRAME = (20, 20, 20)
TARGET = (214, 40, 57)
TAG = (0, 0, 0)
TEXT = (255, 255, 255)
FONT_SIZE = 11

_Rect = tuple[int, int, int, int]


def draw_marks(screenshot: bytes, page: Page, *, highlight: Ref | None = None) -> bytes:
    """Return the screenshot with a numbered frame around each control, as WebP."""
    image = _open(screenshot)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(FONT_SIZE)
    taken: list[_Rect] = []
    marked = [*_marked(page)]
    for node, box in marked:
        color = TARGET if node.ref == highlight else FRAME
        draw.rectangle(_rect(box, image.size), outline=color, width=2 if color == TARGET else 1)
    for node, box in marked:
        color = TARGET if node.ref == highlight else TAG
        left, top, right, bottom = draw.textbbox((0, 0), str(node.ref), font=font)
        size = (int(right - left) + 4, int(bottom - top) + 4)
        rect = _tag_place(box, size, image.size, taken)
        taken.append(rect)
        draw.rectangle(rect, fill=color)
        draw.text((rect[0] + 2 - left, rect[1] + 2 - top), str(node.ref), fill=TEXT, font=font)
    return to_webp(image)


def draw_target(screenshot: bytes, box: Box, label: str = "") -> bytes:
    """Return the screenshot with one element framed, for reports."""
    image = _open(screenshot)
    draw = ImageDraw.Draw(image)
    x, y, right, bottom = _rect(box, image.size)
    draw.rectangle((x - 2, y - 2, right + 2, bottom + 2), outline=TARGET, width=3)
    if label:
        font = ImageFont.load_default(FONT_SIZE + 2)
        left, top, end, low = draw.textbbox((0, 0), label, font=font)
        size = (int(end - left) + 6, int(low - top) + 6)
        place = _tag_place(box, size, image.size, [])
        draw.rectangle(place, fill=TARGET)
        draw.text((place[0] + 3 - left, place[1] + 3 - top), label, fill=TEXT, font=font)
    return to_webp(image)


def _open(screenshot: bytes) -> Image.Image:
    with Image.open(io.BytesIO(screenshot)) as image:
        return image.convert("RGB")


def _marked(page: Page) -> Iterator[tuple[Node, Box]]:
    for node in page.elements:
        shows = node.in_view and node.covered_by is None and node.scroll is None
        if shows and node.box is not None and node.box.width > 2 and node.box.height > 2:
            yield node, node.box


def _rect(box: Box, size: tuple[int, int]) -> _Rect:
    left, top = min(max(0, box.x), size[0] - 1), min(max(0, box.y), size[1] - 1)
    right = max(left, min(size[0] - 1, box.x + box.width))
    bottom = max(top, min(size[1] - 1, box.y + box.height))
    return left, top, right, bottom


def _tag_place(box: Box, tag: tuple[int, int], size: tuple[int, int], taken: list[_Rect]) -> _Rect:
    """Return a free place for a tag near the top left of `box`, inside of the picture."""
    x, y, right, bottom = _rect(box, size)
    width, height = tag
    tries = (
        (x, y - height),
        (x, y),
        (right - width, y),
        (x, bottom),
        (right, y),
        (x - width, y),
        (right - width, bottom),
    )
    rects = [_inside(left, top, width, height, size) for left, top in tries]
    return next(
        (rect for rect in rects if not any(_meet(rect, other) for other in taken)), rects[0]
    )


def _inside(left: int, top: int, width: int, height: int, size: tuple[int, int]) -> _Rect:
    left = max(0, min(left, size[0] - width))
    top = max(0, min(top, size[1] - height))
    return left, top, left + width, top + height


def _meet(one: _Rect, two: _Rect) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]
