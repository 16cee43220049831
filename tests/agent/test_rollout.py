"""The loop on real pages: how tasks end, what is recorded, and how conflicts are mended."""

import pytest

from synthagent.agent.rollout import Rollout, rollout, why_no_rewrite
from synthagent.config import CollectConfig
from synthagent.errors import ModelAccessDenied, ModelUnavailable
from synthagent.records import (
    Answer,
    AnswerShown,
    Click,
    Fact,
    Infeasible,
    Provenance,
    RequestSent,
    Task,
    TaskCheck,
    TaskVersion,
    Wait,
)
from synthagent.teachers.scripted import ScriptedTeacher, click, say, write
from tests.fixtures.corner_shop import ORIGIN

pytestmark = pytest.mark.browser

MADE = Provenance(stage="propose", code_version="1", teacher="scripted", config_hash="c", seed=0)
MISSING = say(Infeasible(kind="missing_control", evidence="there is no wish list"))
ALIGNED = TaskVersion(intent="Put an oak table into the basket", rule="align")


def task(start: str = "/", check: TaskCheck | None = None) -> Task:
    return Task(
        id="1" * 16,
        created_by=MADE,
        site="corner",
        role="anonymous",
        type="modification",
        category="form",
        start_url=ORIGIN + start,
        evidence=(),
        versions=(TaskVersion(intent="Put an oak table on the wish list", check=check),),
    )


async def run(opens, blobs, asked: Task, *lines, **options) -> Rollout:
    limits = {key: options.pop(key) for key in ("max_steps", "max_rewrites") if key in options}
    teacher = ScriptedTeacher(lines, **options)
    async with opens() as session:
        return await rollout(
            asked,
            session=session,
            teacher=teacher,
            blobs=blobs,
            config=CollectConfig(**limits),
            item="attempt",
        )


ADD = (click("Products"), click("Oak table"), write("Quantity", "3"), click("Add to basket"))
SENT = RequestSent(path="/basket", fields=(("quantity", "3"), ("product", "1")), redirected=True)


async def test_a_task_is_completed_and_checked(opens, blobs):
    done = await run(opens, blobs, task(check=SENT), *ADD, say(Answer()))
    assert (done.end, done.verdict.passed, done.verdict.judge) == ("completed", True, "check")
    assert [step.action.type for step in done.steps] == [
        "click",
        "click",
        "type",
        "click",
        "answer",
    ]
    assert [step.outcome.status for step in done.steps] == ["ok"] * 5
    assert done.steps[1].target is not None
    assert done.steps[1].target.name == "Oak table"
    assert done.final == done.steps[-1].observation
    assert done.final.url == f"{ORIGIN}/thanks.html"
    assert {step.observation.screenshot for step in done.steps}.isdisjoint({None})
    assert "Oak table" in blobs.get_page(done.steps[1].observation.page).to_json()


async def test_an_answer_is_held_against_the_last_page(opens, blobs):
    shown = AnswerShown(fact=Fact(kind="label", label="Price"))
    price = (click("Products"), click("Brass lamp"))
    right = await run(opens, blobs, task(check=shown), *price, say(Answer(text="£40.50")))
    wrong = await run(opens, blobs, task(check=shown), *price, say(Answer(text="£20.50")))
    assert (right.answer, right.verdict.passed) == ("£40.50", True)
    assert (wrong.answer, wrong.verdict.passed) == ("£20.50", False)


async def test_a_conflict_rewrites_the_task_and_the_steps_stay(opens, blobs):
    lines = (click("Products"), MISSING, click("Oak table"), say(Answer()))
    done = await run(opens, blobs, task(), *lines, rewrites=[ALIGNED])
    assert done.end == "completed"
    assert [version.intent for version in done.task.versions] == [
        "Put an oak table on the wish list",
        "Put an oak table into the basket",
    ]
    (conflict,) = done.conflicts
    assert done.task.current.conflict == conflict
    assert (conflict.kind, conflict.step) == ("missing_control", 1)
    assert conflict.url == f"{ORIGIN}/products.html"
    assert [(step.action.type, step.version) for step in done.steps] == [
        ("click", 0),
        ("click", 1),
        ("answer", 1),
    ]


