"""Prints a page as the lines that an agent reads.

Pure; not responsible for what is on the page. One line a node, numbers on controls only; what is
left out is always said.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from synthagent.browser.outline import Branch, outline
from synthagent.records import Node, Page

ROW_RUN = 12
ROWS_SHOWN = 8
OPTIONS_SHOWN = 12
TEXT_SHOWN = 300
DATE_HINTS = {
    "date": "yyyy-mm-dd",
    "time": "hh:mm",
    "datetime-local": "yyyy-mm-ddThh:mm",
    "month": "yyyy-mm",
    "week": "yyyy-Www",
    "color": "#rrggbb",
    "password": "password",
    "email": "email",
    "number": "number",
}
SHOWN_STATES = frozenset(
    {
        "disabled",
        "checked",
        "mixed",
        "expanded",
        "collapsed",
        "selected",
        "pressed",
        "current",
        "invalid",
        "required",
        "readonly",
        "focused",
        "multiple",
    }
)
CHECKABLE = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
CELLS = frozenset({"cell", "gridcell", "rowheader", "columnheader"})
SILENT = frozenset({"list", "table", "form", "grid", "article"})
"""Containers that say nothing when they have no name."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the text form, before it is decided whether it is printed."""

    text: str
    indent: int
    in_view: bool
    controls: int = 0
    rows: int = 0
    """Above 0: it stands for so many rows that were folded."""

    @property
    def printed(self) -> str:
        """Return the line as it is printed."""
        return "  " * self.indent + self.text

    @property
    def tokens(self) -> int:
        """Return about how many tokens it costs."""
        return count_tokens(self.printed) + 1


def render(
    page: Page, *, max_tokens: int = 4000, full: bool = False, view_only: bool = False
) -> str:
    """Return the text form of `page`.

    Args:
        page: The page.
        max_tokens: About how long the text may become; what is in the viewport is printed first.
        full: Print everything, whatever it costs.
        view_only: Print only what is in the viewport, and say what lies above and below.
    """
    head = [*_header(page)]
    branches = outline(page.nodes)
    tail: list[str] = []
    if page.modal is not None and not full:
        inner = list(_modals(branches))
        if inner:
            rest = len(page.elements) - sum(branch.controls for branch in inner)
            branches = inner
            tail.append(f"(a dialog is open; {rest} controls of the page behind it are not shown)")
    lines = [*_Printer(fold=0 if full else 1).lines(branches)]
    if view_only:
        shown = [line for line in lines if line.in_view]
        return "\n".join([*head, *(line.printed for line in shown), *tail, _footer(page, lines)])
    if full:
        return "\n".join([*head, *(line.printed for line in lines), *tail])
    budget = max_tokens - sum(count_tokens(text) + 1 for text in (*head, *tail))
    if sum(line.tokens for line in lines) > budget:
        lines = [*_Printer(fold=2).lines(branches)]
    return "\n".join([*head, *_cut(lines, budget), *tail])


def count_tokens(text: str) -> int:
    """Return about how many tokens `text` has: four ASCII characters, or one other, each."""
    plain = sum(char.isascii() for char in text)
    return math.ceil(plain / 4) + len(text) - plain


def _header(page: Page) -> Iterator[str]:
    if len(page.tabs) > 1:
        for index, tab in enumerate(page.tabs):
            mark = "active tab" if tab.active else "tab"
            yield f'{mark} {index}: "{tab.title}" {tab.url}'
    yield f'page "{page.title}" {page.url}'
    if page.scroll_y or page.height > page.viewport[1] + page.scroll_y:
        below = max(0, page.height - page.viewport[1] - page.scroll_y)
        yield f"scrolled: {page.scroll_y} px above, {below} px below"
    for notice in page.notices:
        yield f"note: {notice}"


def _footer(page: Page, lines: Sequence[Line]) -> str:
    below = max(0, page.height - page.viewport[1] - page.scroll_y)
    hidden = sum(line.controls for line in lines if not line.in_view)
    return f"above {page.scroll_y} px · below {below} px · {hidden} more controls out of view"


def _modals(branches: Sequence[Branch]) -> Iterator[Branch]:
    for branch in branches:
        if branch.node.role in {"dialog", "alertdialog"} and "modal" in branch.node.states:
            yield branch
        else:
            yield from _modals(branch.inner)


def _cut(lines: Sequence[Line], budget: int) -> Iterator[str]:
    """Yield the lines that fit: all in the viewport first, then the others from the top."""
    kept = [False] * len(lines)
    left = budget - 40
    if sum(line.tokens for line in lines) <= budget:
        left = budget
    for wanted in (True, False):
        for at, line in enumerate(lines):
            if line.in_view is wanted and line.tokens <= left:
                kept[at] = True
                left -= line.tokens
            elif line.in_view is wanted:
                left = 0
    gap: list[Line] = []
    for at, line in enumerate(lines):
        if not kept[at]:
            gap.append(line)
            continue
        if gap:
            yield _gap(gap)
            gap = []
        yield line.printed
    if gap:
        yield _gap(gap)


def _gap(lines: Sequence[Line]) -> str:
    controls = sum(line.controls for line in lines)
    return f"… {len(lines)} lines with {controls} controls cut here; scroll to see them"


