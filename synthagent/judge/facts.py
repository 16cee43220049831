"""Reads facts off a page: labelled values, cells of tables, counts, the main heading.

Not responsible for wording questions about them or for judging answers; see `checks.py`.
"""

import re
from collections.abc import Iterator, Sequence

from synthagent.records import Fact, Node, Page

FACET = re.compile(r"\(\d+\)$")
"""A choice of a filter with the number of its items; the label above it is no question."""
MAX_LABEL = 40
MAX_VALUE = 80
FRAME_ROLES = frozenset({"banner", "navigation", "contentinfo"})
"""What frames every page of a site; what stands there is no fact of the page."""
CELL_ROLES = frozenset({"cell", "gridcell", "rowheader", "columnheader"})
LABELLED = re.compile(r"^(?P<label>[^\W\d_][^:]{0,38}[^\s:]):\s+(?P<value>\S.*)$")
COUNTED = re.compile(r"^(?P<count>\d[\d,.]*)\s+(?P<noun>[^\W\d_]{2,}s|result|[^\W\d_]+ found)\b")


def list_facts(page: Page) -> tuple[tuple[Fact, str], ...]:
    """Return every fact of `page` with its value, in document order.

    A place that shows several different values for one label is no fact and is left out.
    """
    return _facts(page)


def read_fact(page: Page, fact: Fact) -> str | None:
    """Return what `page` shows for `fact`, or None when it does not show it; `path` is ignored."""
    wanted = (fact.kind, _key(fact.label), _key(fact.row))
    for found, value in _facts(page):
        if (found.kind, _key(found.label), _key(found.row)) == wanted:
            return value
    return None


def _facts(page: Page) -> tuple[tuple[Fact, str], ...]:
    values: dict[Fact, set[str]] = {}
    for fact, value in _all_facts(page.nodes):
        values.setdefault(fact, set()).add(value)
    return tuple((fact, found.pop()) for fact, found in values.items() if len(found) == 1)


def _all_facts(nodes: Sequence[Node]) -> Iterator[tuple[Fact, str]]:
    headings = [node.name for node in nodes if node.role == "heading" and node.level == 1]
    if len(headings) == 1 and headings[0]:
        yield Fact(kind="heading"), headings[0]
    frame: int | None = None
    for index, node in enumerate(nodes):
        if frame is not None and node.depth > frame:
            continue
        frame = node.depth if node.role in FRAME_ROLES else None
        if node.role in {"table", "grid", "treegrid"}:
            yield from _table_facts(rows_of(nodes, index))
        elif node.role == "term":
            yield from _definition(nodes, index)
        elif node.role == "text":
            yield from _text_facts(node.name)


def rows_of(nodes: Sequence[Node], table: int) -> list[list[Node]]:
    """Return the cells of each row of the table at index `table`; nested tables are left out."""
    rows: list[list[Node]] = []
    nested: int | None = None
    for node in subtree(nodes, table):
        if nested is not None and node.depth > nested:
            continue
        nested = node.depth if node.role in {"table", "grid"} else None
        if node.role == "row":
            rows.append([])
        elif node.role in CELL_ROLES and rows:
            rows[-1].append(node)
    return [row for row in rows if row]


def subtree(nodes: Sequence[Node], index: int) -> Iterator[Node]:
    """Yield the nodes inside the node at `index`."""
    for node in nodes[index + 1 :]:
        if node.depth <= nodes[index].depth:
            return
        yield node


def _table_facts(rows: list[list[Node]]) -> Iterator[tuple[Fact, str]]:
    if not rows:
        return
    head, *body = rows
    if len(head) > 1 and all(cell.role == "columnheader" for cell in head):
        yield from _cell_facts([cell.name for cell in head], body)
        return
    for row in rows:
        if len(row) == 2 and _is_label(row[0].name) and _is_value(row[1].name):
            yield Fact(kind="label", label=row[0].name.rstrip(": ")), row[1].name


def _cell_facts(columns: list[str], body: list[list[Node]]) -> Iterator[tuple[Fact, str]]:
    """Yield one fact a cell; rows are told apart by the first column without repeated values."""
    rows = [[cell.name for cell in row] for row in body if len(row) == len(columns)]
    key = next((at for at in range(len(columns)) if rows and _tells_apart(rows, at)), None)
    if key is None:
        return
    for row in rows:
        for at, value in enumerate(row):
            if at != key and _is_label(columns[at]) and _is_value(value):
                yield Fact(kind="cell", label=columns[at], row=row[key]), value


def _tells_apart(rows: list[list[str]], column: int) -> bool:
    values = [row[column] for row in rows]
    return all(0 < len(value) <= MAX_VALUE for value in values) and len(set(values)) == len(values)


def _definition(nodes: Sequence[Node], index: int) -> Iterator[tuple[Fact, str]]:
    label = nodes[index].name or _text_inside(nodes, index)
    for at in range(index + 1, len(nodes)):
        node = nodes[at]
        if node.role == "term" or node.depth < nodes[index].depth:
            return
        if node.role == "definition":
            value = node.name or _text_inside(nodes, at)
            if _has_more(nodes, at):
                return
            if _is_label(label) and _is_value(value) and not FACET.search(value):
                yield Fact(kind="label", label=label.rstrip(": ")), value
            return


def _has_more(nodes: Sequence[Node], at: int) -> bool:
    """Return whether another definition follows that of the term: a list is no single value."""
    for node in nodes[at + 1 :]:
        if node.depth <= nodes[at].depth:
            return node.role == "definition" and node.depth == nodes[at].depth
    return False


def _text_facts(text: str) -> Iterator[tuple[Fact, str]]:
    if (labelled := LABELLED.match(text)) and _is_value(labelled["value"]):
        yield Fact(kind="label", label=labelled["label"].strip()), labelled["value"].strip()
    elif counted := COUNTED.match(text):
        yield Fact(kind="count", label=f"# {counted['noun'].lower()}"), counted["count"]


def _text_inside(nodes: Sequence[Node], index: int) -> str:
    return " ".join(node.name for node in subtree(nodes, index) if node.name)


def _is_label(text: str) -> bool:
    return 0 < len(text.rstrip(": ")) <= MAX_LABEL and any(char.isalpha() for char in text)


def _is_value(text: str) -> bool:
    return 0 < len(text.strip()) <= MAX_VALUE


def _key(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(":")
