"""The text form of a page: what an agent reads, one line a node, within a budget of tokens.

Pure. Not responsible for what is on the page, see `snapshot.py`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from synthagent.records import Node, Page

CHARS_PER_TOKEN = 4
ROWS_BEFORE_FOLD, ROWS_KEPT = 12, 8
INLINE_OPTIONS = 8
SILENT = frozenset({"list", "listitem", "table", "grid", "group", "feed", "rowgroup", "region"})
CELLS = frozenset({"cell", "gridcell", "rowheader", "columnheader"})
SILENT_STATES = frozenset({"focused", "aria-hidden"})


@dataclass(frozen=True, slots=True)
class Line:
    """A printed node."""

    text: str
    in_view: bool


def render(
    page: Page, *, max_tokens: int | None = None, full: bool = False, view_only: bool = False
) -> str:
    """Return `page` as text.

    Args:
        page: The page.
        max_tokens: Budget, at four characters a token; what lies in view is kept first, and a last
            line says what was cut.
        full: Print all rows of long lists.
        view_only: Print only what lies in the viewport, and how much lies above and below.
    """
    lines = list(_lines(page, fold=not full))
    if view_only:
        shown = [line for line in lines if line.in_view]
        below = max(0, page.height - page.scroll_y - page.viewport[1])
        foot = f"above {page.scroll_y} px · below {below} px · {len(lines) - len(shown)} more lines"
        lines = [*shown, Line(foot, in_view=True)]
    head = [f"! {notice}" for notice in page.notices]
    if page.modal:
        head.append(f'! the dialog "{page.modal}" covers the page')
    if len(page.tabs) > 1:
        tabs = (
            f"{at}{'*' if tab.active else ''} {tab.title!r}" for at, tab in enumerate(page.tabs)
        )
        head.append("tabs: " + " · ".join(tabs))
    texts = [line.text for line in lines]
    if max_tokens is not None:
        texts = _within(lines, max_tokens * CHARS_PER_TOKEN - sum(map(len, head)), max_tokens)
    return "\n".join([*head, *texts])


def _within(lines: Sequence[Line], budget: int, max_tokens: int) -> list[str]:
    if sum(len(line.text) + 1 for line in lines) <= budget:
        return [line.text for line in lines]
    budget -= 80
    kept: set[int] = set()
    for in_view in (True, False):
        for at, line in enumerate(lines):
            if line.in_view is in_view:
                budget -= len(line.text) + 1
                if budget < 0:
                    break
                kept.add(at)
    cut = f"… cut: {len(lines) - len(kept)} of {len(lines)} lines left out ({max_tokens} tokens)"
    return [*(lines[at].text for at in sorted(kept)), cut]


def _lines(page: Page, *, fold: bool) -> Iterator[Line]:
    nodes = page.nodes
    indent: list[tuple[int, int]] = []
    at = 0
    folded = _folds(nodes) if fold else {}
    while at < len(nodes):
        node = nodes[at]
        while indent and indent[-1][0] >= node.depth:
            indent.pop()
        pad = "  " * (indent[-1][1] if indent else 0)
        if at in folded:
            end, count = folded[at]
            yield Line(f"{pad}… {count} more {_plural(node.role)} like this", node.in_view)
            at = end
            continue
        text = _text(nodes, at)
        if text:
            yield Line(pad + text, node.in_view)
            indent.append((node.depth, (indent[-1][1] if indent else 0) + 1))
        at += 1


def _plural(role: str) -> str:
    return {"row": "rows", "listitem": "items"}.get(role, f"{role}s")


def _text(nodes: Sequence[Node], at: int) -> str:
    node = nodes[at]
    if node.ref is not None:
        return _control(node)
    if node.role == "row":
        cells = [one.name for one in _inside(nodes, at) if one.role in CELLS]
        return "row: " + " | ".join(cells) if any(cells) else ""
    return _container(node)


def _container(node: Node) -> str:
    if node.role in {"text", "term", "definition"}:
        return node.name if node.role == "text" else f"{node.role}: {node.name}"
    if node.role in CELLS or (not node.name and node.role in SILENT | {"heading"}):
        return ""
    if node.role == "heading":
        return f"heading {node.level or 2}: {node.name}"
    value = f' = "{node.value}"' if node.value else ""
    return f'{node.role} "{node.name}"{value}' if node.name else node.role + value


def _control(node: Node) -> str:
    star = "*" if node.is_new else ""
    parts = [f"{star}[{node.ref}] {node.role}" + (f' "{node.name}"' if node.name else "")]
    if node.value is not None and (node.value or node.role in {"textbox", "combobox"}):
        parts.append(f'= "{node.value}"')
    if node.options:
        shown = " | ".join(node.options[:INLINE_OPTIONS])
        rest = node.options_total - min(len(node.options), INLINE_OPTIONS)
        parts.append(f"({shown}" + (f" | … {rest} more)" if rest > 0 else ")"))
    if node.placeholder and node.placeholder != node.name:
        parts.append(f'placeholder "{node.placeholder}"')
    states = [state for state in node.states if state not in SILENT_STATES]
    if states:
        parts.append(f"({', '.join(states)})")
    if node.scroll is not None:
        parts.append(f"scroll {node.scroll[0]}/{node.scroll[1]} px")
    if node.covered_by:
        parts.append(f"(covered by {node.covered_by})")
    return " ".join(parts)


def _inside(nodes: Sequence[Node], at: int) -> Iterator[Node]:
    for node in nodes[at + 1 :]:
        if node.depth <= nodes[at].depth:
            return
        yield node


def _folds(nodes: Sequence[Node]) -> dict[int, tuple[int, int]]:
    """Return where runs of equal-shaped rows are folded: first row left out, its end, how many."""
    ends: dict[int, int] = {}
    shapes: dict[int, tuple[str, ...]] = {}
    for at, node in enumerate(nodes):
        if node.role in {"row", "listitem"}:
            inside = list(_inside(nodes, at))
            ends[at] = at + 1 + len(inside)
            shapes[at] = tuple(one.role for one in inside if one.ref or one.role in CELLS)
    folds: dict[int, tuple[int, int]] = {}
    done: set[int] = set()
    for at in ends:
        if at in done:
            continue
        run = [at]
        while (after := ends[run[-1]]) in ends and _is_next(nodes, run[-1], after, shapes):
            run.append(after)
        done.update(run)
        if len(run) > ROWS_BEFORE_FOLD:
            folds[run[ROWS_KEPT]] = (ends[run[-1]], len(run) - ROWS_KEPT)
    return folds


def _is_next(
    nodes: Sequence[Node], at: int, after: int, shapes: dict[int, tuple[str, ...]]
) -> bool:
    one, other = nodes[at], nodes[after]
    return (one.role, one.depth) == (other.role, other.depth) and shapes[at] == shapes[after]