@dataclass(frozen=True, slots=True)
class _Printer:
    """`fold`: 0 nothing, 1 long runs of table rows, 2 also of list items and cards."""

    fold: int
    depth: int = field(default=0)

    def lines(self, branches: Sequence[Branch]) -> Iterator[Line]:
        at = 0
        while at < len(branches):
            run = self._run(branches, at)
            if run - at > ROW_RUN:
                yield from self._folded(branches[at:run])
                at = run
            else:
                yield from self._branch(branches[at], branches[at - 1] if at else None)
                at += 1

    def _run(self, branches: Sequence[Branch], start: int) -> int:
        """Return the end of the run of equal-shaped rows that begins at `start`."""
        role = branches[start].node.role
        roles = {"row"} if self.fold == 1 else {"row", "listitem", "article", "option", "treeitem"}
        if not self.fold or role not in roles:
            return start + 1
        end = start + 1
        while end < len(branches) and branches[end].shape == branches[start].shape:
            end += 1
        return end

    def _folded(self, run: Sequence[Branch]) -> Iterator[Line]:
        hidden: list[Branch] = []
        for at, branch in enumerate(run):
            if at < ROWS_SHOWN or branch.in_view:
                yield from self._more(hidden)
                hidden = []
                yield from self._branch(branch, None)
            else:
                hidden.append(branch)
        yield from self._more(hidden)

    def _more(self, hidden: Sequence[Branch]) -> Iterator[Line]:
        if hidden:
            controls = sum(branch.controls for branch in hidden)
            text = f"… {len(hidden)} more rows like this ({controls} controls)"
            yield Line(text, self.depth, False, controls, len(hidden))

    def _inner(self, branch: Branch) -> Iterator[Line]:
        yield from replace(self, depth=self.depth + 1).lines(branch.inner)

    def _branch(self, branch: Branch, before: Branch | None) -> Iterator[Line]:
        node = branch.node
        if node.role == "row" and node.ref is None and not branch.is_deep:
            yield Line(_row(branch), self.depth, branch.in_view, branch.controls)
        elif node.role in {"listitem", "definition", "term"} and node.ref is None:
            yield from self._item(branch, before)
        elif node.role in SILENT and node.ref is None and not node.name:
            yield from self.lines(branch.inner)
        elif node.role == "heading" and _is_one_control(branch):
            inner = branch.inner[0]
            text = f"heading {node.level}: {say(inner.node)}"
            yield Line(text, self.depth, branch.in_view, 1)
        else:
            yield Line(say(node), self.depth, node.in_view or branch.in_view, int(bool(node.ref)))
            yield from self._inner(branch)

    def _item(self, branch: Branch, before: Branch | None) -> Iterator[Line]:
        """Yield a list item with its first line beside the dash."""
        node = branch.node
        lines = [*replace(self, depth=self.depth + 1).lines(branch.inner)]
        if node.role == "term":
            lead = f"{node.name.rstrip(':')}:" if node.name else ""
        elif node.role == "definition":
            lead = "" if _is_one_control(branch) else f"= {node.name}" if node.name else ""
        else:
            lead = node.name
        dash = "- " if node.role == "listitem" else ""
        if lead:
            yield Line(dash + lead, self.depth, branch.in_view, 0)
        elif lines:
            first, *lines = lines
            yield replace(first, text=dash + first.text, indent=self.depth)
        yield from lines


def _is_one_control(branch: Branch) -> bool:
    if len(branch.inner) != 1 or branch.inner[0].inner:
        return False
    inner = branch.inner[0].node
    return inner.ref is not None and " ".join(inner.name.split()) == branch.node.name


def _row(branch: Branch) -> str:
    cells = [_cell(cell) for cell in branch.inner]
    return "row: " + " | ".join(cells)


def _cell(branch: Branch) -> str:
    node = branch.node
    if node.ref is not None and node.role not in CELLS:
        return say(node)
    rest = node.name
    parts = []
    for inner in branch.leaves:
        parts.append(say(inner))
        if inner.name and inner.name in rest:
            rest = " ".join(rest.replace(inner.name, "", 1).split())
    if not parts:
        return node.name if node.role != "text" else say(node)
    kept = [node.name] if rest and rest != node.name else [rest] if rest else []
    return " ".join([*kept, *parts])


def say(node: Node) -> str:
    """Return the one line that says what `node` is."""
    if node.role == "text":
        return node.name if len(node.name) <= TEXT_SHOWN else node.name[: TEXT_SHOWN - 1] + "…"
    words = [node.role]
    if node.ref is not None:
        words.insert(0, f"{'*' if node.is_new else ''}[{node.ref}]")
    if node.role == "heading":
        words.append(str(node.level))
    if node.name:
        words.append(f'"{node.name}"')
    if node.value is not None and (node.value or node.options):
        words.append(f'= "{node.value[:TEXT_SHOWN]}"')
        if node.options:
            words.append(f"of {node.options_total}")
    if node.options:
        words.append(_options(node))
    if details := ", ".join(_details(node)):
        words.append(f"({details})")
    return " ".join(words)


def _options(node: Node) -> str:
    shown = node.options if len(node.options) <= OPTIONS_SHOWN + 1 else node.options[:OPTIONS_SHOWN]
    more = node.options_total - len(shown)
    return f"({' | '.join([*shown, *([f'… {more} more'] if more > 0 else [])])})"


def _details(node: Node) -> Iterator[str]:
    if hint := DATE_HINTS.get(node.input_type or ""):
        yield hint
    if node.role in CHECKABLE and not {"checked", "mixed"} & set(node.states):
        yield "not checked"
    yield from (state for state in node.states if state in SHOWN_STATES)
    if node.placeholder and node.placeholder != node.name and not node.value:
        yield f'hint "{node.placeholder}"'
    if node.scroll is not None:
        yield f"scroll {node.scroll[0]}/{node.scroll[1]} px"
    if node.covered_by:
        yield f"covered by {node.covered_by}"
