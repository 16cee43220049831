"""Chooses tasks so that types, roles, kinds of pages, lengths and categories are all there.

Pure and seeded. Not responsible for whether a draft is a task at all; see `gate.py`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from synthagent.judge.wording import grams, likeness
from synthagent.propose.gate import Offer
from synthagent.records import content_id

LENGTHS = (1, 2, 3, 4, 6, 8)
"""Lower bounds of the bands that planned lengths are sorted into."""
WEIGHTS = {
    "type": 3.0,
    "length": 2.0,
    "role": 2.0,
    "reach": 2.0,
    "kind": 1.5,
    "category": 1.0,
    "source": 1.0,
}
"""How much it counts that a value was chosen already more often than others."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The offers chosen, in order of choice, and how many were left out as too alike."""

    chosen: tuple[Offer, ...]
    alike: int


def choose(offers: Sequence[Offer], *, limit: int, similarity: float, seed: int) -> Selection:
    """Return at most `limit` offers, each the one whose features were chosen least so far.

    Args:
        offers: All that passed the gate.
        limit: Most tasks wanted.
        similarity: Two wordings more alike than this are one task.
        seed: Decides between offers that are equally wanted.
    """
    ties = [content_id(seed, at, offer.draft.intent) for at, offer in enumerate(offers)]
    features = [features_of(offer) for offer in offers]
    words = [grams(offer.draft.intent) for offer in offers]
    counts: Counter[tuple[str, str]] = Counter()
    most: Counter[str] = Counter()
    left = set(range(len(offers)))
    chosen: list[int] = []
    alike = 0
    while left and len(chosen) < limit:
        costs = {at: _cost(features[at], counts, most) for at in left}
        best = min(left, key=lambda at: (costs[at], ties[at]))
        left.remove(best)
        if any(likeness(words[best], words[other]) > similarity for other in chosen):
            alike += 1
            continue
        chosen.append(best)
        for name, value in features[best].items():
            counts[name, value] += 1
            most[name] = max(most[name], counts[name, value])
    return Selection(tuple(offers[at] for at in chosen), alike)


def features_of(offer: Offer) -> dict[str, str]:
    """Return the values by which tasks are balanced."""
    band = max((bound for bound in LENGTHS if bound <= offer.length), default=0)
    return {
        "type": offer.draft.type,
        "role": offer.draft.role,
        "reach": "beyond" if offer.draft.is_beyond else "seen",
        "category": offer.draft.category,
        "length": str(band),
        "kind": offer.transition.after.structure_key,
        "source": offer.transition.id,
    }


def _cost(features: dict[str, str], counts: Counter[tuple[str, str]], most: Counter[str]) -> float:
    return sum(
        weight * counts[name, features[name]] / max(1, most[name])
        for name, weight in WEIGHTS.items()
    )
