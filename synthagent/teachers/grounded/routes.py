"""Shortest ways by links from one seen page to another, as steps that an agent can take.

A map of what exploration saw: pages by address, and every link on them, tried or not.
"""

import heapq
from dataclasses import dataclass, field
from itertools import count
from urllib.parse import urlsplit

from synthagent.records import Node, Page, PlanStep
from synthagent.teachers.protocol import Seen


@dataclass(frozen=True, slots=True)
class Link:
    """A link on a seen page."""

    url: str
    node: Node


@dataclass(frozen=True, slots=True)
class Edge:
    """A way from one address to another: the click on a link, or steps that were recorded."""

    url: str
    steps: tuple[PlanStep, ...]


@dataclass(slots=True)
class Routes:
    """The map of one role: pages, their links, and ways that need more than one step."""

    pages: dict[str, Page] = field(default_factory=dict)
    links: dict[str, list[Link]] = field(default_factory=dict)
    recorded: dict[str, list[Edge]] = field(default_factory=dict)
    _ways: dict[str, dict[str, tuple[str, Edge]]] = field(default_factory=dict)

    def way(self, start: str, target: str) -> tuple[PlanStep, ...] | None:
        """Return the fewest steps that lead from `start` to `target`, None when there are none."""
        start, target = bare(start), bare(target)
        came_from = self._came_from(start)
        if target != start and target not in came_from:
            return None
        edges: list[Edge] = []
        while target != start:
            target, edge = came_from[target]
            edges.append(edge)
        return tuple(step for edge in reversed(edges) for step in edge.steps)

    def _came_from(self, start: str) -> dict[str, tuple[str, Edge]]:
        """Return for each address that can be reached the one before it and the edge between."""
        if start in self._ways:
            return self._ways[start]
        came_from: dict[str, tuple[str, Edge]] = {}
        turn = count()
        queue: list[tuple[int, int, str, str, Edge | None]] = [(0, next(turn), start, "", None)]
        done: set[str] = set()
        while queue:
            cost, _, url, before, edge = heapq.heappop(queue)
            if url in done:
                continue
            done.add(url)
            if edge is not None:
                came_from[url] = (before, edge)
            for onward in self._edges(url):
                if onward.url not in done:
                    entry = (cost + len(onward.steps), next(turn), onward.url, url, onward)
                    heapq.heappush(queue, entry)
        self._ways[start] = came_from
        return came_from

    def _edges(self, url: str) -> list[Edge]:
        links = [Edge(link.url, (click_step(link.node),)) for link in self.links.get(url, ())]
        return [*links, *self.recorded.get(url, ())]


def routes_of(seen: Seen, role: str) -> Routes:
    """Return the map of what was seen as `role`; the first look at an address counts."""
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


def row_of(node: Node) -> str:
    """Return what tells the row or card of `node` apart; empty when it stands in none."""
    context = node.fingerprint.context if node.fingerprint else ""
    kind, _, text = context.partition(" ")
    return text if kind in {"row", "item"} else ""


def bare(url: str | None) -> str:
    """Return `url` without its fragment."""
    return (url or "").partition("#")[0]


def path_of(url: str) -> str:
    """Return the path of `url`."""
    return urlsplit(url).path
