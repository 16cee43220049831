"""The site as exploration saw it: page kinds, what was tried on them, and the ways between.

Gives no positions; `layout.py` places the kinds and `charts.py` draws them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import takewhile
from urllib.parse import parse_qsl, urlsplit

from synthagent.errors import DataError
from synthagent.records import Fingerprint, Observation, Page, Sha, Transition
from synthagent.report.rows import Row

JOINTS = " -|·:–—"
PARTS = re.compile(r"\s+[-|·–—:]\s+")
PAGES_READ = 6
"""Pages of one kind that are opened to count its controls."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Pages that are built alike."""

    key: Sha
    title: str
    address: str
    """Path and query keys; `…` where the pages of the kind differ."""
    visits: int
    roles: tuple[str, ...]
    """Who saw it, most frequent first."""
    tried: int
    seen: int
    """Different controls on the pages that were read."""
    kept: int
    """Kept trajectories that pass through it."""


@dataclass(frozen=True, slots=True)
class Way:
    """Transitions from one kind to another, by index into `Coverage.kinds`."""

    source: int
    target: int
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """The graph of page kinds. `starts` are where the exploration of each role began."""

    kinds: tuple[Kind, ...]
    ways: tuple[Way, ...]
    starts: tuple[int, ...]
    roles: tuple[str, ...]


@dataclass(slots=True)
class _Draft:
    titles: Counter[str] = field(default_factory=Counter)
    urls: Counter[str] = field(default_factory=Counter)
    roles: Counter[str] = field(default_factory=Counter)
    pages: dict[Sha, None] = field(default_factory=dict)
    tried: set[Fingerprint] = field(default_factory=set)
    visits: int = 0
    kept: int = 0


def map_coverage(
    transitions: Iterable[Transition], rows: Iterable[Row], load: Callable[[Sha], Page]
) -> Coverage:
    """Return the graph of page kinds in the order of their first visit.

    Args:
        transitions: All of a run.
        rows: Its trajectories; they add visits to the kinds, not ways.
        load: Returns the page of an observation, to count the controls on it.
    """
    drafts: dict[Sha, _Draft] = defaultdict(_Draft)
    ways: Counter[tuple[Sha, Sha]] = Counter()
    examples: dict[tuple[Sha, Sha], str] = {}
    starts: dict[str, Sha] = {}
    for item in transitions:
        source, target = item.before.structure_key, item.after.structure_key
        _visit(drafts[source], item.before, item.role)
        _visit(drafts[target], item.after, item.role)
        if item.target is not None:
            drafts[source].tried.add(item.target)
        if source != target:
            ways[source, target] += 1
            examples.setdefault((source, target), _control(item))
        starts.setdefault(item.role, source)
    _add_rows(drafts, rows)
    index = {key: place for place, key in enumerate(drafts)}
    titles = without_site([title_of(draft.titles) for draft in drafts.values()])
    return Coverage(
        kinds=tuple(
            _finish(key, draft, title, load)
            for (key, draft), title in zip(drafts.items(), titles, strict=True)
        ),
        ways=tuple(
            Way(index[source], index[target], count, examples[source, target])
            for (source, target), count in ways.items()
        ),
        starts=tuple(dict.fromkeys(index[key] for key in starts.values())),
        roles=_by_frequency(sum((draft.roles for draft in drafts.values()), Counter())),
    )


def _visit(draft: _Draft, look: Observation, role: str) -> None:
    draft.visits += 1
    draft.titles[look.title] += 1
    draft.urls[look.url] += 1
    draft.roles[role] += 1
    if len(draft.pages) < PAGES_READ:
        draft.pages[look.page] = None


def _add_rows(drafts: dict[Sha, _Draft], rows: Iterable[Row]) -> None:
    for row in rows:
        for key in row.kinds:
            if key in drafts:
                drafts[key].visits += 1
        if row.kept:
            for key in set(row.kinds) & drafts.keys():
                drafts[key].kept += 1


def _control(item: Transition) -> str:
    if item.target is None:
        return item.action.type
    return f"{item.action.type} {item.target.role} “{item.target.name}”"


def _finish(key: Sha, draft: _Draft, title: str, load: Callable[[Sha], Page]) -> Kind:
    controls: set[Fingerprint] = set()
    for sha in draft.pages:
        with suppress(DataError):  # one lost file must not cost the report
            controls |= {node.fingerprint for node in load(sha).elements if node.fingerprint}
    return Kind(
        key=key,
        title=title,
        address=address_of(draft.urls),
        visits=draft.visits,
        roles=_by_frequency(draft.roles),
        tried=len(draft.tried),
        seen=len(controls | draft.tried),
        kept=draft.kept,
    )


def _by_frequency(counts: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted(counts, key=lambda name: (-counts[name], name)))


def title_of(titles: Counter[str]) -> str:
    """Return the words that all titles begin with, else the most frequent title."""
    names = [name for name in titles if name.strip()]
    if len(names) <= 1:
        return names[0] if names else "(no title)"
    start = " ".join(_shared([name.split() for name in names])).rstrip(JOINTS)
    if len(start) > 3:
        return f"{start} …"
    return min(names, key=lambda name: (-titles[name], name))


def without_site(titles: Sequence[str], rounds: int = 2) -> list[str]:
    """Return titles without the parts at one end that most share: name and motto of the site."""
    for end in (-1, 0):
        parts = [PARTS.split(title) for title in titles]
        names = Counter(part[end] for part in parts if len(part) > 1)
        name, count = names.most_common(1)[0] if names else ("", 0)
        if count > len(titles) / 2 and count > 1 and rounds:
            shorter = [_without(title, name, end) for title in titles]
            return without_site(shorter, rounds - 1)
    return list(titles)


def _without(title: str, name: str, end: int) -> str:
    cut = title.removeprefix(name) if end == 0 else title.removesuffix(name)
    return cut.strip(JOINTS) or title if cut != title else title


def _shared(words: list[list[str]]) -> list[str]:
    """Return the first words that all lists begin with."""
    columns = zip(*words, strict=False)
    return [column[0] for column in takewhile(lambda column: len(set(column)) == 1, columns)]


def address_of(urls: Counter[str]) -> str:
    """Return one readable address for pages of a kind: `/catalogue/…/?page`."""
    split = [urlsplit(url) for url in urls]
    shapes: Counter[int] = Counter()
    for part, url in zip(split, urls, strict=True):
        shapes[part.path.count("/")] += urls[url]
    depth = max(shapes, key=lambda slashes: (shapes[slashes], -slashes))
    paths = [part.path.split("/") for part in split if part.path.count("/") == depth]
    path = "/".join(
        column[0] if len(set(column)) == 1 else "…" for column in zip(*paths, strict=True)
    )
    keys = set.intersection(
        *({key for key, _ in parse_qsl(part.query, keep_blank_values=True)} for part in split)
    )
    return (path or "/") + ("?" + "&".join(sorted(keys)) if keys else "")
