"""When an agent is stuck, and what only looks like it."""

import hashlib

import pytest

from synthagent.agent.stall import find_stall
from synthagent.records import (
    Action,
    ActionError,
    Back,
    Click,
    Fingerprint,
    Observation,
    Outcome,
    Scroll,
    Step,
    TypeText,
    Wait,
)


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def look(
    content: str, *, scroll: int = 0, hidden: str = "", url: str = "http://a.test/"
) -> Observation:
    return Observation(
        url=url,
        title="",
        text=f"{content}\nabove {scroll} px",
        content_hash=sha(url + content + hidden),
        view_hash=sha(f"{url}{content}{hidden}{scroll}"),
        structure_key=sha(""),
        page=sha(""),
    )


def click(name: str) -> Click:
    return Click(ref=sha(name)[:3])


def step(action: Action, seen: Observation, error: str | None = None) -> Step:
    target = None
    if getattr(action, "ref", None):
        target = Fingerprint(role="button", name=action.ref, tag="button")
    problem = ActionError(kind=error, message=f"element [7] is {error}") if error else None
    return Step(
        observation=seen,
        reasoning="",
        instruction=f"{action.type}",
        action=action,
        target=target,
        outcome=Outcome(status="failed" if error else "ok", error=problem),
    )


def trail(*pairs):
    """Build steps from (action, page before, error) and the page after the last."""
    *done, last = pairs
    return [step(*pair) for pair in done], last


def many(action: Action, *contents: str, **more):
    """Do one action again and again; the page shows one content after the other."""
    looks = [look(content, **more) for content in contents]
    return [step(action, seen) for seen in looks[:-1]], looks[-1]


GO, SKIP = click("go"), click("skip")
A, B, C = look("page A"), look("page B"), look("page C")
PLAIN = look('[1] button "Go"')
FOCUSED = look('[1] button "Go" (focused)')
DOWN = look("page A", scroll=9)
FIELD = TypeText(ref="9", text="x")


def clock(at: int) -> Observation:
    return look(f'[1] button "Continue"\nSession time {at} s')


STUCK = {
    "three actions, nothing changes": trail((GO, A), (SKIP, A), (FIELD, A), A),
    "waits in between change nothing": trail((GO, A), (Wait(), A), (SKIP, A), (FIELD, A), A),
    "a scroll that does not move": trail((Scroll(), A), (Scroll(), A), (Scroll(), A), A),
    "to and fro": trail((GO, A), (Back(), B), (GO, A), B),
    "a longer circle": trail((GO, A), (SKIP, B), (Back(), C), (GO, A), B),
    "the same click twice on an equal page": trail((GO, A), (GO, A), A),
    "a clock hides that nothing happens": trail((GO, clock(1)), (GO, clock(2)), clock(3)),
    "a clock, and different actions": trail(
        (GO, clock(1)), (SKIP, clock(2)), (FIELD, clock(9)), clock(31)
    ),
    "the focus comes to the button": trail((GO, PLAIN), (GO, FOCUSED), FOCUSED),
    "time of day": many(GO, "It is 10:59:59", "It is 11:00:00", "It is 11:00:01"),
    "digits of no known unit": many(GO, *(f"ticks {n}" for n in range(7))),
    "the same error twice": trail((GO, A, "covered"), (GO, A, "covered"), A),
    "the same error on two pages": trail((GO, A, "covered"), (SKIP, B, "covered"), C),
}
FINE = {
    "nothing done": trail(A),
    "each action changes something": trail((GO, A), (SKIP, B), (FIELD, C), A),
    "three scrolls that move": trail(
        *[(Scroll(), look("long", scroll=n)) for n in range(3)], look("long", scroll=3)
    ),
    "scrolls down and up again": trail(
        (Scroll(), A), (Scroll(direction="up"), DOWN), (Scroll(), A), DOWN
    ),
    "two actions without effect": trail((GO, A), (SKIP, A), A),
    "waiting long": trail(*[(Wait(), A)] * 6, A),
    "waiting on a clock": trail(*[(Wait(), clock(n)) for n in range(6)], clock(7)),
    "typing into a field": many(FIELD, *(f'[1] textbox "A" = "{n * "x"}"' for n in range(4))),
    "raising an amount": many(GO, *(f'[1] spinbutton "Amount" = "{n}"' for n in range(9))),
    "a counter in plain text, a few times": many(GO, *(f"Basket {n}" for n in range(5))),
    "the next page, again and again": trail(
        *[(GO, look(f"row {n}", url=f"http://a.test/?page={n}")) for n in range(7)], B
    ),
    "changes out of view": trail(*[(GO, look("top", hidden=str(n))) for n in range(4)], A),
    "one error, mended": trail((GO, A, "covered"), (SKIP, A), (GO, B), C),
    "two different errors": trail((GO, A, "covered"), (SKIP, A, "disabled"), A),
    "trying again after an error": trail((GO, A, "stale_element"), (GO, A), B),
    "the browser crashed twice": trail((GO, A, "page_crashed"), (GO, A, "page_crashed"), A),
    "the site was away": trail(*[(GO, A, "navigation_failed")] * 4, A),
}


@pytest.mark.parametrize("case", STUCK)
def test_stuck(case):
    assert find_stall(*STUCK[case])


@pytest.mark.parametrize("case", FINE)
def test_not_stuck(case):
    assert find_stall(*FINE[case]) is None


def test_refs_and_marks_of_new_elements_do_not_count():
    one, other = look('*[f1.12] button "Go"\nat 10:00'), look('[3] button "Go"\nat 10:01')
    assert find_stall([step(GO, one), step(SKIP, other), step(FIELD, other)], other)
