"""Which wordings stand alone, and how alike two are."""

import pytest

from synthagent.judge.wording import grams, likeness, why_not_alone


@pytest.mark.parametrize(
    ("intent", "alone"),
    [
        ("Open the orders of the customer account", True),
        ("Write a review with the body 'I like this product' for the Oak Table", True),
        ('Search the shop for "step 3 filter"', True),
        ("Set the stock threshold below 5 for the Oak Table", True),
        ("Add two Oak Tables to the basket on this page", False),
        ("Click the button above", False),
        ("Sort the list here by price, lowest first and click here", False),
        ("Open the current page in the back office", False),
        ("Do as before with the Oak Table", False),
        ("Press [12] to open the basket", False),
        ("Buy {product} from the shop", False),
        ("Buy it", False),
        ("Tell me " + "more and " * 100, False),
    ],
)
def test_a_task_must_stand_alone(intent, alone):
    assert (why_not_alone(intent) is None) is alone


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [
        ("Open the Oak Table", "open  the oak table", 1.0, 1.0),
        ("Open the Oak Table in the shop", "Open the Oak Table in the store", 0.8, 0.99),
        ("Open the Oak Table", "How many orders are pending?", 0.0, 0.2),
    ],
)
def test_likeness(one, other, low, high):
    assert low <= likeness(grams(one), grams(other)) <= high
