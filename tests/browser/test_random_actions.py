"""Random actions on all pages: whatever is done, an outcome comes of it, and in time."""

import random

import pytest

from synthagent.records import (
    Action,
    Back,
    Check,
    Click,
    CloseTab,
    Drag,
    Forward,
    Hover,
    Node,
    Outcome,
    Page,
    Press,
    Reload,
    Scroll,
    Select,
    SwitchTab,
    TypeText,
    Upload,
)
from tests.browser.conftest import SITE, Opens
from tests.browser.server import PAGES

pytestmark = pytest.mark.browser
ACTIONS = 2
"""For each page; a longer run is a matter of this number."""
TEXTS = ("", "Ada", "2031-05-09", "12", "東京\n👩‍🔧", "{{password}}", "a" * 300)
KEYS = ("Enter", "Tab", "Escape", "Control+a", "ArrowDown", "Nonsense", "z")


@pytest.mark.parametrize("page", sorted(path.stem for path in PAGES.glob("*.html")))
async def test_random_actions(page: str, opens: Opens):
    dice = random.Random(page)
    async with opens(f"{page}.html", secrets={"password": "meadow-lark-42"}) as session:
        for _ in range(ACTIONS):
            look = await session.observe(screenshot=False)
            outcome = await session.act(pick_action(dice, look.page))
            assert isinstance(outcome, Outcome)
            assert (outcome.error is None) == (outcome.status == "ok")
            assert outcome.ms < 12_000
            if not look.page.url.startswith(SITE):
                await session.goto(f"{SITE}/{page}.html")


def pick_action(dice: random.Random, page: Page) -> Action:
    """Return an action that an agent without any sense might choose."""
    refs = [str(node.ref) for node in page.elements] or ["1"]
    node = dice.choice(page.elements or (Node(depth=0, role="none"),))
    ref = dice.choice([str(node.ref or "1")] * 9 + ["999"])
    option = dice.choice(node.options or ("none",))
    choices: list[Action] = [
        Click(ref=ref),
        Click(ref=ref),
        Click(ref=ref, button="right"),
        Click(ref=ref, count=2, dialog="dismiss"),
        Click(ref=ref, modifiers=("Control",)),
        TypeText(ref=ref, text=dice.choice(TEXTS), submit=dice.random() < 0.3),
        TypeText(ref=ref, text=dice.choice(TEXTS), clear=False),
        Select(ref=ref, options=(option,)),
        Check(ref=ref, on=dice.random() < 0.5),
        Hover(ref=ref),
        Press(keys=dice.choice(KEYS), ref=ref),
        Press(keys=dice.choice(KEYS)),
        Scroll(ref=ref),
        Scroll(direction=dice.choice(("up", "down", "left", "right"))),
        Drag(ref=ref, target=dice.choice(refs)),
        Upload(ref=ref, file="photo.png"),
        Back(),
        Forward(),
        Reload(),
        SwitchTab(index=dice.randrange(3)),
        CloseTab(),
    ]
    return dice.choice(choices)
