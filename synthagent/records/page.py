"""What an agent sees: pages as trees of nodes, and the observation kept of each look.

Pure data; `browser/snapshot.py` makes and renders it.
"""

from functools import cached_property
from typing import NewType

from pydantic import Field

from synthagent.records.frozen import Frozen, Sha

Ref = NewType("Ref", str)
"""Name of an actionable element on one page: `12`, or `f1.7` in the first child frame."""


class Box(Frozen):
    """Rectangle in CSS pixels, relative to the viewport of the main frame."""

    x: int
    y: int
    width: int
    height: int


class Fingerprint(Frozen):
    """Describes an element so that it can be found again on another load of the page."""

    role: str
    name: str
    tag: str
    """Tag name, with the type for inputs: `button`, `input:email`."""
    attributes: tuple[tuple[str, str], ...] = ()
    """Stable attributes only: id without a hash look, name, data-testid, path of href."""
    landmark: str = ""
    """Nearest landmark, with its name: `navigation "Account"`, `main`."""
    context: str = ""
    """Nearest heading, row header or list-item text that tells equal elements apart."""
    ordinal: int = 0
    """Position among elements that are equal in all the above."""
    frame: str = ""
    """Empty in the main frame, else `f1`, `f1.f2`."""


class Node(Frozen):
    """One line of a page: a container, a text, or a control that can be acted on."""

    depth: int
    role: str
    """ARIA role, or `text` for plain text."""
    name: str = ""
    ref: Ref | None = None
    """Given to actionable nodes only."""
    value: str | None = None
    states: tuple[str, ...] = ()
    """Of: disabled, checked, mixed, expanded, collapsed, selected, pressed, current, invalid,
    required, readonly, focused, multiple."""
    options: tuple[str, ...] = ()
    """Labels of a select, at most 50."""
    options_total: int = 0
    level: int | None = None
    """Of a heading."""
    href: str | None = None
    """Target of a link, absolute, with the canonical origin."""
    input_type: str | None = None
    placeholder: str | None = None
    form: str | None = None
    """Key of the enclosing form on this page: `1 POST /basket/add/`, `f1.2 GET /search`."""
    box: Box | None = None
    in_view: bool = True
    covered_by: str | None = None
    scroll: tuple[int, int] | None = None
    """Pixels scrolled and scrollable, for scrollers."""
    is_new: bool = False
    """Not there at the previous look at the same document."""
    fingerprint: Fingerprint | None = None


class Tab(Frozen):
    """An open tab, in order of opening."""

    url: str
    title: str
    active: bool


class Page(Frozen):
    """A whole look at the active tab, as data: can be rendered and hashed without a browser."""

    url: str
    """With the canonical origin of the site."""
    title: str
    nodes: tuple[Node, ...]
    tabs: tuple[Tab, ...] = ()
    viewport: tuple[int, int] = (1280, 720)
    scroll_y: int = 0
    height: int = 0
    modal: str | None = None
    """Name of the dialog that covers the page, if any."""
    notices: tuple[str, ...] = ()
    """What could not be read or was left out, one sentence each."""
    content_hash: Sha
    view_hash: Sha
    structure_key: Sha

    @cached_property
    def elements(self) -> tuple[Node, ...]:
        """Return the actionable nodes, in document order."""
        return tuple(node for node in self.nodes if node.ref is not None)

    @cached_property
    def by_ref(self) -> dict[str, Node]:
        """Return the actionable nodes by their ref."""
        return {node.ref: node for node in self.nodes if node.ref is not None}


class Observation(Frozen):
    """What is kept of one look: the text the agent read, and where the rest lies."""

    url: str
    title: str
    text: str
    """Exactly what the agent saw."""
    content_hash: Sha
    view_hash: Sha
    structure_key: Sha
    page: Sha
    """Blob of the whole `Page` as JSON."""
    screenshot: Sha | None = None
    """Blob of the viewport as WebP, without marks."""
    tabs: int = Field(default=1, ge=0)
