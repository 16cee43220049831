"""Chosen tasks are balanced, different, and the same for the same seed."""

from collections import Counter

from synthagent.propose.selection import choose, features_of
from tests.propose.drafts import offer

NAMES = (
    "amber hall", "birch garden", "cedar room", "dune lodge", "ember court", "flint tower",
    "grove house", "heath barn", "iris corner", "jade gallery", "kelp harbor", "lark meadow",
)  # fmt: skip
OFFERS = [
    offer(f"{verb} {name}", f"{verb} {number % 5}", kind=kind, role=role, length=length)
    for number, name in enumerate(NAMES)
    for verb, kind, role, length in (
        ("Open the", "navigation", "customer", 1),
        ("Find a lamp in", "navigation", "customer", 2),
        ("Tell the price of", "information", "staff", 3),
        ("Rename", "modification", "staff", 4 + number % 6),
    )
]


def test_all_features_are_there_about_equally():
    chosen = choose(OFFERS, limit=24, similarity=0.86, seed=1).chosen
    types = Counter(one.draft.type for one in chosen)
    roles = Counter(one.draft.role for one in chosen)
    lengths = Counter(features_of(one)["length"] for one in chosen)
    assert len(chosen) == 24
    assert min(types.values()) >= 5
    assert max(roles.values()) - min(roles.values()) <= 4
    assert set(lengths) == {"1", "2", "3", "4", "6", "8"}


def test_equal_seeds_choose_alike_and_others_do_not():
    one, same, other = (
        choose(OFFERS, limit=10, similarity=0.86, seed=seed).chosen for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other


def test_no_two_are_alike():
    twins = [
        offer("Open the oak table in the shop", "t"),
        offer("open the  Oak Table in the shop", "u"),
    ]
    selection = choose(
        [*twins, offer("Read the news of today", "n")], limit=9, similarity=0.86, seed=0
    )
    assert (len(selection.chosen), selection.alike) == (2, 1)


def test_nothing_to_choose_from():
    assert choose([], limit=9, similarity=0.86, seed=0).chosen == ()
