"""Describes elements so that they can be found again, and finds them on another page.

Pure. Goes by what an element is and where it stands, never by coordinates or numbers on the page.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from synthagent.records import Fingerprint, Node, Page, Ref

LANDMARKS = frozenset(
    {
        "navigation",
        "main",
        "banner",
        "contentinfo",
        "complementary",
        "search",
        "form",
        "region",
        "dialog",
        "alertdialog",
    }
)
ROWS = frozenset({"row", "listitem", "article", "treeitem"})
CELLS = frozenset({"rowheader", "cell", "gridcell"})
CONTEXT_MAX = 80
CANDIDATES_MAX = 3

Level = Literal["exact", "ordinal", "landmark", "attributes", "name", "none"]


@dataclass(frozen=True, slots=True)
class Match:
    """Where an element was found again, and by how much of its fingerprint."""

    ref: Ref | None
    level: Level
    """`exact`: all of it. `ordinal`: all but the position among equals. `landmark`: role, name and
    landmark. `attributes`: its own id or test id, under another name. `name`: role and name."""
    candidates: tuple[Node, ...] = ()
    """Look-alikes, when it was not found."""


def find(page: Page, fingerprint: Fingerprint) -> Match:
    """Return the one element of `page` that `fingerprint` describes, if there is exactly one."""
    wanted = normal(fingerprint)
    known = [(node, normal(node.fingerprint)) for node in page.elements if node.fingerprint]
    for node, have in known:
        if have == wanted:
            return Match(node.ref, "exact")
    same_kind = [
        (node, have) for node, have in known if (have.role, have.name) == (wanted.role, wanted.name)
    ]
    levels: tuple[tuple[Level, Callable[[Fingerprint], bool], list[tuple[Node, Fingerprint]]], ...]
    levels = (
        ("ordinal", lambda have: _place(have) == _place(wanted), same_kind),
        ("landmark", lambda have: _area(have) == _area(wanted), same_kind),
        ("attributes", lambda have: _is_renamed(have, wanted), known),
        ("name", lambda have: True, same_kind),
    )
    for level, fits, among in levels:
        matching = [node for node, have in among if fits(have)]
        if len(matching) == 1:
            # Another row's twin is another element, also when it is the only one left.
            if level in {"landmark", "name"} and _has_moved(matching[0], wanted):
                break
            return Match(matching[0].ref, level)
        if len(matching) > 1:
            return Match(None, "none", tuple(matching[:CANDIDATES_MAX]))
    return Match(None, "none", tuple(node for node, _ in same_kind[:CANDIDATES_MAX]))


def normal(fingerprint: Fingerprint) -> Fingerprint:
    """Return `fingerprint` with its texts in one spelling."""
    return fingerprint.model_copy(
        update={
            "name": plain(fingerprint.name),
            "landmark": plain(fingerprint.landmark),
            "context": plain(fingerprint.context),
        }
    )


def plain(text: str) -> str:
    """Return `text` without differences of width, case, spaces and joiners."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(text.replace("\u200c", "").replace("\u200d", "").split())


def _place(fingerprint: Fingerprint) -> tuple[object, ...]:
    return (fingerprint.tag, fingerprint.attributes, fingerprint.context, *_area(fingerprint))


def _area(fingerprint: Fingerprint) -> tuple[object, ...]:
    return (fingerprint.landmark, fingerprint.frame)


def _has_moved(node: Node, wanted: Fingerprint) -> bool:
    """Return whether `node` stands in a row, and not in the row that is wanted."""
    have = node.fingerprint
    in_row = wanted.context.startswith("row ") or wanted.context.startswith("item ")
    return have is not None and in_row and plain(have.context) != wanted.context


def _is_renamed(have: Fingerprint, wanted: Fingerprint) -> bool:
    strong = {"id", "data-testid", "data-test", "data-qa"}
    own = tuple(pair for pair in wanted.attributes if pair[0] in strong)
    return (
        bool(own)
        and own == tuple(pair for pair in have.attributes if pair[0] in strong)
        and (have.role, have.tag, have.context, *_area(have))
        == (wanted.role, wanted.tag, wanted.context, *_area(wanted))
    )


class Stand(NamedTuple):
    """What is needed of a node to say where others stand."""

    depth: int
    role: str
    name: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What tells an element apart from its twins: where it stands, and beside what."""

    landmark: str
    context: str


def surroundings(nodes: Sequence[Stand], cards: Sequence[str]) -> list[Surroundings]:
    """Return the surroundings of every node, in order.

    Args:
        nodes: Nodes of a page in document order.
        cards: For each node, the title of the repeated block that it stands in, or "".
    """
    labels = _row_labels(nodes)
    found: list[Surroundings] = []
    above: list[tuple[Stand, int]] = []
    headings: list[tuple[int, str]] = []
    for index, node in enumerate(nodes):
        while above and above[-1][0].depth >= node.depth:
            above.pop()
        while headings and headings[-1][0] > node.depth:
            headings.pop()
        landmark = next((_titled(up) for up, _ in reversed(above) if up.role in LANDMARKS), "")
        row = next((labels[at] for up, at in reversed(above) if up.role in ROWS), "")
        context = f"row {row}" if row and row != node.name else ""
        if not context and cards[index] and cards[index] != node.name:
            context = f"item {cards[index]}"
        if not context and headings:
            context = next((text for _, text in reversed(headings) if text != node.name), "")
        found.append(Surroundings(landmark, context[:CONTEXT_MAX]))
        if node.role == "heading":
            headings = [pair for pair in headings if pair[0] < node.depth]
            headings.append((node.depth, node.name))
        above.append((node, index))
    return found


def _titled(node: Stand) -> str:
    return f'{node.role} "{node.name}"' if node.name else node.role


def _row_labels(nodes: Sequence[Stand]) -> dict[int, str]:
    """Return a label for each row, list item and card: header cell, heading, or first text."""
    labels: dict[int, str] = {}
    ranks: dict[int, int] = {}
    above: list[int] = []
    for index, node in enumerate(nodes):
        while above and nodes[above[-1]].depth >= node.depth:
            above.pop()
        if node.name:
            for at in above:
                rank = _rank(nodes[at], node)
                if rank > ranks.get(at, 0):
                    ranks[at], labels[at] = rank, node.name[:CONTEXT_MAX]
        if node.role in ROWS:
            above.append(index)
            labels[index] = node.name[:CONTEXT_MAX]
            ranks[index] = 0
    return labels


def _rank(row: Stand, inner: Stand) -> int:
    """Return how well `inner` names `row`; the first of equal rank wins."""
    if inner.role == "rowheader" or (inner.role == "heading" and row.role != "row"):
        return 5
    if row.role == "row":
        return 4 if inner.role in CELLS else 0
    if inner.role == "text":
        return 3
    return 2 if inner.role == "link" else 1
