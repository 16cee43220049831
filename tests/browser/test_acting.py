"""What actions do, and what they say when they cannot be done."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from synthagent.records import (
    Action,
    Back,
    Check,
    Click,
    Drag,
    Forward,
    Goto,
    Hover,
    Press,
    Reload,
    Scroll,
    Select,
    TypeText,
    Upload,
    Wait,
)
from tests.browser.conftest import SITE, Eyes, Opens

pytestmark = pytest.mark.browser


@dataclass(frozen=True)
class Case:
    """One action on one element, and what must come of it."""

    page: str
    role: str
    name: str
    action: Action
    status: str = "ok"
    error: str | None = None
    says: str = ""
    typed: str | None = None
    shows: str = ""
    """A text that must be there afterwards."""


def click(**options: object) -> Click:
    return Click(ref="?", **options)  # type: ignore[arg-type]


def write(text: str, **options: bool) -> TypeText:
    return TypeText(ref="?", text=text, **options)


def choose(*options: str) -> Select:
    return Select(ref="?", options=options)


CASES = [
    Case("controls", "checkbox", "Custom box", Check(ref="?")),
    Case("controls", "radio", "Blue", Check(ref="?")),
    Case("controls", "radio", "Red", Check(ref="?", on=False), "rejected", "bad_value"),
    Case("controls", "clickable", "Open invoices", click(), shows="tile"),
    Case("controls", "textbox", "Message", write("Bye"), typed="Bye"),
    Case("controls", "button", "Count 0", Check(ref="?"), "rejected", "wrong_kind"),
    Case("controls", "button", "Count 0", write("x"), "rejected", "wrong_kind", "no text field"),
    Case("controls", "file", "Upload a photo", click(), "rejected", "wrong_kind", "use upload"),
    Case("shadow", "button", "Closed door", click(), shows="door opened"),
    Case("frames", "button", "Middle button", click()),
    Case("frames", "button", "Inner button", click()),
    Case("frames", "checkbox", "No scripts", Check(ref="?")),
    Case("hostile", "button", "Works", click(), shows="clicked"),
    Case("hostile", "textbox", "Field", write("fine"), typed="fine"),
    Case("modal", "button", "Below", click(), "rejected", "covered", 'dialog "Cookies"'),
    Case("sticky", "button", "Target", click(), shows="target"),
    Case("forms", "textbox", "Name", write("new"), typed="new"),
    Case("forms", "textbox", "Name", write(" more", clear=False), typed="old more"),
    Case("forms", "textbox", "Name", write('東京 👩‍🔧 ™ "q"'), typed='東京 👩‍🔧 ™ "q"'),
    Case("forms", "textbox", "Name", write("two\nlines"), typed="two lines"),
    Case("forms", "textbox", "Notes", write("two\nlines"), typed="two\nlines"),
    Case("forms", "textbox", "Day", write("2031-05-09"), typed="2031-05-09"),
    Case("forms", "textbox", "Day", write("05/09/2031"), "rejected", "bad_value", "2031-05-09"),
    Case("forms", "textbox", "Time", write("14:30"), typed="14:30"),
    Case("forms", "textbox", "Time", write("2 pm"), "rejected", "bad_value"),
    Case("forms", "spinbutton", "Amount", write("12.5"), typed="12.5"),
    Case("forms", "spinbutton", "Amount", write("many"), "rejected", "bad_value"),
    Case("forms", "slider", "Level", write("40"), typed="40"),
    Case("forms", "textbox", "Color", write("#3366cc"), typed="#3366cc"),
    Case("forms", "textbox", "Digits", write("a1b2"), "failed", "value_differs", 'shows "12"'),
    Case("forms", "textbox", "Fixed", write("x"), "rejected", "disabled", "read-only"),
    Case("forms", "textbox", "Off", write("x"), "rejected", "disabled"),
    Case("forms", "combobox", "Country", choose("Austria"), typed="Austria"),
    Case("forms", "combobox", "Country", choose("austria"), typed="Austria"),
    Case("forms", "combobox", "Country", choose("c2"), typed="Chile"),
    Case("forms", "combobox", "Country", choose("Chile"), "rejected", "no_such_option", '"c1"'),
    Case("forms", "combobox", "Country", choose("Belgium"), "rejected", "disabled"),
    Case("forms", "combobox", "Country", choose("Mars"), "rejected", "no_such_option", "Denmark"),
    Case("forms", "combobox", "Country", write("x"), "rejected", "wrong_kind", "use select"),
    Case("forms", "combobox", "Many", choose("Choice 299"), typed="Choice 299"),
    Case("forms", "checkbox", "Newsletter", Check(ref="?")),
    Case("select2", "combobox", "Category", choose("Games"), typed="Games"),
    Case("ajax", "button", "Load", click(), shows="loaded"),
    Case("ajax", "button", "Later", click(), shows="later"),
    Case("routes", "button", "Go two", click()),
    Case("links", "link", "Hop", click()),
    Case("links", "link", "Elsewhere", click(), "failed", "blocked", "elsewhere.invalid"),
    Case("links", "link", "Leaves", click(), "failed", "blocked"),
]


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case.page}-{case.name}-{case.action.type}"
)
async def test_action(case: Case, opens: Opens, eyes: type[Eyes]):
    async with opens(f"{case.page}.html") as session:
        see = eyes(session)
        node = await see.node(case.role, case.name)
        outcome = await session.act(case.action.with_(ref=node.ref))
        assert (outcome.status, outcome.error and outcome.error.kind) == (
            case.status,
            case.error,
        ), outcome
        assert case.says in (outcome.error.message if outcome.error else "")
        assert outcome.typed_value == case.typed or case.typed is None
        if case.shows:
            assert case.shows in await see.texts()
        if case.status == "rejected":
            assert not outcome.changed
            assert outcome.ms < 3000
        if isinstance(case.action, Check) and case.status == "ok":
            after = await see.node(case.role, case.name)
            assert "checked" in after.states


async def test_upload(opens: Opens, eyes: type[Eyes], upload_folder: Path):
    async with opens("controls.html", files=upload_folder) as session:
        see = eyes(session)
        ref = await see.ref("file", "Upload a photo")
        for name in ("../secret", "missing.png"):
            refused = await session.act(Upload(ref=ref, file=name))
            assert (refused.status, refused.error and refused.error.kind) == (
                "rejected",
                "bad_value",
            )
        done = await session.act(Upload(ref=ref, file="photo.png"))
        assert (done.status, done.typed_value) == ("ok", "photo.png")
        assert (await see.node("file", "Upload a photo")).value == "photo.png"


async def test_form_request_is_recorded_without_its_token(opens: Opens, eyes: type[Eyes]):
    async with opens("forms.html", secrets={"password": "Made-Up&Pass<9>"}) as session:
        see = eyes(session)
        typed = await session.act(
            TypeText(ref=await see.ref("textbox", "Password"), text="{{password}}")
        )
        assert (typed.status, typed.typed_value) == ("ok", "{{password}}")
        sent = await session.act(Click(ref=await see.ref("button", "Send")))
    assert sent.navigated
    assert sent.http_status == 200
    assert sent.url == f"{SITE}/plain.html"
    (request,) = sent.requests
    assert (request.method, request.url, request.status) == ("POST", f"{SITE}/form", 303)
    fields = dict(request.fields)
    assert fields["csrfmiddlewaretoken"] == "•••"
    assert fields["password"] == "{{password}}"
    assert (fields["name"], fields["country"], fields["size"]) == ("old", "d", "s")
    assert "off" not in fields


async def test_read_only_session_sends_nothing(opens: Opens, eyes: type[Eyes]):
    async with opens("forms.html", read_only=True) as session:
        sent = await session.act(Click(ref=await eyes(session).ref("button", "Send")))
        assert (sent.status, sent.error and sent.error.kind) == ("failed", "blocked")
        assert sent.blocked == (f"POST {SITE}/form",)
        assert sent.requests == ()
        assert (await eyes(session).look()).page.url == f"{SITE}/forms.html"


async def test_combobox_that_listens_to_keys(opens: Opens, eyes: type[Eyes]):
    async with opens("combobox.html") as session:
        see = eyes(session)
        box = await see.ref("combobox", "City")
        assert (await session.act(TypeText(ref=box, text="Ber"))).status == "ok"
        look = await see.look()
        assert [node.name for node in look.page.elements if node.is_new] == [
            "Bern",
            "Berlin",
            "Bergen",
        ]
        wrong = await session.act(Select(ref=box, options=("Rome",)))
        assert wrong.error is not None
        assert "Berlin" in wrong.error.message
        assert (await session.act(Select(ref=box, options=("Berlin",)))).status == "ok"
        assert "picked Berlin" in await see.texts()


async def test_rows_are_told_apart(opens: Opens, eyes: type[Eyes]):
    async with opens("rows.html") as session:
        see = eyes(session)
        pear = await see.ref("button", "Delete", 1)
        outcome = await session.act(Click(ref=await see.ref("button", "Insert row")))
        assert outcome.changed
        # The ref of the look before the last one is unknown to nobody: the element still lives.
        assert (await session.act(Click(ref=pear))).status == "ok"
        assert "pear" in await see.texts()


async def test_redrawn_row_is_found_again(opens: Opens, eyes: type[Eyes]):
    async with opens("rows.html") as session:
        see = eyes(session)
        await see.look()
        pear = await see.ref("button", "Delete", 1)
        redraw = await see.ref("button", "Redraw")
        assert (await session.act(Click(ref=redraw))).status == "ok"
        outcome = await session.act(Click(ref=pear))
        assert (outcome.status, outcome.rebound) == ("ok", True)
        assert "pear" in await see.texts()


async def test_row_that_moved_on_is_stale(opens: Opens, eyes: type[Eyes]):
    async with opens("virtual.html") as session:
        see = eyes(session)
        first = await see.ref("button", "Read", 0)
        pane = next(node for node in (await see.look()).page.elements if node.scroll)
        moved = await session.act(Scroll(ref=str(pane.ref), amount=10))
        assert moved.changed
        outcome = await session.act(Click(ref=first))
        assert (outcome.status, outcome.error and outcome.error.kind) == (
            "rejected",
            "stale_element",
        )
        assert "none" in await see.texts()


async def test_rows_that_move_all_the_time(opens: Opens, eyes: type[Eyes]):
    async with opens("queue.html") as session:
        see = eyes(session)
        for _ in range(2):
            look = await see.look()
            router = next(
                node
                for node in look.page.elements
                if node.fingerprint and node.fingerprint.context == "row Router"
            )
            await session.act(Wait(seconds=0.7))
            outcome = await session.act(Click(ref=str(router.ref)))
            texts = await see.texts()
            if outcome.status == "ok":
                assert "closed Router" in texts
                return
            assert "none" in texts


async def test_counter_keeps_its_ref(opens: Opens, eyes: type[Eyes]):
    async with opens("controls.html") as session:
        see = eyes(session)
        ref = await see.ref("button", "Count 0")
        assert (await session.act(Click(ref=ref))).changed
        assert (await session.act(Click(ref=ref))).status == "ok"
        assert await see.ref("button", "Count 2") == ref


async def test_frame_that_moved_on(opens: Opens, eyes: type[Eyes]):
    async with opens("frame-moves.html") as session:
        see = eyes(session)
        first = await see.ref("button", "First")
        await session.act(Click(ref=await see.ref("button", "Move")))
        outcome = await session.act(Click(ref=first))
        assert (outcome.status, outcome.error and outcome.error.kind) == (
            "rejected",
            "unknown_ref",
        ) or (outcome.error and outcome.error.kind == "stale_element")
        assert await see.ref("button", "Second")


async def test_layout_shift_does_not_move_the_click(opens: Opens, eyes: type[Eyes]):
    async with opens() as session:
        await session.goto(f"{SITE}/shift.html")
        see = eyes(session)
        await session.act(Click(ref=await see.ref("button", "Second")))
        assert "right" in await see.texts()


async def test_scrolling(opens: Opens, eyes: type[Eyes]):
    async with opens("scrollers.html") as session:
        see = eyes(session)
        page = (await see.look()).page
        panes = {node.name: node for node in page.elements if node.scroll is not None}
        assert set(panes) == {"Terms", "Inner", "Carousel"}
        done = await session.act(Scroll(ref=str(panes["Terms"].ref), amount=50))
        assert (done.status, done.changed) == ("ok", True)
        assert "the end is reached" in done.note
        page = (await see.look()).page
        after = {node.name: node.scroll for node in page.elements if node.scroll is not None}
        assert after["Terms"] == (300, 300)
        assert after["Inner"][0] == 0
        assert page.scroll_y == 0
        assert (await session.act(Scroll(direction="down", amount=1))).changed
        assert (await see.look()).page.scroll_y > 0
        sideways = await session.act(Scroll(ref=str(panes["Carousel"].ref), direction="right"))
        assert "scrolled 160 px" in sideways.note


async def test_hover_menu(opens: Opens, eyes: type[Eyes]):
    async with opens("hover.html") as session:
        see = eyes(session)
        await session.act(Hover(ref=await see.ref("button", "Products")))
        outcome = await session.act(Click(ref=await see.ref("link", "Shoes")))
        assert outcome.status == "ok"
        assert "#shoes" in await see.texts()


@pytest.mark.parametrize(
    ("what", "where", "shows"),
    [("Card one", "Done", "moved"), ("Pointer card", "Zone", "dropped")],
)
async def test_drag(what: str, where: str, shows: str, opens: Opens, eyes: type[Eyes]):
    async with opens("drag.html") as session:
        see = eyes(session)
        look = await see.look()
        refs = {node.name: str(node.ref) for node in look.page.elements}
        outcome = await session.act(Drag(ref=refs[what], target=refs[where]))
        assert outcome.status == "ok", outcome
        assert shows in await see.texts()


async def test_history(opens: Opens, eyes: type[Eyes]):
    async with opens("routes.html") as session:
        see = eyes(session)
        forward = await session.act(Click(ref=await see.ref("button", "Go two")))
        assert (forward.navigated, forward.url) == (True, f"{SITE}/app/two")
        back = await session.act(Back())
        assert (back.status, back.url) == ("ok", f"{SITE}/routes.html")
        assert (await session.act(Forward())).url == f"{SITE}/app/two"
        assert (await session.act(Forward())).status == "rejected"
        assert (await session.act(Reload())).status == "ok"


@pytest.mark.parametrize(
    ("action", "status", "kind"),
    [
        (Goto(url=f"{SITE}/plain.html"), "ok", None),
        (Goto(url="http://elsewhere.invalid/"), "rejected", "blocked"),
        (Goto(url=f"{SITE}/leaves"), "failed", "blocked"),
        (Goto(url=f"{SITE}/missing"), "ok", None),
        (Goto(url=f"{SITE}/refresh"), "ok", None),
        (Goto(url=f"{SITE}/nothing"), "ok", None),
        (Goto(url=f"{SITE}/download"), "ok", None),
        (Press(keys="Tab"), "ok", None),
        (Press(keys="NoSuchKey"), "rejected", "bad_value"),
        (Click(ref="99"), "rejected", "unknown_ref"),
        (Wait(text="Just a page", seconds=2), "ok", None),
        (Wait(text="Nowhere", seconds=0.2), "failed", "timeout"),
    ],
    ids=str,
)
async def test_page_action(action: Action, status: str, kind: str | None, opens: Opens):
    async with opens("plain.html") as session:
        outcome = await session.act(action)
        assert (outcome.status, outcome.error and outcome.error.kind) == (status, kind), outcome


async def test_addresses_say_what_came(opens: Opens):
    async with opens() as session:
        assert (await session.goto(f"{SITE}/missing")).http_status == 404
        hop = await session.goto(f"{SITE}/hop")
        assert (hop.url, hop.http_status) == (f"{SITE}/plain.html", 200)
        assert (await session.goto(f"{SITE}/refresh")).url == f"{SITE}/plain.html"
        assert (await session.goto(f"{SITE}/download")).downloads == ("list.csv",)
        links = await session.goto(f"{SITE}/links.html")
        assert links.blocked == ("GET http://tracker.invalid/pixel.gif",)
        assert links.status == "ok"
