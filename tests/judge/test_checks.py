"""Programmatic checks as tables: what passes, what fails, what cannot be judged."""

import pytest

from synthagent.judge.checks import EndState, verify
from synthagent.records import (
    AllOf,
    AnswerEquals,
    AnswerShown,
    Fact,
    Node,
    Page,
    PageShows,
    Request,
    RequestSent,
    UrlMatches,
)

ZERO = "0" * 64


def page_of(*nodes: Node, url: str = "http://shop.test/orders/17/?page=2&q=red+hat") -> Page:
    return Page(
        url=url, title="Order", nodes=nodes, content_hash=ZERO, view_hash=ZERO, structure_key=ZERO
    )


def text(name: str, **more: object) -> Node:
    return Node(depth=0, role="text", name=name, **more)


PAGE = page_of(
    Node(depth=0, role="heading", level=1, name="Order 100017"),
    text("Total: £1,234.50"),
    text("Ship to"),
    text("Café  Löwe"),
    text("10 items"),
    Node(depth=0, role="textbox", name="Note", value="Leave at the door", ref="3"),
)


@pytest.mark.parametrize(
    ("kind", "expected", "answer", "passed"),
    [
        ("text", "Grand Hotel", "  grand   hotel. ", True),
        ("text", "Grand Hotel", '"Grand Hotel"', True),
        ("text", "O'Neil", "O\u2019Neil", True),
        ("text", "Cafe\u0301", "café", True),
        ("text", "Grand Hotel", "Grand Hotel Berlin", False),
        ("text", "Grand Hotel", "", False),
        ("text", "Grand Hotel", None, False),
        ("number", "12", "There are 12 results", True),
        ("number", "1234", "1,234", True),
        ("number", "12", "12 of 40", False),
        ("number", "12", "120", False),
        ("number", "12", "twelve", False),
        ("number", "0", "0", True),
        ("number", "-3", "\u22123", True),
        ("money", "£12.99", "12,99 GBP", True),
        ("money", "£12.99", "The price is £12.99.", True),
        ("money", "£12.99", "12.99", True),
        ("money", "£12.99", "$12.99", False),
        ("money", "£12.99", "£12.90", False),
        ("money", "$0.00", "$0", True),
        ("money", "$1,234.50", "1.234,50 $", True),
        ("money", "£12.99", "£12.99 or £13.99", False),
        ("money", "£5.00", "2 items cost £5.00", True),
    ],
)
def test_answers_are_compared_by_their_kind(kind, expected, answer, passed):
    check = AnswerEquals(expected=expected, kind=kind)
    assert verify(check, EndState(answer, PAGE)).passed is passed


@pytest.mark.parametrize(
    ("fact", "answer", "passed"),
    [
        (Fact(kind="label", label="Total"), "£1234.50", True),
        (Fact(kind="label", label="total"), "1,234.50", True),
        (Fact(kind="label", label="Total"), "£1234.51", False),
        (Fact(kind="label", label="Total"), None, False),
        (Fact(kind="label", label="Tax"), "£1", False),
        (Fact(kind="heading"), "order 100017", True),
        (Fact(kind="count", label="# items"), "10", True),
        (Fact(kind="label", label="Total", path="/orders/*/"), "£1,234.50", True),
        (Fact(kind="label", label="Total", path="/basket/"), "£1,234.50", None),
    ],
)
def test_a_shown_answer_is_read_off_the_last_page(fact, answer, passed):
    assert verify(AnswerShown(fact=fact), EndState(answer, PAGE)).passed is passed


@pytest.mark.parametrize(
    ("path", "query", "passed"),
    [
        ("/orders/17/", (), True),
        ("/orders/17", (), True),
        ("/orders/*/", (), True),
        ("/orders/*/", (("q", "Red Hat"),), True),
        ("/orders/*/", (("page", "3"),), False),
        ("/orders/*/", (("size", "3"),), False),
        ("/orders/", (), False),
        ("/orders/*/lines/", (), False),
        ("/*", (), False),
    ],
)
def test_addresses_match_by_segment_and_query(path, query, passed):
    assert verify(UrlMatches(path=path, query=query), EndState(None, PAGE)).passed is passed


@pytest.mark.parametrize(
    ("texts", "passed"),
    [
        (("total: £1,234.50",), True),
        (("leave at the DOOR", "café löwe"), True),
        (("1 item",), False),
        (("10 items",), True),
        (("0 items",), False),
        (("Order 1000",), False),
        (("café löwe", "missing"), False),
    ],
)
def test_pages_show_whole_words_in_names_and_values(texts, passed):
    assert verify(PageShows(texts=texts), EndState(None, PAGE)).passed is passed


SENT = (
    Request(method="POST", url="http://shop.test/basket/add/9/", fields=(("n", "2"),), status=302),
    Request(method="POST", url="http://shop.test/review/", fields=(("t", "Good"),), status=403),
    Request(method="PUT", url="http://shop.test/name", fields=(), status=None),
    Request(
        method="POST", url="http://shop.test/tag/", fields=(("t", "a"), ("t", "b")), status=200
    ),
)


@pytest.mark.parametrize(
    ("check", "passed"),
    [
        (RequestSent(path="/basket/add/*/", fields=(("n", "2"),)), True),
        (RequestSent(path="/basket/add/*/", fields=(("n", "2"),), redirected=True), True),
        (RequestSent(path="/basket/add/*/", fields=(("n", "2"),), redirected=False), False),
        (RequestSent(path="/basket/add/*/", fields=(("n", "3"),)), False),
        (RequestSent(path="/basket/"), False),
        (RequestSent(path="/review/"), False),
        (RequestSent(method="PUT", path="/name"), False),
        (RequestSent(method="post", path="/tag/", fields=(("t", "b"), ("t", "A"))), True),
        (RequestSent(path="/tag/", fields=(("t", "a"), ("t", "a"))), False),
        (RequestSent(path="/tag/", redirected=True), False),
    ],
)
def test_requests_count_when_the_site_took_them(check, passed):
    assert verify(check, EndState(None, PAGE, SENT)).passed is passed


YES, NO = PageShows(texts=("10 items",)), PageShows(texts=("11 items",))
OPEN = AnswerShown(fact=Fact(kind="heading", path="/elsewhere/"))


@pytest.mark.parametrize(
    ("checks", "passed"),
    [((YES, YES), True), ((YES, NO), False), ((YES, OPEN), None), ((OPEN, NO), False)],
)
def test_all_of_needs_all(checks, passed):
    assert verify(AllOf(checks=checks), EndState(None, PAGE)).passed is passed


def test_the_reason_names_what_differs():
    verdict = verify(AnswerEquals(expected="Ohio"), EndState("Utah", PAGE))
    assert (verdict.judge, verdict.reason) == ("check", "answered 'Utah', expected 'Ohio'")
