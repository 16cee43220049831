"""Makes a `Page` of what the walker said about each frame.

Pure data: no Playwright here. Not responsible for the text form; see `text.py`.
"""

import gc
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from synthagent.browser.fingerprint import Stand, surroundings
from synthagent.browser.hashing import Volatile, hash_page
from synthagent.browser.masking import MASK, Masker
from synthagent.browser.notices import notices_of
from synthagent.browser.raw import RawFrame, RawPage, Target
from synthagent.browser.text import render
from synthagent.records import Node, Origins, Page, Ref, Tab

__all__ = ["Reading", "Snapshot", "build_page", "render"]

NODES = TypeAdapter(tuple[Node, ...])


@dataclass(frozen=True, slots=True)
class Reading:
    """What is needed besides the frames to make a page of them."""

    origins: Origins
    masker: Masker = field(default_factory=lambda: Masker({}))
    volatile: Volatile = field(default_factory=Volatile)
    tabs: tuple[Tab, ...] = ()
    known: Mapping[str, frozenset[int]] | None = None
    """Numbers of the elements that were there before the last action, by document."""
    typed: Mapping[tuple[str, int], str] = field(default_factory=dict)
    """What was typed into masked fields, with placeholders, by document and number."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page, and where its elements live."""

    page: Page
    targets: dict[Ref, Target]

    @property
    def numbers(self) -> dict[str, frozenset[int]]:
        """Return the numbers of the elements, by document."""
        found: dict[str, set[int]] = {}
        for target in self.targets.values():
            found.setdefault(target.doc, set()).add(target.id)
        return {doc: frozenset(ids) for doc, ids in found.items()}

    def ref_of(self, target: Target) -> Ref | None:
        """Return the ref that the element at `target` has here."""
        return next(
            (
                ref
                for ref, other in self.targets.items()
                if (other.doc, other.id) == (target.doc, target.id)
            ),
            None,
        )


def build_page(raw: RawPage, reading: Reading) -> Snapshot:
    """Return the page that the frames in `raw` show together, frames in the place they have."""
    with _collector_paused():
        return _build_page(raw, reading)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the search for reference cycles: a large page is many small objects and no cycles, and
    searching them over and over takes longer than making them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _build_page(raw: RawPage, reading: Reading) -> Snapshot:
    main = raw.frames[0].data
    placed = list(_splice(raw))
    targets: dict[Ref, Target] = {}
    fields = [_node_fields(one, reading, targets) for one in placed]
    _add_fingerprints(fields, placed, reading.masker)
    nodes = NODES.validate_python(fields)
    url = reading.masker.text(reading.origins.canonical(main["url"]))
    active = next((at for at, tab in enumerate(reading.tabs) if tab.active), 0)
    scroll_y = main["scroll"][1]
    hashes = hash_page(url, nodes, reading.volatile, scroll_y=scroll_y, tab=active)
    page = Page(
        url=url,
        title=reading.masker.text(main["title"]),
        nodes=nodes,
        tabs=reading.tabs,
        viewport=(main["view"][0], main["view"][1]),
        scroll_y=scroll_y,
        height=main["size"][1],
        modal=next((frame.data["modal"] for frame in raw.frames if frame.data["modal"]), None),
        notices=notices_of(raw, nodes, reading.masker),
        content_hash=hashes.content,
        view_hash=hashes.view,
        structure_key=hashes.structure,
    )
    return Snapshot(page, targets)


class _Placed(NamedTuple):
    node: dict[str, Any]
    frame: RawFrame
    depth: int


def _splice(raw: RawPage) -> Iterator[_Placed]:
    """Yield the nodes of all frames in the order in which a person meets them."""
    by_key = {frame.key: frame for frame in raw.frames}

    def walk(frame: RawFrame, depth: int) -> Iterator[_Placed]:
        for node in frame.data["nodes"]:
            yield _Placed(node, frame, depth + node["d"])
            if inner := node.get("fr"):
                key = f"{frame.key}.f{inner['n']}" if frame.key else f"f{inner['n']}"
                if child := by_key.get(key):
                    yield from walk(child, depth + node["d"] + 1)

    yield from walk(raw.frames[0], 0)