async def test_without_a_rewrite_it_ends_infeasible(opens, blobs):
    done = await run(opens, blobs, task(), click("Products"), MISSING)
    assert done.end == "infeasible"
    assert [step.action.type for step in done.steps] == ["click", "infeasible"]
    assert "no rewrite was found" in done.verdict.reason


async def test_evaluation_never_rewrites(opens, blobs):
    done = await run(opens, blobs, task(), MISSING, rewrites=[ALIGNED], max_rewrites=0)
    assert (done.end, len(done.task.versions)) == ("infeasible", 1)


async def test_rewrites_are_limited(opens, blobs):
    wordings = [TaskVersion(intent=f"Put {n} chairs into it", rule="align") for n in range(9)]
    done = await run(opens, blobs, task(), *[MISSING] * 9, rewrites=wordings, max_rewrites=2)
    assert (done.end, len(done.task.versions), len(done.conflicts)) == ("infeasible", 3, 3)


async def test_a_loop_without_effect_ends_despite_a_clock(opens, blobs):
    done = await run(opens, blobs, task("/stuck.html"), *[click("Continue")] * 30)
    assert (done.end, done.conflicts[0].kind) == ("infeasible", "stall")
    assert len(done.steps) <= 3


async def test_a_stall_can_be_mended(opens, blobs):
    lines = (*[click("Continue")] * 2, click("Back to the shop"), say(Answer()))
    done = await run(opens, blobs, task("/stuck.html"), *lines, rewrites=[ALIGNED])
    assert (done.end, [step.version for step in done.steps]) == ("completed", [0, 0, 1, 1])


async def test_steps_are_limited(opens, blobs):
    lines = [say(Wait(seconds=0))] * 9
    done = await run(opens, blobs, task(), *lines, max_steps=4)
    assert (done.end, len(done.steps)) == ("out_of_steps", 4)


async def test_an_action_on_what_is_not_there_is_recorded_as_rejected(opens, blobs):
    lost = say(Click(ref="999"))
    done = await run(opens, blobs, task(), lost, click("Products"), say(Answer()))
    assert [step.outcome.status for step in done.steps] == ["rejected", "ok", "ok"]
    assert done.steps[0].target is None


class Fails(ScriptedTeacher):
    """Cannot reach its model."""

    error: type[Exception] = ModelUnavailable

    async def decide(self, *args, **options):
        raise self.error("no answer")


class IsDenied(Fails):
    error = ModelAccessDenied


async def attempt(opens, blobs, teacher: ScriptedTeacher) -> Rollout:
    async with opens() as session:
        return await rollout(
            task(), session=session, teacher=teacher, blobs=blobs, config=CollectConfig(), item="a"
        )


async def test_infrastructure_is_neither_verdict_nor_conflict(opens, blobs):
    done = await attempt(opens, blobs, Fails())
    assert (done.end, done.verdict.passed, done.conflicts) == ("infrastructure", None, ())
    assert done.error == "ModelUnavailable: no answer"
    assert done.final is not None


async def test_what_only_the_user_can_mend_stops(opens, blobs):
    with pytest.raises(ModelAccessDenied):
        await attempt(opens, blobs, IsDenied())


@pytest.mark.parametrize(
    ("version", "refused"),
    [
        (ALIGNED, False),
        (None, True),
        (ALIGNED.with_(rule=None), True),
        (ALIGNED.with_(intent="Put it into the basket on this page"), True),
        (ALIGNED.with_(intent="put an Oak table on the wish list"), True),
    ],
)
def test_a_rewrite_must_stand_alone_and_be_new(version, refused):
    assert (why_no_rewrite(task(), version) is not None) is refused
