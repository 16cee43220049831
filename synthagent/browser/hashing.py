"""Names what a page is: the content hash, the view hash and the key of its kind.

Pure; not responsible for reading pages. Leaves out all that may differ between two equal looks.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from synthagent.records import Node
from synthagent.records.frozen import canonical_json

VOLATILE_QUERY = frozenset(
    {"form_key", "_", "sid", "token", "csrf", "csrf_token", "phpsessid", "jsessionid", "nonce"}
)
DIGITS = re.compile(r"\d+")
ID_SEGMENT = re.compile(r"\d|^[0-9a-f]{8,}$", re.IGNORECASE)
REPEATED = frozenset({"listitem", "row", "article", "treeitem", "option"})
MENUS = frozenset({"navigation", "banner", "contentinfo", "search", "menu", "menubar", "tablist"})
PASSING_STATES = frozenset({"focused"})


@dataclass(frozen=True)
class Volatile:
    """What of a site differs between two equal looks: query keys, and patterns of text."""

    query: frozenset[str] = frozenset()
    text: tuple[str, ...] = ()

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """Return one pattern for all volatile texts, None when there are none."""
        return re.compile("|".join(f"(?:{text})" for text in self.text)) if self.text else None

    def plain_text(self, text: str) -> str:
        """Return `text` in one spelling, volatile parts replaced by `*`."""
        text = unicodedata.normalize("NFC", " ".join(text.split()))
        return self.pattern.sub("*", text) if self.pattern else text

    def plain_url(self, url: str) -> str:
        """Return `url` with its query in order, without volatile keys and without a fragment."""
        parts = urlsplit(url)
        query = sorted(
            (name, value)
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
            if name.lower() not in VOLATILE_QUERY and name not in self.query
        )
        # A fragment with a path in it is the address of a page inside an application.
        fragment = parts.fragment if "/" in parts.fragment else ""
        return parts._replace(query=urlencode(query), fragment=fragment).geturl()


class Hashes(NamedTuple):
    """The three names of a page."""

    content: str
    view: str
    structure: str


def hash_page(
    url: str,
    nodes: Sequence[Node],
    volatile: Volatile,
    *,
    scroll_y: int = 0,
    tab: int = 0,
) -> Hashes:
    """Return the hashes of a page; `url` has the canonical origin."""
    plain = volatile.plain_url(url)
    content = _sha([plain, [_line(node, volatile) for node in nodes]])
    scrolls = [node.scroll[0] for node in nodes if node.scroll is not None]
    focused = [
        node.fingerprint.model_dump(mode="json") if node.fingerprint else node.role
        for node in nodes
        if "focused" in node.states
    ]
    view = _sha([content, scroll_y, scrolls, focused, tab])
    structure = _sha([_template(plain), sorted(_controls(nodes))])
    return Hashes(content, view, structure)


def _line(node: Node, volatile: Volatile) -> list[object]:
    states = [state for state in node.states if state not in PASSING_STATES]
    line: list[object] = [node.role, volatile.plain_text(node.name)]
    if node.value is not None:
        line.append(["value", volatile.plain_text(node.value)])
    if states:
        line.append(states)
    if node.level is not None:
        line.append(node.level)
    if node.options:
        line.append([list(node.options), node.options_total])
    return line


def _template(url: str) -> str:
    parts = urlsplit(url)
    path = _path_template(parts.path)
    keys = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{parts.scheme}://{parts.netloc}{path}?{'&'.join(keys)}"


def _path_template(path: str) -> str:
    return "/".join("*" if ID_SEGMENT.search(part) else part for part in path.split("/"))


def _controls(nodes: Sequence[Node]) -> Iterable[str]:
    """Yield each kind of control once; what repeats with the data counts without its name."""
    found: set[str] = set()
    above: list[Node] = []
    for node in nodes:
        while above and above[-1].depth >= node.depth:
            above.pop()
        if node.ref is not None:
            roles = {parent.role for parent in above}
            repeats = bool(roles & REPEATED) and not roles & MENUS
            name = "*" if repeats else DIGITS.sub("0", node.name)
            if node.role == "link" and node.href:
                name = _path_template(urlsplit(node.href).path)
            landmark = node.fingerprint.landmark.partition(" ")[0] if node.fingerprint else ""
            found.add(canonical_json([landmark, node.role, name]))
        above.append(node)
    return found


def _sha(value: object) -> str:
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()
