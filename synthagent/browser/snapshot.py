"""Makes a `Page` of what the walker read in all frames: refs, fingerprints, hashes.

Pure data in, pure data out: a recorded answer can be built again without a browser. Not
responsible for the text form, see `rendering.py`.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from synthagent.browser.masking import Masker
from synthagent.browser.walking import RawFrame, RawPage, Target
from synthagent.records import Box, Fingerprint, Node, Page, Ref, Tab, canonical_json
from synthagent.records.origins import Origins

LANDMARKS = frozenset(
    {
        "navigation",
        "main",
        "banner",
        "contentinfo",
        "search",
        "complementary",
        "form",
        "region",
        "dialog",
        "alertdialog",
    }
)
ITEMS = frozenset({"row", "listitem", "article"})
CELLS = frozenset({"cell", "gridcell", "rowheader", "columnheader"})
UNHASHED_STATES = frozenset({"focused"})
MAX_CONTEXT = 80


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read the pages of one session."""

    origins: Origins
    masker: Masker
    volatile_query: frozenset[str] = frozenset()
    volatile_text: tuple[re.Pattern[str], ...] = ()

    def text(self, text: str) -> str:
        """Return `text` with canonical addresses and without secrets."""
        return self.masker.text(self.origins.canonical_text(text))

    def url(self, url: str) -> str:
        """Return an address as it is written into records."""
        return self.masker.text(self.origins.canonical(url))

    def stable(self, text: str) -> str:
        """Return `text` with all that changes by itself replaced."""
        for pattern in self.volatile_text:
            text = pattern.sub("#", text)
        return text


