"""Finds an element again on another load of a page by what it is, never by where it was.

Pure; not responsible for describing elements, see `snapshot.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from synthagent.records import Fingerprint, Node, Page

Level = Literal["exact", "ordinal", "landmark", "name", "none"]
MAX_CANDIDATES = 3


@dataclass(frozen=True, slots=True)
class Match:
    """What was found. `ref` is None when nothing, or several equal elements, fit."""

    ref: str | None
    level: Level
    candidates: tuple[Node, ...] = ()
    """Up to three that look alike, when there is no match."""


def find(page: Page, fingerprint: Fingerprint) -> Match:
    """Return the element of `page` that `fingerprint` describes.

    Tried in turn: all of it; all but the position among equals; role, name and landmark; role and
    name. The first level at which exactly one element fits decides.
    """
    alike = [node for node in page.elements if _is_alike(node, fingerprint)]
    levels: tuple[tuple[Level, Callable[[Fingerprint], object]], ...] = (
        ("exact", lambda one: one),
        ("ordinal", lambda one: one.model_copy(update={"ordinal": 0})),
        ("landmark", lambda one: (one.frame, one.landmark, one.attributes)),
        ("landmark", lambda one: (one.frame, one.landmark)),
        ("name", lambda one: one.role),
    )
    for level, key in levels:
        wanted = key(fingerprint)
        fitting = [node for node in alike if node.fingerprint and key(node.fingerprint) == wanted]
        if len(fitting) == 1:
            return Match(fitting[0].ref, level)
    return Match(None, "none", tuple(_closest(alike or _same_role(page, fingerprint))))


def _is_alike(node: Node, fingerprint: Fingerprint) -> bool:
    one = node.fingerprint
    return one is not None and (one.role, one.name) == (fingerprint.role, fingerprint.name)


def _same_role(page: Page, fingerprint: Fingerprint) -> list[Node]:
    words = set(fingerprint.name.casefold().split())
    nodes = [node for node in page.elements if node.role == fingerprint.role and node.name]
    return sorted(nodes, key=lambda node: -len(words & set(node.name.casefold().split())))


def _closest(nodes: Sequence[Node]) -> Sequence[Node]:
    return nodes[:MAX_CANDIDATES]
