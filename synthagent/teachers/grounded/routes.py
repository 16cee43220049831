"""Shortest ways by links from one seen page to another, as steps that an agent can take.

A map of what exploration saw: pages by address, and every link on them, tried or not.
"""

from collections import deque
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from synthagent.records import Node, Page, PlanStep
from synthagent.teachers.protocol import Seen


@dataclass(frozen=True, slots=True)
class Link:
    """A link on a seen page."""

    url: str
    node: Node


@dataclass(slots=True)
class Routes:
    """The link graph of one role."""

    pages: dict[str, Page] = field(default_factory=dict)
    links: dict[str, list[Link]] = field(default_factory=dict)
    _ways: dict[str, dict[str, tuple[str, Node]]] = field(default_factory=dict)

    def way(self, start: str, target: str) -> tuple[PlanStep, ...] | None:
        """Return the clicks that lead from `start` to `target`, None when there are none."""
        start, target = bare(start), bare(target)
        came_from = self._came_from(start)
        if target != start and target not in came_from:
            return None
        steps: list[PlanStep] = []
        while target != start:
            target, node = came_from[target]
            steps.append(click_step(node))
        return tuple(reversed(steps))

    def _came_from(self, start: str) -> dict[str, tuple[str, Node]]:
        if start not in self._ways:
            came_from: dict[str, tuple[str, Node]] = {}
            queue = deque([start])
            while queue:
                url = queue.popleft()
                for link in self.links.get(url, ()):
                    if link.url not in came_from and link.url != start:
                        came_from[link.url] = (url, link.node)
                        queue.append(link.url)
            self._ways[start] = came_from
        return self._ways[start]


def routes_of(seen: Seen, role: str) -> Routes:
    """Return the link graph of the pages seen as `role`; the first look at an address counts."""
    routes = Routes()
    for transition in seen.transitions:
        if transition.role != role:
            continue
        for observation in (transition.before, transition.after):
            url = bare(observation.url)
            page = seen.pages.get(observation.page)
            if page is None or url in routes.pages:
                continue
            routes.pages[url] = page
            routes.links[url] = [
                Link(bare(node.href), node)
                for node in page.elements
                if node.role == "link" and node.href and node.name and not node.covered_by
            ]
    return routes


def click_step(node: Node) -> PlanStep:
    """Return the plan step that clicks `node`."""
    return PlanStep(verb="click", target=node.fingerprint, instruction=f"Click {describe(node)}")


def describe(node: Node) -> str:
    """Return a control in words: `the button "Add to basket"`."""
    role = {"textbox": "field", "searchbox": "search field", "combobox": "list"}.get(
        node.role, node.role
    )
    return f'the {role} "{node.name}"' if node.name else f"the {role}"


def bare(url: str | None) -> str:
    """Return `url` without its fragment."""
    return (url or "").partition("#")[0]


def path_of(url: str) -> str:
    """Return the path of `url`."""
    return urlsplit(url).path
