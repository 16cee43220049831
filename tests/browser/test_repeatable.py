"""Looking changes nothing, and the same page is the same page: hashes, pictures, fingerprints."""

import io

import pytest
from PIL import Image

from synthagent.browser.fingerprint import find
from synthagent.browser.marks import draw_marks, draw_target
from synthagent.records import Check, Click, Reload, TypeText
from tests.browser.conftest import Eyes, Opens
from tests.browser.server import PAGES

pytestmark = pytest.mark.browser
RESTLESS = {"busy", "churn", "queue", "closes", "frame-self"}
CALM = sorted(path.stem for path in PAGES.glob("*.html") if path.stem not in RESTLESS)


@pytest.mark.parametrize("page", CALM)
async def test_looks_and_loads_are_equal(page: str, opens: Opens):
    async with opens(f"{page}.html") as session:
        first = await session.observe(screenshot=False)
        second = await session.observe(screenshot=False)
        assert (first.page, first.text) == (second.page, second.text)
        await session.act(Reload())
        third = await session.observe(screenshot=False)
        assert [node.ref for node in third.page.nodes] == [node.ref for node in first.page.nodes]
        assert third.page.content_hash == first.page.content_hash
        assert third.page.structure_key == first.page.structure_key
        for node in third.page.elements:
            assert node.fingerprint is not None
            match = find(first.page, node.fingerprint)
            assert (match.ref, match.level) == (node.ref, "exact")


async def test_twenty_loads_have_one_hash(opens: Opens):
    hashes = set()
    for _ in range(4):
        async with opens("structure.html") as session:
            for _ in range(5):
                await session.act(Reload())
                hashes.add((await session.observe(screenshot=False)).page.content_hash)
    assert len(hashes) == 1


async def test_looking_mutates_nothing(opens: Opens, eyes: type[Eyes]):
    async with opens("watch.html") as session:
        page = session._tabs.active.page
        before = await page.evaluate("window.seen")
        await session.act(Click(ref=await eyes(session).ref("textbox", "Text")))
        for _ in range(10):
            await session.observe()
        assert await page.evaluate("window.seen") == before
        html = await page.evaluate("document.documentElement.outerHTML")
        assert "synth" not in html
        assert (
            await page.evaluate("document.querySelector('progress').hasAttribute('value')") is False
        )
        assert await page.evaluate("document.adoptedStyleSheets.length") == 0


@pytest.mark.parametrize("page", ["still", "structure"])
async def test_pictures_of_an_unchanged_page_are_equal(page: str, opens: Opens):
    async with opens(f"{page}.html") as session:
        pictures = {(await session.observe()).screenshot for _ in range(3)}
    assert len(pictures) == 1
    (picture,) = pictures
    assert picture is not None
    with Image.open(io.BytesIO(picture)) as image:
        assert (image.format, image.size) == ("WEBP", (1280, 720))


async def test_full_page_picture(opens: Opens):
    async with opens("scrollers.html") as session:
        look = await session.observe()
        picture = await session.screenshot_of(look.page, full_page=True)
    assert picture is not None
    with Image.open(io.BytesIO(picture)) as image:
        assert image.height == look.page.height > 2000


async def test_marks(opens: Opens, eyes: type[Eyes]):
    async with opens("forms.html") as session:
        look = await session.observe()
    assert look.screenshot is not None
    marked = draw_marks(look.screenshot, look.page)
    assert marked == draw_marks(look.screenshot, look.page)
    assert marked != look.screenshot
    box = look.page.elements[0].box
    assert box is not None
    for picture in (marked, draw_target(look.screenshot, box, "click")):
        with Image.open(io.BytesIO(picture)) as image:
            assert image.size == (1280, 720)


async def test_a_change_is_a_change(opens: Opens, eyes: type[Eyes]):
    async with opens("controls.html") as session:
        see = eyes(session)
        before = (await see.look()).page
        await session.act(Click(ref=await see.ref("button", "Count 0")))
        after = (await see.look()).page
        assert before.content_hash != after.content_hash
        assert before.structure_key == after.structure_key
        focused = await session.act(Click(ref=await see.ref("textbox", "Message")))
        assert focused.changed
        assert (await see.look()).page.content_hash == after.content_hash


async def test_inserted_row_leaves_the_others_found(opens: Opens, eyes: type[Eyes]):
    async with opens("rows.html") as session:
        see = eyes(session)
        before = (await see.look()).page
        await session.act(Click(ref=await see.ref("button", "Insert row")))
        after = (await see.look()).page
    for node in before.elements:
        assert node.fingerprint is not None
        assert find(after, node.fingerprint).ref == node.ref, node


SECRETS = {"user": "demo-user", "password": 'Made-Up&"Pass<9>', "otp": "135790"}
SPELLINGS = [
    'Made-Up&"Pass<9>',
    "Made-Up&amp;&quot;Pass&lt;9&gt;",
    "Made-Up%26%22Pass%3C9%3E",
    'Made-Up&\\"Pass<9>',
]


async def test_secrets_never_show(opens: Opens, eyes: type[Eyes]):
    async with opens("secrets.html", secrets=SECRETS) as session:
        see = eyes(session)
        said = []
        for name, field in (("user", "User"), ("password", "Password"), ("otp", "One-time code")):
            ref = await see.ref("textbox", field)
            outcome = await session.act(TypeText(ref=ref, text=f"{{{{{name}}}}}"))
            assert (outcome.status, outcome.typed_value) == ("ok", f"{{{{{name}}}}}")
            said.append(outcome.to_json())
        await session.act(Check(ref=await see.ref("checkbox", "Show password")))
        shown = await session.observe()
        await session.act(Click(ref=await see.ref("button", "Sign in")))
        after = await session.observe()
    values = {node.name: node.value for node in shown.page.elements}
    assert values["User"] == "{{user}}"
    assert values["Password"] == "{{password}}"
    assert values["One-time code"] == "{{otp}}"
    assert "Hello {{user}}, your password {{password}}" in after.text
    # A short code is hidden in its field, not in every number of the page.
    assert "Ticket 135790" in after.text
    everything = " ".join(
        [*said, shown.text, shown.page.to_json(), after.text, after.page.to_json()]
    )
    assert [one for one in [*SPELLINGS, "demo-user"] if one in everything] == []
    field = next(node for node in shown.page.elements if node.name == "Password")
    assert shown.screenshot is not None
    assert field.box is not None
    with Image.open(io.BytesIO(shown.screenshot)) as image:
        x, y = field.box.x + field.box.width // 2, field.box.y + field.box.height // 2
        assert all(abs(part - 90) < 12 for part in image.convert("RGB").getpixel((x, y)))
