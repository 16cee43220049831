"""Draws marks on screenshots from the boxes of a page; the page itself is never touched.

Not responsible for taking pictures; see `session.py`.
"""

from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from synthagent.records import Box, Node, Page

TAG_HEIGHT = 13
QUALITY = 70
RED = (214, 40, 57)
Rectangle = tuple[int, int, int, int]


def draw_marks(screenshot: bytes, page: Page, *, highlight: str | None = None) -> bytes:
    """Return `screenshot` as WebP with a frame and a tag for each control that can be reached.

    Args:
        screenshot: The viewport, in any format that Pillow reads.
        page: The page that was shown.
        highlight: Ref of an element to set off.
    """
    image = Image.open(BytesIO(screenshot)).convert("RGB")
    draw = ImageDraw.Draw(image)
    taken: list[Rectangle] = []
    for node in page.elements:
        box = node.box
        if box is None or not node.in_view or node.covered_by or node.ref == highlight:
            continue
        _frame(draw, box, (0, 0, 0), 1)
        _tag(draw, image.size, node, taken)
    target = page.by_ref.get(highlight) if highlight is not None else None
    if target is not None and target.box is not None:
        _frame(draw, target.box, RED, 3)
    return to_webp(image)


def draw_target(screenshot: bytes, box: Box) -> bytes:
    """Return `screenshot` as WebP with one element set off; for reports."""
    image = Image.open(BytesIO(screenshot)).convert("RGB")
    _frame(ImageDraw.Draw(image), box, RED, 3)
    return to_webp(image)


def to_webp(image: Image.Image) -> bytes:
    """Return `image` as WebP; equal pictures give equal bytes."""
    buffer = BytesIO()
    image.save(buffer, "WEBP", quality=QUALITY, method=2)
    return buffer.getvalue()


def _frame(draw: ImageDraw.ImageDraw, box: Box, colour: tuple[int, int, int], width: int) -> None:
    draw.rectangle(
        (box.x - width, box.y - width, box.x + box.width + width, box.y + box.height + width),
        outline=colour,
        width=width,
    )


def _tag(
    draw: ImageDraw.ImageDraw, size: tuple[int, int], node: Node, taken: list[Rectangle]
) -> None:
    """Draw the ref at a corner of the box, inside the picture and off the other tags."""
    box = node.box
    if box is None:
        return
    font = ImageFont.load_default(size=10)
    text = str(node.ref)
    width = int(draw.textlength(text, font=font)) + 4
    corners = (
        (box.x, box.y - TAG_HEIGHT),
        (box.x, box.y),
        (box.x + box.width - width, box.y),
        (box.x, box.y + box.height),
    )
    places = [_inside(corner, width, size) for corner in corners]
    free = [place for place in places if not any(_overlap(place, other) for other in taken)]
    place = (free or places)[0]
    taken.append(place)
    draw.rectangle(place, fill=(0, 0, 0))
    draw.text((place[0] + 2, place[1]), text, fill=(255, 255, 255), font=font)


def _inside(corner: tuple[int, int], width: int, size: tuple[int, int]) -> Rectangle:
    x = min(max(0, corner[0]), size[0] - width)
    y = min(max(0, corner[1]), size[1] - TAG_HEIGHT)
    return (x, y, x + width, y + TAG_HEIGHT)


def _overlap(one: Rectangle, other: Rectangle) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
