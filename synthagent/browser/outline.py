"""Turns the flat list of nodes of a page into a tree, for printing.

Pure; not responsible for how the tree is printed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from synthagent.records import Node

BLOCKS = frozenset({"table", "list", "grid", "row", "form", "article", "dialog", "iframe"})


@dataclass(frozen=True)
class Branch:
    """A node with all that is inside of it."""

    node: Node
    inner: list["Branch"] = field(default_factory=list)

    @cached_property
    def in_view(self) -> bool:
        """Whether it or something in it shows in the viewport."""
        return self.node.in_view or any(branch.in_view for branch in self.inner)

    @cached_property
    def controls(self) -> int:
        """How many controls it has, itself included."""
        return int(self.node.ref is not None) + sum(branch.controls for branch in self.inner)

    @cached_property
    def shape(self) -> tuple[object, ...]:
        """What it is made of; equal for the rows of one table."""
        return (self.node.role, tuple(branch.shape for branch in self.inner))

    @cached_property
    def is_deep(self) -> bool:
        """Whether a cell holds more than text and controls, so that one line cannot say it."""
        return any(
            leaf.node.role in BLOCKS or leaf.node.scroll is not None
            for cell in self.inner
            for leaf in cell.all_inner
        )

    @property
    def all_inner(self) -> Iterator["Branch"]:
        """All branches inside, in document order."""
        for branch in self.inner:
            yield branch
            yield from branch.all_inner

    @property
    def leaves(self) -> Iterator[Node]:
        """The controls and pictures inside, in document order."""
        for branch in self.all_inner:
            if branch.node.ref is not None or branch.node.role in {"img", "progressbar", "meter"}:
                yield branch.node


def outline(nodes: Sequence[Node]) -> list[Branch]:
    """Return the trees that `nodes`, in document order with depths, stand for."""
    roots: list[Branch] = []
    path: list[Branch] = []
    for node in nodes:
        while path and path[-1].node.depth >= node.depth:
            path.pop()
        branch = Branch(node)
        (path[-1].inner if path else roots).append(branch)
        path.append(branch)
    return roots
