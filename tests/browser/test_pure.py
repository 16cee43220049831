"""What needs no browser: finding by fingerprint, printing, hashing, masking, answering dialogs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthagent.browser.binding import bind
from synthagent.browser.dialogs import DialogPolicy
from synthagent.browser.fingerprint import find
from synthagent.browser.hashing import Volatile, hash_page
from synthagent.browser.masking import Masker
from synthagent.browser.raw import Target
from synthagent.browser.snapshot import Snapshot
from synthagent.browser.text import count_tokens, render
from synthagent.records import Fingerprint, Node, Page, Ref


def control(number: int, name: str, *, role: str = "button", **more: object) -> Node:
    described = {"tag": "button"} | {
        key: more.pop(key)
        for key in ("context", "landmark", "ordinal", "attributes")
        if key in more
    }
    fingerprint = Fingerprint(role=role, name=name, **described)  # type: ignore[arg-type]
    return Node(
        depth=0, role=role, name=name, ref=Ref(str(number)), fingerprint=fingerprint, **more
    )  # type: ignore[arg-type]


def page_of(*nodes: Node, url: str = "http://a.test/") -> Page:
    names = hash_page(url, nodes, Volatile())
    return Page(
        url=url,
        title="A",
        nodes=nodes,
        content_hash=names.content,
        view_hash=names.view,
        structure_key=names.structure,
    )


WANTED = Fingerprint(
    role="button", name="Delete", tag="button", landmark="main", context="row Pear"
)


@pytest.mark.parametrize(
    ("nodes", "ref", "level"),
    [
        ([control(1, "Delete", landmark="main", context="row Pear")], "1", "exact"),
        ([control(1, "DELETE", landmark="main", context="row  pear")], "1", "exact"),
        ([control(1, "Delete", landmark="main", context="row Pear", ordinal=2)], "1", "ordinal"),
        ([control(1, "Delete", landmark="main", context="row Fig")], None, "none"),
        ([control(1, "Delete", landmark="main", context="")], None, "none"),
        ([control(1, "Other")], None, "none"),
        ([], None, "none"),
    ],
)
def test_find_in_rows(nodes: list[Node], ref: str | None, level: str):
    match = find(page_of(*nodes), WANTED)
    assert (match.ref, match.level) == (ref, level)


def test_find_goes_down_in_levels_and_names_look_alikes():
    wanted = Fingerprint(role="link", name="Help", tag="a", landmark="banner", context="Top")
    moved = control(1, "Help", role="link", landmark="banner", context="Elsewhere")
    other = control(2, "Help", role="link", landmark="contentinfo")
    assert find(page_of(moved, other), wanted).level == "landmark"
    assert find(page_of(other), wanted).level == "name"
    twin = control(3, "Help", role="link", landmark="main")
    match = find(page_of(other, twin), wanted)
    assert (match.ref, [node.ref for node in match.candidates]) == (None, ["2", "3"])


def test_renamed_control_is_found_by_its_own_id():
    attributes = (("id", "counter"),)
    wanted = Fingerprint(role="button", name="Count 0", tag="button", attributes=attributes)
    match = find(page_of(control(1, "Count 7", attributes=attributes)), wanted)
    assert (match.ref, match.level) == ("1", "attributes")


def snapshot(page: Page, doc: str = "d") -> Snapshot:
    return Snapshot(page, {Ref(ref): Target("", doc, int(ref)) for ref in page.by_ref})


@pytest.mark.parametrize(
    ("now", "doc", "found"),
    [
        (
            [control(1, "Delete", context="row Fig"), control(2, "Delete", context="row Pear")],
            "d",
            2,
        ),
        ([control(1, "Delete", context="row Fig")], "d", None),
        ([control(1, "Delete", context="row Pear")], "d", 1),
        ([control(7, "Delete", context="row Pear")], "e", 7),
        ([control(7, "Delete", context="row Fig")], "e", None),
        (
            [
                control(7, "Delete", context="row Pear"),
                control(8, "Delete", context="row Pear", ordinal=1),
            ],
            "e",
            None,
        ),
        ([control(1, "Deleting", context="row Pear")], "d", 1),
    ],
)
def test_bind_never_takes_another_row(now: list[Node], doc: str, found: int | None):
    seen = snapshot(page_of(control(1, "Delete", context="row Pear")))
    bound = bind("1", seen, snapshot(page_of(*now), doc))
    assert (bound.target.id if bound.target else None) == found
    if found is None:
        assert bound.refusal is not None
        assert bound.refusal.error is not None
        assert bound.refusal.error.kind == "stale_element"


def rows(count: int, *, in_view: int = 3) -> Page:
    nodes = [Node(depth=0, role="table", name="Orders", in_view=True)]
    for at in range(count):
        nodes.append(Node(depth=1, role="row", in_view=at < in_view))
        nodes.append(Node(depth=2, role="cell", name=f"No {at}", in_view=at < in_view))
        nodes.append(Node(depth=2, role="cell", name="View", in_view=at < in_view))
        link = control(at + 1, "View", role="link")
        nodes.append(link.with_(depth=3, in_view=at < in_view))
    return page_of(*nodes)


def test_long_runs_of_rows_are_folded():
    text = render(rows(195), max_tokens=4000)
    assert '  row: No 7 | [8] link "View"' in text.splitlines()
    assert "  … 187 more rows like this (187 controls)" in text.splitlines()
    assert "No 8" not in text
    full = render(rows(195), full=True)
    assert "No 194" in full
    assert "…" not in full
    assert "more rows" not in render(rows(12))
    # What is in the viewport is never folded.
    assert "No 40" in render(rows(195, in_view=41))


@pytest.mark.parametrize("budget", [200, 400, 1000])
def test_cut_is_stated_and_within_budget(budget: int):
    texts = [
        Node(depth=0, role="text", name=f"Line {at} " + "x" * 40, in_view=at in {90, 91})
        for at in range(200)
    ]
    text = render(page_of(*texts), max_tokens=budget)
    assert count_tokens(text) <= budget
    assert "Line 90" in text
    assert "Line 91" in text
    assert "cut here" in text


def test_view_only_says_what_is_around():
    text = render(rows(20), view_only=True)
    assert "No 2" in text
    assert "No 3" not in text
    assert text.splitlines()[-1].startswith("above 0 px · below 0 px · ")


@pytest.mark.parametrize(
    ("one", "two", "is_equal"),
    [
        ("http://a.test/x?b=1&a=2", "http://a.test/x?a=2&b=1", True),
        ("http://a.test/x?csrf=1", "http://a.test/x?csrf=2", True),
        ("http://a.test/x?s=1", "http://a.test/x?s=2", True),
        ("http://a.test/x?a=1", "http://a.test/x?a=2", False),
        ("http://a.test/x#part", "http://a.test/x", True),
        ("http://a.test/#/one", "http://a.test/#/two", False),
    ],
)
def test_addresses_in_hashes(one: str, two: str, is_equal: bool):
    volatile = Volatile(frozenset({"s"}))
    hashes = {hash_page(url, (), volatile).content for url in (one, two)}
    assert (len(hashes) == 1) is is_equal


def test_hashes_leave_out_what_may_differ():
    volatile = Volatile(text=(r"\d+ seconds ago",))
    old = (control(1, "Reload"), Node(depth=0, role="text", name="3 seconds ago"))
    new = (
        control(9, "Reload", in_view=False, states=("focused",)),
        Node(depth=0, role="text", name="41  seconds ago"),
    )
    assert hash_page("http://a.test/", old, volatile).content == (
        hash_page("http://a.test/", new, volatile).content
    )
    assert hash_page("http://a.test/", old, volatile).view != (
        hash_page("http://a.test/", new, volatile).view
    )


def test_pages_of_one_kind_have_one_key():
    def product(number: int, title: str) -> str:
        nodes = (control(1, "Add to basket"), Node(depth=0, role="heading", name=title))
        return hash_page(f"http://a.test/item/{number}", nodes, Volatile()).structure

    assert product(1, "Mug") == product(22, "Cup")
    other = hash_page("http://a.test/item/1", (control(1, "Sold out"),), Volatile()).structure
    assert product(1, "Mug") != other


@given(
    st.text(min_size=6, max_size=20).filter(
        lambda text: text.strip() == text and not text.isdigit()
    )
)
def test_no_spelling_of_a_secret_gets_through(secret: str):
    masker = Masker({"key": secret})
    assert secret not in masker.text(f"before {secret} after") or secret in "before {{key}} after"
    assert masker.field(secret) == "{{key}}"
    assert masker.reveal("{{key}}") == secret


def test_short_codes_are_hidden_in_fields_only():
    masker = Masker({"otp": "135790"})
    assert masker.text("Ticket 135790") == "Ticket 135790"
    assert masker.form_field("code", "135790") == "{{otp}}"
    assert masker.form_field("csrf_token", "abc") == "•••"
    assert masker.form_field("new_password", "whatever") == "•••"
    assert masker.reveal("{{unknown}} {{otp}}") == "{{unknown}} 135790"


@pytest.mark.parametrize(
    ("kind", "wanted", "answer"),
    [
        ("alert", None, "accept"),
        ("alert", "dismiss", "accept"),
        ("confirm", None, "dismiss"),
        ("confirm", "accept", "accept"),
        ("prompt", None, "dismiss"),
        ("beforeunload", None, "accept"),
    ],
)
def test_dialog_policy(kind: str, wanted: str | None, answer: str):
    assert DialogPolicy(confirm="dismiss").answer(kind, wanted) == answer  # type: ignore[arg-type]