@dataclass(slots=True)
class Known:
    """Which elements were there at the previous look, by document."""

    last: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page, and where its elements live."""

    page: Page
    targets: Mapping[str, Target]
    doc: str
    mutations: int
    text: str = ""


def build_page(
    raw: RawPage, reading: Reading, *, tabs: tuple[Tab, ...] = (), known: Known | None = None
) -> Snapshot:
    """Return the page that `raw` describes.

    Args:
        raw: The walker's answers, the main frame first.
        reading: Origins, secrets and what counts as volatile.
        tabs: The open tabs.
        known: Elements of the previous look; brought up to date.
    """
    known = known if known is not None else Known()
    main = raw.frames[0].data
    targets: dict[str, Target] = {}
    pairs = list(_merged(raw))
    plain = [_node(frame, data, depth, reading, known) for frame, data, depth in pairs]
    for (frame, data, _), node in zip(pairs, plain, strict=True):
        if node.ref is not None:
            targets[node.ref] = Target(frame.chain, frame.data["doc"], data["i"])
    attributes = [_attributes(data, reading) for _, data, _ in pairs]
    tags = [_tag(data) for _, data, _ in pairs]
    nodes = _with_fingerprints(plain, tags, attributes, [frame.key for frame, _, _ in pairs])
    for frame in raw.frames:
        ids = [data["i"] for data in frame.data["nodes"] if data.get("i", 0) > 0]
        doc = frame.data["doc"]
        known.last[doc] = max([known.last.get(doc, 0), *ids])
    url = reading.url(main["url"])
    content = _content_hash(url, nodes, reading)
    scroll = [data["sc"] for _, data, _ in pairs if "sc" in data]
    focused = next((node.fingerprint for node in nodes if "focused" in node.states), None)
    active = next((at for at, tab in enumerate(tabs) if tab.active), 0)
    view = [content, main["scroll"], scroll, focused.model_dump() if focused else None, active]
    page = Page(
        url=url,
        title=reading.text(main["title"]),
        nodes=nodes,
        tabs=tabs,
        viewport=tuple(main["view"]),
        scroll_y=main["scroll"][1],
        height=main["size"][1],
        modal=main["modal"],
        notices=tuple(_notices(raw, nodes)),
        content_hash=content,
        view_hash=_sha(view),
        structure_key=_structure_key(url, nodes, reading),
    )
    return Snapshot(page, targets, main["doc"], main["mutations"])


def _merged(raw: RawPage) -> Iterator[tuple[RawFrame, dict[str, Any], int]]:
    """Yield the nodes of all frames, those of a child frame below its iframe node."""
    frames = {frame.key: frame for frame in raw.frames}

    def walk(frame: RawFrame, base: int) -> Iterator[tuple[RawFrame, dict[str, Any], int]]:
        for data in frame.data["nodes"]:
            depth = base + data["d"]
            yield frame, data, depth
            if (inner := data.get("fr")) is not None:
                key = f"{frame.key}.f{inner['n']}" if frame.key else f"f{inner['n']}"
                if key in frames:
                    yield from walk(frames[key], depth + 1)

    yield from walk(raw.frames[0], 0)


def _node(
    frame: RawFrame, data: dict[str, Any], depth: int, reading: Reading, known: Known
) -> Node:
    number = data.get("i", 0)
    ref = None
    if number > 0:
        ref = Ref(f"{frame.key}.{number}" if frame.key else str(number))
    value = data.get("val")
    seen_before = known.last.get(frame.data["doc"])
    box, in_view = _placed(frame, data)
    return Node(
        depth=depth,
        role=data["r"],
        name=reading.text(data.get("n", "")),
        ref=ref,
        value=reading.masker.field(reading.text(value)) if value is not None else None,
        states=tuple(data.get("s", ())),
        options=tuple(reading.text(option) for option in data.get("o", ())),
        options_total=data.get("on", 0),
        level=data.get("l"),
        href=reading.url(data["h"]) if "h" in data else None,
        input_type=data.get("it"),
        placeholder=reading.text(data["p"]) if "p" in data else None,
        form=_form(frame, data),
        box=box,
        in_view=in_view,
        covered_by=reading.text(data["c"]) if "c" in data else None,
        scroll=tuple(data["sc"]) if "sc" in data else None,
        is_new=number > 0 and seen_before is not None and number > seen_before,
    )


def _placed(frame: RawFrame, data: dict[str, Any]) -> tuple[Box | None, bool]:
    if "b" not in data:
        return None, False
    x, y, width, height = data["b"]
    x, y = x + frame.offset[0], y + frame.offset[1]
    in_view = bool(data.get("v"))
    if frame.clip is not None:
        left, top, right, bottom = frame.clip
        in_view = in_view and x < right and x + width > left and y < bottom and y + height > top
    return Box(x=x, y=y, width=width, height=height), in_view


def _form(frame: RawFrame, data: dict[str, Any]) -> str | None:
    if "f" not in data:
        return None
    number, method, path = data["f"]
    prefix = f"{frame.key}." if frame.key else ""
    return f"{prefix}{number} {method} {path}"


def _tag(data: dict[str, Any]) -> str:
    tag: str = data.get("t", "")
    return f"{tag}:{data['it']}" if tag == "input" and data.get("it") else tag


def _attributes(data: dict[str, Any], reading: Reading) -> tuple[tuple[str, str], ...]:
    return tuple((name, reading.text(value)) for name, value in data.get("a", ()))


def _with_fingerprints(
    nodes: Sequence[Node],
    tags: Sequence[str],
    attributes: Sequence[tuple[tuple[str, str], ...]],
    frames: Sequence[str],
) -> tuple[Node, ...]:
    labels = _item_labels(nodes)
    equals: Counter[Fingerprint] = Counter()
    heading = ""
    above: list[int] = []
    made: list[Node] = []
    for at, node in enumerate(nodes):
        while above and nodes[above[-1]].depth >= node.depth:
            above.pop()
        if node.role == "heading" and node.name:
            heading = node.name[:MAX_CONTEXT]
        if node.ref is not None:
            items = [label for one in above if (label := labels.get(one))]
            plain = Fingerprint(
                role=node.role,
                name=node.name,
                tag=tags[at],
                attributes=attributes[at],
                landmark=_landmark(nodes, above),
                context=items[-1] if items else heading,
                frame=frames[at],
            )
            fingerprint = plain.model_copy(update={"ordinal": equals[plain]})
            equals[plain] += 1
            node = node.model_copy(update={"fingerprint": fingerprint})
        made.append(node)
        above.append(at)
    return tuple(made)


def _landmark(nodes: Sequence[Node], above: Sequence[int]) -> str:
    for at in reversed(above):
        node = nodes[at]
        if node.role in LANDMARKS:
            return f'{node.role} "{node.name}"' if node.name else node.role
    return ""


def _item_labels(nodes: Sequence[Node]) -> dict[int, str]:
    """Return for every row, list item and card the text that tells it from its neighbours."""
    labels: dict[int, str] = {}
    for at, node in enumerate(nodes):
        if node.role not in ITEMS:
            continue
        inside: list[Node] = []
        for later in nodes[at + 1 :]:
            if later.depth <= node.depth:
                break
            inside.append(later)
        best = next(
            (one for one in inside if one.role in {"heading", "rowheader"} and one.name), None
        )
        best = best or next((one for one in inside if one.name and one.role != "img"), None)
        if node.role == "row":
            cells = [one for one in inside if one.role in CELLS and one.name]
            best = next(
                (one for one in cells if one.role == "rowheader"), cells[0] if cells else best
            )
        labels[at] = best.name[:MAX_CONTEXT] if best is not None else ""
    return labels


def _content_hash(url: str, nodes: Sequence[Node], reading: Reading) -> str:
    lines = [
        [
            node.role,
            reading.stable(node.name),
            [state for state in node.states if state not in UNHASHED_STATES],
            reading.stable(node.value or ""),
        ]
        for node in nodes
    ]
    return _sha([_plain_url(url, reading), lines])


def _plain_url(url: str, reading: Reading) -> str:
    parts = urlsplit(url)
    query = sorted(
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if name not in reading.volatile_query
    )
    return parts._replace(query=urlencode(query)).geturl()


def _structure_key(url: str, nodes: Sequence[Node], reading: Reading) -> str:
    controls = sorted({canonical_json(_kind(node)) for node in nodes if node.ref is not None})
    return _sha([_url_template(url, reading), controls])


def _kind(node: Node) -> list[str]:
    """Return what a control is, without what makes it one of many."""
    landmark = node.fingerprint.landmark if node.fingerprint else ""
    landmark = landmark.partition(" ")[0]
    if node.role == "link" and node.href:
        parts = urlsplit(node.href)
        return [landmark, "link", _path_template(parts.path)]
    return [landmark, node.role, re.sub(r"\d+", "0", node.name)]


def _url_template(url: str, reading: Reading) -> str:
    parts = urlsplit(url)
    keys = sorted(
        {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
        - reading.volatile_query
    )
    return f"{parts.scheme}://{parts.netloc}{_path_template(parts.path)}?{'&'.join(keys)}"


def _path_template(path: str) -> str:
    return "/".join("*" if re.search(r"\d", part) else part for part in path.split("/"))


def _notices(raw: RawPage, nodes: Sequence[Node]) -> Iterator[str]:
    main = raw.frames[0].data
    if raw.missed:
        yield f"{raw.missed} frames could not be read"
    if raw.too_many:
        yield "the page has more frames than were read"
    if main["truncated"]:
        yield f"only the first {main['elements']} elements were read"
    hidden = sum(frame.data["hidden"] for frame in raw.frames)
    if hidden:
        yield f"{hidden} texts that a person cannot see were left out"
    if main["canvases"] and not any(node.ref for node in nodes):
        sizes = ", ".join(f"{width}x{height}" for width, height in main["canvases"])
        yield f"the page is painted on a canvas ({sizes}); nothing on it can be addressed by ref"
    for said, name, text in main["covers"]:
        label = f'{said} "{name}"' if name else said
        if re.search(r"cookie|consent|gdpr|privacy", f"{name} {text}", re.IGNORECASE):
            yield f"a consent overlay covers part of the page: {label}"


def _sha(value: object) -> str:
    return hashlib.sha256(canonical_json(value).encode("utf-8", "replace")).hexdigest()
