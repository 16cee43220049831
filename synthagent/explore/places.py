"""What exploration works on: places that can be reached again, and the items to be done there.

Pure data and names for it; `frontier.py` chooses, `visits.py` does.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from synthagent.records import (
    Action,
    Check,
    Fingerprint,
    Goto,
    Node,
    Observation,
    Outcome,
    Page,
    PathStep,
    Select,
    TypeText,
    content_id,
)
from synthagent.teachers.protocol import Candidate

FILLS = TypeText | Select | Check


@dataclass(frozen=True, slots=True)
class Place:
    """A page that was reached, and how it is reached again from a fresh start."""

    role: str
    path: tuple[PathStep, ...]
    kept: tuple[PathStep, ...]
    """The part of `path` without which the site is in another state: up to the last request
    that changed something."""
    seen: Observation
    via: str | None = None
    """Id of the transition that led here."""
    known: frozenset[Fingerprint] = frozenset()
    """Controls that were there before the action that led here, on the same address."""

    @property
    def kind(self) -> str:
        """Return the key that pages built alike share."""
        return self.seen.structure_key

    @property
    def depth(self) -> int:
        """Return the number of actions on the way; filling in a form counts with its submit."""
        return sum(not isinstance(step.action, FILLS) for step in self.path)

    @property
    def state(self) -> str:
        """Return a name for what the way here changed on the site; empty when nothing."""
        return content_id(_steps(self.kept)) if self.kept else ""


@dataclass(frozen=True, slots=True)
class Item:
    """Something to do: an `Opening`, a `Survey` or a `Trial`."""

    @property
    def label(self) -> str:
        """Return the item in a few words, for people."""
        return type(self).__name__.lower()


@dataclass(frozen=True, slots=True)
class Opening(Item):
    """Look at the start page of a role."""

    role: str
    url: str

    @property
    def label(self) -> str:
        """Return role and address."""
        return f"{self.role}: {self.url}"


@dataclass(frozen=True, slots=True)
class Survey(Item):
    """Ask the teacher what a new kind of page offers. Needs no browser."""

    place: Place
    novel: frozenset[str] | None = None
    """Functions not seen before, on a page that is otherwise like one surveyed already; only they
    are tried."""

    @property
    def label(self) -> str:
        """Return which page is asked about."""
        return f"{self.place.role}: what {self.place.seen.url} offers"


@dataclass(frozen=True, slots=True)
class Trial(Item):
    """Try a control."""

    id: str
    """Also of the transition that comes of it."""
    place: Place
    candidate: Candidate
    signature: str

    @property
    def label(self) -> str:
        """Return what is tried where."""
        name = self.candidate.element.name or self.candidate.element.role
        verb = self.candidate.action.type
        return f"{self.place.role}: {verb} {name!r} on {self.place.seen.url}"

    @property
    def path(self) -> tuple[PathStep, ...]:
        """Return the way to the place, and the fields to fill in there."""
        fills = tuple(
            PathStep(action=action, target=node.fingerprint)
            for node, action in self.candidate.fills
        )
        return (*self.place.path, *fills)


def trial(site: str, place: Place, candidate: Candidate) -> Trial:
    """Return the item that tries `candidate`, named after all that decides what comes of it."""
    signature = control_signature(candidate.element)
    unnamed = Trial("", place, candidate, signature)
    last = PathStep(action=candidate.action, target=candidate.element.fingerprint)
    name = content_id("transition", site, place.role, _steps((*unnamed.path, last)))
    return Trial(name, place, candidate, signature)


def opening_place(role: str, url: str, seen: Observation) -> Place:
    """Return the start page of a role as a place."""
    return Place(role, (PathStep(action=Goto(url=url)),), (), seen)


def next_place(
    item: Trial, action: Action, outcome: Outcome, seen: Observation, known: frozenset[Fingerprint]
) -> Place:
    """Return where `action` led, with the shortest way there.

    A page that was loaded by plain navigation is reached by its address; what was sent to the site
    before has to be sent again.
    """
    place = item.place
    whole = (*item.path, PathStep(action=action, target=item.candidate.element.fingerprint))
    if outcome.requests:
        return Place(place.role, whole, whole, seen, item.id)
    if outcome.navigated and outcome.http_status is not None and not outcome.new_tabs:
        way = (*place.kept, PathStep(action=Goto(url=seen.url)))
        return Place(place.role, way, place.kept, seen, item.id)
    stays = seen.url == place.seen.url
    return Place(place.role, whole, place.kept, seen, item.id, known if stays else frozenset())


@lru_cache(maxsize=4096)
def address_template(url: str) -> str:
    """Return the path of `url` with segments that hold a digit as `*`, and its query keys."""
    parts = urlsplit(url)
    segments = ("*" if re.search(r"\d", part) else part for part in parts.path.split("/"))
    keys = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return "/".join(segments) + ("?" + "&".join(keys) if keys else "")


def control_signature(node: Node) -> str:
    """Return what makes controls on different pages the same: `main: link "Page 0" → /p/*`."""
    landmark = node.fingerprint.landmark if node.fingerprint else ""
    name = re.sub(r"\d+", "0", node.name)
    target = address_template(node.href) if node.href else _form_template(node.form)
    return f'{landmark}: {node.role} "{name}" → {target}'


def shape_of(page: Page) -> frozenset[str]:
    """Return what can be done on a page, without what makes its items this one or that."""
    return frozenset(map(function_of, page.elements))


def is_of_the_frame(function: str) -> bool:
    """Return whether a control belongs to what surrounds all pages of a site."""
    return function.startswith(("navigation", "banner", "contentinfo"))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share that two shapes have in common, the frame of the site aside."""
    first, second = (
        {name for name in shape if not is_of_the_frame(name)} for shape in (one, other)
    )
    return len(first & second) / len(first | second) if first | second else 0.0


def function_of(node: Node) -> str:
    """Return where a control is and what it is for; links by their address, not by their text."""
    landmark = node.fingerprint.landmark.partition(" ")[0] if node.fingerprint else ""
    if node.href:
        return f"{landmark}: {node.role} {address_template(node.href)}"
    name = re.sub(r"\d+", "0", node.name)
    return f'{landmark}: {node.role} "{name}" {_form_template(node.form)}'


def changes_site(node: Node) -> bool:
    """Return whether the control belongs to a form that is posted."""
    return node.href is None and node.form is not None and " GET " not in f" {node.form} "


def _form_template(form: str | None) -> str:
    """Return `POST /basket/*/` for the form key `f1.2 POST /basket/17/`."""
    if form is None:
        return ""
    _, _, rest = form.partition(" ")
    return re.sub(r"[^/\s]*\d[^/\s]*", "*", rest)


def _steps(path: tuple[PathStep, ...]) -> list[dict[str, Any]]:
    """Return a path without refs, which are names on one load of a page."""
    steps = [step.model_dump(mode="json") for step in path]
    for step in steps:
        step["action"].pop("ref", None)
    return steps