def _node_fields(placed: _Placed, reading: Reading, targets: dict[Ref, Target]) -> dict[str, Any]:
    node, frame, depth = placed
    masker, origins = reading.masker, reading.origins
    number = node.get("i")
    fields: dict[str, Any] = {
        "depth": depth,
        "role": node["r"],
        "name": masker.text(origins.canonical_text(node["n"])),
        "in_view": False,
    }
    if "b" in node:
        fields["box"], fields["in_view"] = _box(node, frame)
    if number is not None:
        ref = Ref(f"{frame.key}.{number}" if frame.key else str(number))
        target = Target(frame.chain, frame.data["doc"], number)
        targets[ref] = target
        fields["ref"] = ref
        known = reading.known.get(target.doc) if reading.known is not None else None
        fields["is_new"] = known is not None and number not in known
        if "val" in node:
            fields["value"] = _value(node, target, reading)
    elif "val" in node:
        fields["value"] = masker.field(node["val"])
    _add_details(fields, node, frame, reading)
    return fields


def _value(node: dict[str, Any], target: Target, reading: Reading) -> str:
    """Return what a field holds; of a masked one, the placeholder that was typed into it."""
    if "m" in node:
        return reading.typed.get((target.doc, target.id), MASK)
    value: str = node["val"]
    typed = reading.typed.get((target.doc, target.id))
    if typed is not None and reading.masker.reveal(typed) == value:
        return typed
    return reading.masker.field(value)


def _add_details(
    fields: dict[str, Any], node: dict[str, Any], frame: RawFrame, reading: Reading
) -> None:
    masker, origins = reading.masker, reading.origins
    if "s" in node:
        fields["states"] = tuple(node["s"])
    if "o" in node:
        fields["options"] = tuple(masker.text(option) for option in node["o"])
        fields["options_total"] = node["on"]
    if "h" in node:
        fields["href"] = masker.text(origins.canonical(node["h"]))
    if "f" in node:
        count, method, path = node["f"]
        prefix = f"{frame.key}." if frame.key else ""
        fields["form"] = f"{prefix}{count} {method} {masker.text(path)}"
    if "c" in node:
        fields["covered_by"] = masker.text(node["c"])
    if "sc" in node:
        fields["scroll"] = tuple(node["sc"])
    if "p" in node:
        fields["placeholder"] = masker.text(node["p"])
    for key, name in (("l", "level"), ("it", "input_type")):
        if key in node:
            fields[name] = node[key]


def _box(node: dict[str, Any], frame: RawFrame) -> tuple[dict[str, int], bool]:
    x, y, width, height = node["b"]
    x, y = x + frame.offset[0], y + frame.offset[1]
    in_view = "v" in node
    if in_view and frame.clip is not None:
        left, top, right, bottom = frame.clip
        in_view = x + width > left and x < right and y + height > top and y < bottom
    return {"x": x, "y": y, "width": width, "height": height}, in_view


def _add_fingerprints(fields: list[dict[str, Any]], placed: list[_Placed], masker: Masker) -> None:
    """Describe the controls among `fields`, which are those of `placed`."""
    stands = [Stand(one["depth"], one["role"], one["name"]) for one in fields]
    cards = [masker.text(one.node.get("x", "")) for one in placed]
    twins: Counter[tuple[object, ...]] = Counter()
    for one, raw, place in zip(fields, placed, surroundings(stands, cards), strict=True):
        if "ref" not in one:
            continue
        tag, kind = raw.node.get("t", ""), raw.node.get("it")
        attributes = tuple((name, masker.text(value)) for name, value in raw.node.get("a", ()))
        described = {
            "role": one["role"],
            "name": one["name"],
            "tag": f"{tag}:{kind}" if kind and tag == "input" else tag,
            "attributes": attributes,
            "landmark": place.landmark,
            "context": place.context,
            "frame": raw.frame.key,
        }
        key = tuple(described.values())
        one["fingerprint"] = described | {"ordinal": twins[key]}
        twins[key] += 1
