"""Proposes tasks from what exploration saw: a task is a parametrised path through the site.

For one transition it words tasks that the transition would be a step of, and goes beyond it: other
items of the same list, values that nobody tried. Not responsible for choosing among the tasks.
"""

from dataclasses import dataclass
from functools import cached_property
from random import Random
from urllib.parse import urlsplit

from synthagent.records import Node, Page, PathStep, PlanStep, Select, Transition, TypeText
from synthagent.records.actions import Check
from synthagent.teachers.grounded.categories import path_template
from synthagent.teachers.grounded.routes import Edge, Routes, bare, click_step, describe
from synthagent.teachers.protocol import Seen

DEEP_START = 0.3
"""Share of tasks that start at the page itself instead of the role's start page."""


@dataclass(frozen=True)
class Scene:
    """One transition with everything needed to word tasks about it."""

    transition: Transition
    seen: Seen
    routes: Routes
    random: Random
    start_url: str
    """Where the role starts."""

    @cached_property
    def before(self) -> Page:
        """Return the page on which the action was done."""
        return self.seen.pages[self.transition.before.page]

    @cached_property
    def after(self) -> Page:
        """Return the page that the action led to."""
        return self.seen.pages[self.transition.after.page]

    @cached_property
    def target(self) -> Node | None:
        """Return the element acted on."""
        return self.before.by_ref.get(getattr(self.transition.action, "ref", ""))

    @property
    def way(self) -> tuple[str, tuple[PlanStep, ...]]:
        """Return `way_here`, which the teacher has found to exist."""
        return self.way_here() or (bare(self.transition.before.url), ())

    def way_here(self) -> tuple[str, tuple[PlanStep, ...]] | None:
        """Return a start address and the steps from there to the page before the action.

        None when it cannot be said in steps that an agent could take.
        """
        found = self._way_to(self.transition)
        if found is None:
            return None
        start, way = found
        is_deep = len(way) > 1 and self._needs_no_state(self.transition)
        if is_deep and self.random.random() < DEEP_START:
            return bare(self.transition.before.url), ()
        return start, way

    def _way_to(self, transition: Transition) -> tuple[str, tuple[PlanStep, ...]] | None:
        """Return the way by links, else that of the transition that led there and its action."""
        is_free = self._needs_no_state(transition)
        if is_free:
            way = self.routes.way(self.start_url, transition.before.url)
            if way is not None:
                return self.start_url, way
        parents = [one for one in self.seen.transitions if one.id in transition.parents]
        if not parents:
            return (bare(transition.before.url), ()) if is_free else None
        before = self._way_to(parents[0])
        last = PathStep(action=parents[0].action, target=parents[0].target)
        steps = [plan_step(step) for step in (*fills_of(parents[0]), last)]
        if before is None or any(step is None for step in steps):
            return None
        return before[0], (*before[1], *(step for step in steps if step is not None))

    @staticmethod
    def _needs_no_state(transition: Transition) -> bool:
        return len(transition.path) - len(fills_of(transition)) == 1

    @property
    def fills(self) -> tuple[PathStep, ...]:
        """Return the steps at the end of the path that filled in the form acted on."""
        return fills_of(self.transition) if self.is_submit else ()

    @cached_property
    def is_submit(self) -> bool:
        """Return whether the action pressed a button of a form."""
        return (
            self.target is not None
            and self.target.form is not None
            and self.transition.action.type == "click"
            and self.target.role == "button"
        )

    @property
    def target_url(self) -> str:
        """Return the address that the element acted on points to; empty for other controls."""
        return self.target.href or "" if self.target is not None else ""

    def siblings(self) -> list[Node]:
        """Return other links of the page with the same pattern of address, in a seeded order."""
        if (
            self.target is None
            or not self.target.href
            or "*" not in path_template(self.target.href)
        ):
            return []
        template = path_template(self.target.href)
        others = {
            node.href: node
            for node in reversed(self.before.elements)
            if node.href
            and node.name
            and path_template(node.href) == template
            and urlsplit(node.href).path != urlsplit(self.target.href).path
            and urlsplit(node.href).path != urlsplit(self.before.url).path
            and len(node.name) > 2
        }
        chosen = sorted(others.values(), key=lambda node: node.href or "")
        self.random.shuffle(chosen)
        return chosen


def record_ways(routes: Routes, seen: Seen, role: str) -> None:
    """Add to `routes` the ways to other addresses that exploration took without changing the site.

    A link in a menu that has to be opened first is no link of the page; the way is both clicks.
    """
    for one in seen.transitions:
        first, *rest = (*one.path, PathStep(action=one.action, target=one.target))
        if one.role != role or first.action.type != "goto" or one.outcome.status != "ok":
            continue
        if one.outcome.requests or bare(one.after.url) == bare(first.action.url):
            continue
        steps = [plan_step(step) for step in rest]
        if len(steps) > 1 and all(steps):
            edge = Edge(bare(one.after.url), tuple(step for step in steps if step is not None))
            routes.recorded.setdefault(bare(first.action.url), []).append(edge)


def fills_of(transition: Transition) -> tuple[PathStep, ...]:
    """Return the steps at the end of a transition's path that filled in fields."""
    fills: list[PathStep] = []
    if transition.action.type == "click":
        for step in reversed(transition.path):
            if not isinstance(step.action, TypeText | Select | Check) or step.target is None:
                break
            fills.append(step)
    return tuple(reversed(fills))


def plan_step(step: PathStep) -> PlanStep | None:
    """Return a recorded path step as a step of a plan, None for actions that no plan needs."""
    target, action = step.target, step.action
    if target is None:
        return None
    match action:
        case TypeText():
            return PlanStep(
                verb="type",
                target=target,
                value=action.text,
                submit=action.submit,
                instruction=f'Type "{action.text}" into the field "{target.name}"',
            )
        case Select():
            return select_step(target_node(step), action.options[0])
        case Check():
            return PlanStep(
                verb="check",
                target=target,
                value="on" if action.on else "off",
                instruction=f'Tick "{target.name}"' if action.on else f'Clear "{target.name}"',
            )
        case _ if action.type == "click":
            return click_step(target_node(step))
        case _:
            return None


def filled_value(step: PathStep) -> str | None:
    """Return what a recorded step wrote or chose."""
    match step.action:
        case TypeText(text=text):
            return text
        case Select(options=options):
            return options[0]
        case _:
            return None


def target_node(step: PathStep) -> Node:
    """Return a node with the fingerprint of a recorded target."""
    fingerprint = step.target
    assert fingerprint is not None
    return Node(depth=0, role=fingerprint.role, name=fingerprint.name, fingerprint=fingerprint)


def select_step(node: Node, option: str) -> PlanStep:
    """Return the plan step that chooses `option` in `node`."""
    return PlanStep(
        verb="select",
        target=node.fingerprint,
        value=option,
        instruction=f'Choose "{option}" in {describe(node)}',
    )


def type_step(node: Node, text: str, *, submit: bool = False) -> PlanStep:
    """Return the plan step that writes `text` into `node`."""
    end = " and press Enter" if submit else ""
    return PlanStep(
        verb="type",
        target=node.fingerprint,
        value=text,
        submit=submit,
        instruction=f'Type "{text}" into {describe(node)}{end}',
    )
