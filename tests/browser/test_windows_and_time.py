"""Dialogs, new windows, pages that never rest: nothing hangs, everything is told."""

import asyncio

import pytest

from synthagent.browser import DialogPolicy
from synthagent.records import Click, CloseTab, Dialog, NewTab, SwitchTab
from tests.browser.conftest import SITE, Eyes, Opens

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("button", "answer", "dialogs", "shows"),
    [
        ("Alert", None, [("alert", "hello", "accept")], ""),
        ("Confirm", None, [("confirm", "Delete it?", "accept")], "deleted"),
        ("Confirm", "dismiss", [("confirm", "Delete it?", "dismiss")], "kept"),
        ("Prompt", None, [("prompt", "Name?", "accept")], "said Ada"),
        ("Prompt", "dismiss", [("prompt", "Name?", "dismiss")], "said null"),
        ("Two", None, [("alert", "one", "accept"), ("alert", "two", "accept")], "both"),
    ],
)
async def test_dialogs(
    button: str,
    answer: str | None,
    dialogs: list[tuple[str, str, str]],
    shows: str,
    opens: Opens,
    eyes: type[Eyes],
):
    async with opens("dialogs.html", dialog=DialogPolicy(prompt="Ada")) as session:
        see = eyes(session)
        click = Click.model_validate({"ref": await see.ref("button", button), "dialog": answer})
        outcome = await session.act(click)
        assert outcome.status == "ok"
        assert outcome.dialogs == tuple(
            Dialog.model_validate({"type": kind, "message": message, "answer": said})
            for kind, message, said in dialogs
        )
        assert shows in await see.texts() or not shows


async def test_page_that_wants_to_keep_its_visitor(opens: Opens, eyes: type[Eyes]):
    async with opens("dialogs.html") as session:
        see = eyes(session)
        await session.act(Click(ref=await see.ref("button", "Arm")))
        outcome = await session.act(Click(ref=await see.ref("link", "Leave")))
        assert [dialog.type for dialog in outcome.dialogs] == ["beforeunload"]
        assert outcome.url == f"{SITE}/windows.html"


@pytest.mark.parametrize(
    ("role", "name", "new", "url", "title"),
    [
        ("link", "Blank", 1, "plain.html", "Plain"),
        ("link", "Noopener", 1, "plain.html?n", "Plain"),
        ("button", "Small", 1, "plain.html?small", "Plain"),
        ("button", "Advert", 1, "windows.html", "Windows"),
        ("button", "Closes itself", 1, "windows.html", "Windows"),
        ("button", "Add frame", 0, "windows.html", "Windows"),
    ],
)
async def test_new_windows(
    role: str, name: str, new: int, url: str, title: str, opens: Opens, eyes: type[Eyes]
):
    async with opens("windows.html") as session:
        outcome = await session.act(Click(ref=await eyes(session).ref(role, name)))
        page = (await eyes(session).look()).page
        # A window that closes at once may be gone before the browser tells of it.
        assert outcome.new_tabs == new or (name == "Closes itself" and not outcome.new_tabs)
        assert (page.url, page.title) == (f"{SITE}/{url}", title)
        assert page.viewport == (1280, 720)


async def test_window_that_is_written_later(opens: Opens, eyes: type[Eyes]):
    async with opens("windows.html") as session:
        await session.act(Click(ref=await eyes(session).ref("button", "Receipt")))
        assert await eyes(session).ref("button", "Print")


async def test_tabs(opens: Opens, eyes: type[Eyes]):
    async with opens("windows.html") as session:
        await session.act(NewTab(url=f"{SITE}/plain.html"))
        page = (await eyes(session).look()).page
        assert [(tab.url, tab.active) for tab in page.tabs] == [
            (f"{SITE}/windows.html", False),
            (f"{SITE}/plain.html", True),
        ]
        assert (await session.act(SwitchTab(index=0))).url == f"{SITE}/windows.html"
        assert (await session.act(SwitchTab(index=7))).status == "rejected"
        closed = await session.act(CloseTab())
        assert (closed.closed_tabs, closed.url) == (1, f"{SITE}/plain.html")
        assert (await session.act(CloseTab())).status == "rejected"


async def test_endless_activity_is_not_waited_for(opens: Opens, eyes: type[Eyes]):
    async with opens("busy.html") as session:
        ref = await eyes(session).ref("button", "Press")
        outcome = await session.act(Click(ref=ref))
        assert outcome.status == "ok"
        assert outcome.settled in {"cap:mutations", "quiet"}
        assert outcome.ms < 6000
        look = await session.observe()
        assert look.screenshot is not None


async def test_four_sessions_at_once(opens: Opens, eyes: type[Eyes]):
    async def trajectory(number: int) -> list[str]:
        async with opens("forms.html") as session:
            see = eyes(session)
            done = []
            for page, role, name in (
                ("ajax.html", "button", "Load"),
                ("windows.html", "link", "Blank"),
                ("shadow.html", "button", "Closed door"),
            ):
                await session.goto(f"{SITE}/{page}")
                outcome = await session.act(Click(ref=await see.ref(role, name)))
                done.append(f"{outcome.status} {outcome.url} {outcome.new_tabs}")
            return [*done, str(number)][:3]

    results = await asyncio.gather(*(trajectory(number) for number in range(4)))
    assert results == [results[0]] * 4
    assert all(line.startswith("ok ") for line in results[0])
