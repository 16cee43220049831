"""Screenshots made small enough to lie inside the report, with the acted-on element marked.

Does not choose which; see `gallery.py`.
"""

import base64
from dataclasses import dataclass
from io import BytesIO

from PIL import Image, ImageDraw

from synthagent.blobs import BlobStore
from synthagent.errors import DataError
from synthagent.records import Box, Observation, Step, target_ref

BUDGET = 9_500_000
"""Bytes of all pictures together before base64, which adds a third."""
MARK = (255, 45, 120)
HALO = (255, 255, 255)


@dataclass(frozen=True, slots=True)
class Picture:
    """An image as a data URI, with its size in pixels."""

    uri: str
    width: int
    height: int


@dataclass(slots=True)
class Album:
    """Makes pictures until the budget of bytes is spent."""

    blobs: BlobStore
    width: int
    quality: int = 62
    spent: int = 0
    left_out: int = 0

    @classmethod
    def for_count(cls, blobs: BlobStore, pictures: int) -> "Album":
        """Return an album whose pictures are the smaller the more there will be."""
        return cls(blobs, 800 if pictures <= 160 else 640 if pictures <= 320 else 480)

    def step(self, step: Step) -> Picture | None:
        """Return what the agent saw before `step`, with the target of its action marked."""
        return self._add(step.observation, target_ref(step.action), self.width)

    def look(self, look: Observation | None, width: int | None = None) -> Picture | None:
        """Return a page as it was, without a mark."""
        return self._add(look, None, width or self.width)

    def _add(self, look: Observation | None, ref: str | None, width: int) -> Picture | None:
        if look is None or look.screenshot is None:
            return None
        if self.spent > BUDGET:
            self.left_out += 1
            return None
        try:
            screenshot = self.blobs.get(look.screenshot)
            node = self.blobs.get_page(look.page).by_ref.get(ref) if ref else None
        except DataError:
            self.left_out += 1  # one lost file must not cost the report
            return None
        data, size = shrink(screenshot, node.box if node else None, width, self.quality)
        self.spent += len(data)
        return Picture("data:image/webp;base64," + base64.b64encode(data).decode(), *size)


def shrink(
    screenshot: bytes, box: Box | None, width: int, quality: int
) -> tuple[bytes, tuple[int, int]]:
    """Return a WebP at most `width` pixels wide, `box` framed, and its size."""
    with Image.open(BytesIO(screenshot)) as source:
        image = source.convert("RGB")
    scale = min(1.0, width / image.width)
    if scale < 1:
        size = (round(image.width * scale), round(image.height * scale))
        image = image.resize(size, Image.Resampling.HAMMING)
    if box is not None:
        _frame(image, box, scale)
    buffer = BytesIO()
    image.save(buffer, "WEBP", quality=quality, method=3)
    return buffer.getvalue(), image.size


def _frame(image: Image.Image, box: Box, scale: float) -> None:
    """Draw a light and a strong outline, so that it shows on any ground."""
    left = max(box.x * scale - 4, 1)
    top = max(box.y * scale - 4, 1)
    right = min((box.x + box.width) * scale + 4, image.width - 2)
    bottom = min((box.y + box.height) * scale + 4, image.height - 2)
    draw = ImageDraw.Draw(image)
    if right <= left or bottom <= top:
        middle = (box.x + box.width / 2) * scale
        _point(draw, image.size, middle, is_below=box.y * scale > image.height / 2)
        return
    draw.rounded_rectangle((left - 1, top - 1, right + 1, bottom + 1), 6, outline=HALO, width=5)
    draw.rounded_rectangle((left, top, right, bottom), 5, outline=MARK, width=3)


def _point(draw: ImageDraw.ImageDraw, size: tuple[int, int], x: float, *, is_below: bool) -> None:
    """Draw an arrow at the edge beyond which the element lies; acting scrolls to it first."""
    width, height = size
    x = min(max(x, 16.0), width - 16.0)
    tip, base = (height - 5, height - 24) if is_below else (5, 24)
    corners = [(x - 13, base), (x + 13, base), (x, tip)]
    draw.polygon(corners, fill=MARK, outline=HALO, width=2)
