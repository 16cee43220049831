"""The frontier: what is known of the site so far, and which item promises most next.

Pure and deterministic: equal answers in equal order give equal items. Not responsible for doing
them.
"""

from collections import Counter, deque
from collections.abc import Callable, Sequence

from synthagent.config import ExploreConfig
from synthagent.explore.places import (
    Item,
    Opening,
    Place,
    Survey,
    Trial,
    address_template,
    changes_site,
    control_signature,
    function_of,
    likeness,
    next_place,
    opening_place,
    shape_of,
    trial,
)
from synthagent.records import Answer, Infeasible, Node, Observation, Page, Transition, content_id
from synthagent.records import target_ref as ref_of
from synthagent.teachers.protocol import Candidate

KINDS_PER_ADDRESS = 4
"""Kinds of pages looked into at one address template; more are variations of data."""
VARIATION = 0.6
"""Pages that share so much of what they offer are one with other data."""
KNOWN_TARGET, KNOWN_TO_ANOTHER_ROLE, KNOWN_PATH, KNOWN_IN_ANOTHER_STATE = 3.0, 2.0, 1.5, 0.0
"""A link that came up only after the site was changed shows what the change did."""
SAME_CONTROL, SAME_CATEGORY, SAME_KIND, DEPTH, ROLE_SHARE = 2.0, 1.0, 0.5, 0.2, 2.0
CHANGES_SITE = -1.0


