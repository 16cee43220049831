"""Which drafts are tasks."""

import pytest

from synthagent.propose.gate import start_pages, why_rejected
from synthagent.propose.stage import changed_something
from synthagent.records import (
    AllOf,
    AnswerEquals,
    AnswerShown,
    Fact,
    Node,
    Outcome,
    Page,
    PageShows,
    Plan,
    RequestSent,
    UrlMatches,
)
from synthagent.teachers.protocol import TaskDraft
from tests.propose.drafts import START, draft, sha, transition

HOME = Page(
    url=START,
    title="Home",
    nodes=(Node(depth=0, role="heading", level=1, name="Welcome"),),
    content_hash=sha("h"),
    view_hash=sha("h"),
    structure_key=sha("h"),
)
HEADING = AnswerShown(fact=Fact(kind="heading"))


@pytest.mark.parametrize(
    ("offered", "reason"),
    [
        (draft("Open the orders of the account"), None),
        (draft("Open this page of the account"), "leans"),
        (draft("Open the orders of the account", evidence=()), "no transition"),
        (draft("Open the orders of the account", check=UrlMatches(path="/orders/")), None),
        (draft("Open the start page of the shop", check=UrlMatches(path="/")), "passes before"),
        (draft("Find the word of welcome", check=PageShows(texts=("welcome",))), "passes before"),
        (draft("Tell the heading of the shop", check=HEADING), None),
        (draft("Tell the heading of the shop", check=AnswerEquals(expected="Welcome")), None),
        (draft("Put an oak table into the basket", check=RequestSent(path="/basket/")), None),
        (
            draft(
                "Put an oak table into the basket",
                check=AllOf(checks=(UrlMatches(path="/"), RequestSent(path="/basket/"))),
            ),
            None,
        ),
    ],
)
def test_a_draft_is_a_task_or_says_why_not(offered, reason):
    said = why_rejected(offered, HOME)
    assert said is None if reason is None else reason in (said or "")


def test_an_empty_plan_is_no_task():
    empty = TaskDraft(
        "navigation", "link", "customer", START, "Open the shop now", ("1",), None, Plan(steps=())
    )
    assert why_rejected(empty, None) == "there is nothing to do"


def test_an_unseen_start_page_proves_nothing():
    assert (
        why_rejected(draft("Open the start of the shop", check=UrlMatches(path="/")), None) is None
    )


def test_start_pages_are_those_opened_on_the_fresh_site():
    direct = transition("", "orders")
    deep = transition("orders", "order").with_(path=(*direct.path, *direct.path))
    pages = {direct.before.page: HOME, deep.before.page: HOME}
    assert start_pages((deep, direct), pages) == {("customer", START): HOME}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, True),
        ({"outcome": Outcome(status="failed")}, False),
        ({"outcome": Outcome(status="ok", http_status=404)}, False),
        ({"after": transition("", "x").before, "outcome": Outcome(status="ok")}, False),
        ({"after": transition("", "x").before}, True),
    ],
)  # fmt: skip
def test_only_what_had_an_effect_is_asked_about(change, expected):
    assert changed_something(transition("", "x").with_(**change)) is expected
