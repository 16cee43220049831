"""From transitions to refined trajectories on real pages, with a teacher that says its lines."""

from collections.abc import Iterator

import pytest

from synthagent.collect import collect
from synthagent.explore import explore
from synthagent.propose import propose
from synthagent.records import (
    Answer,
    AnswerShown,
    Fact,
    RemoveStep,
    Transition,
)
from synthagent.refine import refine
from synthagent.teachers.protocol import Opinion, TaskDraft
from synthagent.teachers.scripted import Line, ScriptedTeacher, click, say
from tests.fixtures.corner_shop import ORIGIN, corner_run, corner_shop

pytestmark = pytest.mark.browser
SETTINGS = {"explore": {"max_transitions": 4}}
INTENT = "Tell the price of the oak table"
PRICE = AnswerShown(fact=Fact(kind="label", label="Price"))
WAY: tuple[Line, ...] = (click("Products"), click("Oak table"), say(Answer(text="£20.50")))


@pytest.fixture(scope="module")
def corner() -> Iterator[str]:
    with corner_shop() as url:
        yield url


def ask_prices(transition: Transition) -> tuple[TaskDraft, ...]:
    """Ask once well, once alike, and once so that it leans on the page."""
    if not transition.after.url.endswith("/products.html"):
        return ()
    return tuple(
        TaskDraft("information", "link", "anonymous", ORIGIN + "/", intent, (transition.id,), PRICE)
        for intent in (INTENT, INTENT.upper(), "Tell the price on this page")
    )


async def go_through(folder, url, lines, opinion=None, **settings):
    teacher = ScriptedTeacher(
        lines, drafts=ask_prices, opinion=opinion or Opinion("keep", 90, "good")
    )
    async with corner_run(folder, url, teacher, **SETTINGS, **settings) as run:
        for stage in (explore, propose, collect, refine):
            await stage(run)
        logs = run.directory
        return list(logs.tasks), list(logs.trajectories), list(logs.reviews), list(logs.refined)


async def test_a_task_goes_all_the_way(tmp_path, corner):
    tasks, trajectories, reviews, refined = await go_through(tmp_path, corner, WAY)
    assert [task.intent for task in tasks] == [INTENT]
    (trajectory,), (review,), (kept,) = trajectories, reviews, refined
    assert (trajectory.end, trajectory.verdict.passed, trajectory.attempt) == ("completed", True, 0)
    assert (review.decision, review.replay.label) == ("keep", "replayed")
    assert kept.steps == trajectory.steps
    assert (kept.final, kept.answer, kept.verdict) == (
        trajectory.final,
        "£20.50",
        trajectory.verdict,
    )
    assert kept.parents == (trajectory.id,)
    assert trajectory.parents == (tasks[0].id,)
    assert kept.task.evidence == tasks[0].parents


async def test_an_edit_is_replayed_and_recorded_anew(tmp_path, corner):
    detour = (click("Contact"), *WAY)
    edits = (RemoveStep(index=0, reason="a detour"),)
    opinion = Opinion("edit", 90, "one step too many", edits)
    _, (trajectory,), (review,), (kept,) = await go_through(tmp_path, corner, detour, opinion)
    assert (review.decision, review.edits, review.replay.label) == ("edit", edits, "replayed")
    assert [step.target.name for step in kept.steps[:2]] == ["Products", "Oak table"]
    assert kept.steps[0].observation.url == ORIGIN + "/"
    assert trajectory.steps[1].observation.url == f"{ORIGIN}/contact.html"
    assert kept.decision == "edit"


async def test_an_edit_that_takes_out_what_is_needed_is_dropped(tmp_path, corner):
    edits = (RemoveStep(index=0, reason="seems needless"),)
    opinion = Opinion("edit", 90, "one step too many", edits)
    *_, (review,), refined = await go_through(tmp_path, corner, WAY, opinion)
    assert refined == []
    assert (review.decision, review.replay.label, review.edits) == ("drop", "broken", edits)


async def test_a_wrong_answer_is_kept_in_no_way(tmp_path, corner):
    wrong = (*WAY[:2], say(Answer(text="£99")))
    _, (trajectory,), (review,), refined = await go_through(tmp_path, corner, wrong)
    assert (trajectory.verdict.passed, refined, review.decision) == (False, [], "drop")
    assert review.replay.label == "not replayed"


async def test_without_replay_nothing_claims_to_be_replayed(tmp_path, corner):
    *_, (review,), (kept,) = await go_through(tmp_path, corner, WAY, refine={"replay": False})
    assert review.replay.label == kept.replay.label == "not replayed"


async def test_killed_between_stages_nothing_is_done_twice(tmp_path, corner):
    before = await go_through(tmp_path, corner, WAY)
    run = tmp_path / "run"
    (run / "stages.jsonl").unlink()
    (run / "reviews.jsonl").unlink()
    after = await go_through(tmp_path, corner, ())
    assert [[one.id for one in log] for log in after] == [[one.id for one in log] for log in before]
    assert after[1] == before[1]
