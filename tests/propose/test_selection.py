"""Chosen tasks are balanced, different, and the same for the same seed."""

from collections import Counter

from synthagent.propose.selection import choose, features_of
from tests.propose.drafts import offer

WORDS = (
    "amber birch cedar dune ember flint grove heath iris jade kelp lark moss nettle onyx".split()
)
OFFERS = [
    offer(f"{verb} the {word} {thing}", f"{thing} {number % 5}", kind=kind, role=role, length=length)
    for number, word in enumerate(WORDS)
    for verb, thing, kind, role, length in (
        ("Open", "cupboard in the list", "navigation", "customer", 1),
        ("Find", "lamp among all of them", "navigation", "customer", 2),
        ("How much costs", "sofa with delivery?", "information", "staff", 3),
        ("Change the address of", "warehouse to another", "modification", "staff", 4 + number % 6),
    )
]  # fmt: skip


def test_all_features_are_there_about_equally():
    chosen = choose(OFFERS, limit=24, similarity=0.86, seed=1).chosen
    types = Counter(one.draft.type for one in chosen)
    roles = Counter(one.draft.role for one in chosen)
    lengths = Counter(features_of(one)["length"] for one in chosen)
    assert len(chosen) == 24
    assert max(types.values()) - min(types.values()) <= 3
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
