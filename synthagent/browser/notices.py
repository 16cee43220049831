"""Says in a sentence each what of a page could not be read, was left out, or lies over it.

Pure; not responsible for reading.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from synthagent.browser.masking import Masker
from synthagent.browser.raw import RawPage
from synthagent.records import Node

CONSENT = re.compile(
    r"cookie|consent|gdpr|dsgvo|rgpd|datenschutz|einwillig|confidentialit|privacid|privacidade"
    r"|prywatno|ciasteczk|evästeet|informasjonskapsl|kakor|soukrom|çerez|クッキー|隐私|同意|쿠키"
    r"|we value your privacy",
    re.IGNORECASE,
)


def notices_of(raw: RawPage, nodes: Sequence[Node], masker: Masker) -> tuple[str, ...]:
    """Return the notices of a page; none for a plain page that was read whole."""
    return tuple(masker.text(notice) for notice in _notices(raw, nodes))


def _notices(raw: RawPage, nodes: Sequence[Node]) -> Iterator[str]:
    yield from _covers(raw, nodes)
    canvases = [size for frame in raw.frames for size in frame.data["canvases"]]
    if canvases:
        sizes = ", ".join(f"{width}×{height} px" for width, height in canvases[:3])
        noun = "a drawing" if len(canvases) == 1 else f"{len(canvases)} drawings"
        yield f"{noun} (canvas, {sizes}) cannot be read as text; only the screenshot shows it"
    if not any(node.ref for node in nodes):
        yield "there are no controls that can be addressed on this page"
    hidden = sum(frame.data["hidden"] for frame in raw.frames)
    if hidden:
        yield f"{_count(hidden, 'text')} that nobody can see {_was(hidden)} left out"
    if raw.missed:
        yield f"{_count(raw.missed, 'frame')} could not be read"
    if raw.too_many:
        yield "there are more frames than are read"
    if any(frame.data["truncated"] for frame in raw.frames):
        yield "the page is larger than is read; its end is missing"


def _covers(raw: RawPage, nodes: Sequence[Node]) -> Iterator[str]:
    counts = Counter(node.covered_by for node in nodes if node.covered_by)
    texts: dict[str, str] = {}
    for frame in raw.frames:
        for role, name, text in frame.data["covers"]:
            said = f'{role} "{name}"' if name else role
            texts[said] = f"{name} {text}"
    for cover, count in counts.most_common(3):
        kind = "consent " if CONSENT.search(texts.get(cover, cover)) else ""
        yield f"the {kind}{cover} lies over {_count(count, 'control')}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _was(number: int) -> str:
    return "was" if number == 1 else "were"