class Frontier:
    """What to explore next. The lower the cost of a trial, the more novelty is expected of it."""

    def __init__(
        self,
        site: str,
        config: ExploreConfig,
        starts: Sequence[tuple[str, str]],
        *,
        seed: int,
        is_allowed: Callable[[Node], bool],
    ) -> None:
        """Begin with the start pages.

        Args:
            site: Name of the site, part of the ids.
            config: Limits.
            starts: Role and start address.
            seed: Decides between trials of equal promise.
            is_allowed: Returns whether a control may be touched at all.
        """
        self.dead_ends: list[str] = []
        """Pages that ended by themselves, with the reason."""
        self._site = site
        self._config = config
        self._seed = seed
        self._is_allowed = is_allowed
        self._openings = deque(Opening(role, url) for role, url in starts)
        self._surveys: deque[Survey] = deque()
        self._trials: dict[str, Trial] = {}
        self._budget = config.max_transitions
        self._shapes: dict[str, list[frozenset[str]]] = {}
        """What the surveyed pages offer, by role."""
        self._kinds: Counter[str] = Counter()
        self._kinds_at: Counter[tuple[str, str]] = Counter()
        self._asked: dict[str, set[str]] = {}
        """Signatures of all controls surveyed, by role."""
        self._addresses: set[tuple[str, str, str]] = set()
        """Role, state and address of pages that were opened or are about to be."""
        self._templates: set[tuple[str, str]] = set()
        self._by_signature: Counter[str] = Counter()
        self._by_category: Counter[tuple[str, str, str]] = Counter()
        self._by_kind: Counter[str] = Counter()
        self._by_role: Counter[str] = Counter()

    @property
    def kinds(self) -> int:
        """Return how many kinds of pages were found."""
        return len(self._kinds)

    @property
    def unseen(self) -> float:
        """Return the share of arrivals that may still be at kinds not seen (Good-Turing)."""
        once = sum(count == 1 for count in self._kinds.values())
        return once / max(1, self._kinds.total())

    def next_item(self) -> Item | None:
        """Return what to do next, None when nothing is left or the budget is spent."""
        if self._openings:
            return self._openings.popleft()
        if self._budget <= 0:
            return None
        if self._surveys:
            return self._surveys.popleft()
        chosen = self._cheapest()
        if chosen is not None:
            self._choose(chosen)
        return chosen

    def opened(self, item: Opening, seen: Observation, page: Page) -> None:
        """Take note of the start page of a role."""
        self._arrive(opening_place(item.role, item.url, seen), page)

    def surveyed(self, item: Survey, page: Page, candidates: Sequence[Candidate]) -> None:
        """Take note of what a kind of page offers."""
        place = item.place
        fresh = [
            trial(self._site, place, candidate)
            for candidate in candidates
            if self._is_usable(place, page, candidate)
            and (item.novel is None or function_of(candidate.element) in item.novel)
            and not self._is_spent(place, candidate)
            and not self._leads_where_it_led(place, candidate)
        ]
        asked = self._asked.setdefault(place.role, set())
        asked.update(control_signature(candidate.element) for candidate in candidates)
        self._trials.update((one.id, one) for one in fresh)
        if not fresh:
            self.dead_ends.append(f"{place.seen.url} as {place.role}: nothing new to try")

    def tried(self, item: Trial, transition: Transition, before: Page, after: Page) -> None:
        """Take note of what came of a trial."""
        outcome, seen = transition.outcome, transition.after
        if outcome.status != "ok" or (outcome.http_status or 0) >= 400:
            return
        known = frozenset(node.fingerprint for node in before.elements if node.fingerprint)
        place = next_place(item, transition.action, outcome, seen, known)
        if place.depth <= self._config.max_depth:
            self._arrive(place, after)

    def lost(self, item: Item) -> None:
        """Take note of an item that could not be done; its budget is free again."""
        self._budget += isinstance(item, Trial)

    def _arrive(self, place: Place, page: Page) -> None:
        address = address_template(place.seen.url)
        self._addresses.add((place.role, place.state, place.seen.url))
        self._templates.update(((place.role, address), (place.role, address.partition("?")[0])))
        is_full = self._kinds_at[place.role, address] >= KINDS_PER_ADDRESS
        is_known = place.kind in self._kinds
        self._kinds[place.kind] += 1
        # Start pages of several accounts may be built alike; work begins on each of them.
        if place.via is not None and (is_known or is_full):
            return
        self._kinds_at[place.role, address] += 1
        self._look_into(place, page)

    def _look_into(self, place: Place, page: Page) -> None:
        """Have a page surveyed, unless all that it offers was found on others."""
        if not page.elements:
            self.dead_ends.append(f"{place.seen.url} as {place.role}: no addressable elements")
            return
        shape = shape_of(page)
        others = self._shapes.setdefault(place.role, [])
        novel = shape.difference(*others)
        if not novel:
            return
        is_variation = any(likeness(shape, other) >= VARIATION for other in others)
        others.append(shape)
        self._surveys.append(Survey(place, novel if is_variation else None))

    def _is_usable(self, place: Place, page: Page, candidate: Candidate) -> bool:
        nodes = (candidate.element, *(node for node, _ in candidate.fills))
        if isinstance(candidate.action, Answer | Infeasible):
            return False
        if candidate.element.fingerprint in place.known or candidate.element.fingerprint is None:
            return False
        on_page = all(node.ref is not None and node.ref in page.by_ref for node in nodes)
        same = ref_of(candidate.action) in (None, candidate.element.ref)
        return on_page and same and all(map(self._is_allowed, nodes))

    def _is_spent(self, place: Place, candidate: Candidate) -> bool:
        """Return whether the page behind a link was opened in the present state of the site."""
        href = candidate.element.href
        return href is not None and (place.role, place.state, href) in self._addresses

    def _leads_where_it_led(self, place: Place, candidate: Candidate) -> bool:
        """Return whether a link was there before the site was changed, and where it leads known.

        A link that came with the change, such as one to the filled basket, may show new things.
        """
        href = candidate.element.href
        if href is None or not place.state:
            return False
        was_there = control_signature(candidate.element) in self._asked.get(place.role, ())
        return was_there and (place.role, "", href) in self._addresses

    def _cheapest(self) -> Trial | None:
        still = {key: one for key, one in self._trials.items() if not self._is_over(one)}
        self._trials = still
        costs = {key: self._cost(one) for key, one in still.items()}
        lowest = min(costs.values(), default=0.0)
        best = (key for key, cost in costs.items() if cost == lowest)
        key = min(best, key=lambda key: content_id(self._seed, key), default=None)
        return None if key is None else still[key]

    def _is_over(self, one: Trial) -> bool:
        tries = self._by_category[_category(one)]
        return tries >= self._config.per_category or self._is_spent(one.place, one.candidate)

    def _cost(self, one: Trial) -> float:
        place, element = one.place, one.candidate.element
        total = max(1, self._by_role.total())
        return (
            self._known_target(place, element)
            + SAME_CONTROL * min(2, self._by_signature[one.signature])
            + SAME_CATEGORY * self._by_category[_category(one)]
            + SAME_KIND * min(1, self._by_kind[place.kind])
            + DEPTH * place.depth
            + ROLE_SHARE * self._by_role[place.role] / total
            + (CHANGES_SITE if changes_site(element) else 0.0)
        )

    def _known_target(self, place: Place, element: Node) -> float:
        if element.href is None:
            return 0.0
        template = address_template(element.href)
        if (place.role, template) in self._templates:
            return KNOWN_IN_ANOTHER_STATE if place.state else KNOWN_TARGET
        if (place.role, template.partition("?")[0]) in self._templates:
            return KNOWN_PATH
        to_another = any((role, template) in self._templates for role in self._asked)
        return KNOWN_TO_ANOTHER_ROLE if to_another else 0.0

    def _choose(self, one: Trial) -> None:
        place, element = one.place, one.candidate.element
        del self._trials[one.id]
        self._budget -= 1
        self._by_signature[one.signature] += 1
        self._by_category[_category(one)] += 1
        self._by_kind[place.kind] += 1
        self._by_role[place.role] += 1
        if element.href is not None:
            self._addresses.add((place.role, place.state, element.href))
            template = address_template(element.href)
            self._templates.update(
                ((place.role, template), (place.role, template.partition("?")[0]))
            )


def _category(one: Trial) -> tuple[str, str, str]:
    return one.place.role, one.place.kind, one.candidate.category
