"""Replay on real pages: what replays, what drifts, what breaks."""

import pytest

from synthagent.agent.replaying import Recorded, plain_url, replay, replay_whole
from synthagent.agent.rollout import rollout
from synthagent.config import CollectConfig
from synthagent.records import Answer, Click, RequestSent
from synthagent.teachers.scripted import ScriptedTeacher, click, say
from tests.agent.test_rollout import ADD, SENT, task

pytestmark = pytest.mark.browser


async def record(opens, blobs, *lines, check=SENT):
    async with opens() as session:
        return await rollout(
            task(check=check),
            session=session,
            teacher=ScriptedTeacher(lines),
            blobs=blobs,
            config=CollectConfig(),
            item="attempt",
        )


async def again(opens, blobs, done, **changes):
    kept = {"steps": done.steps, "final": done.final, "task": done.task, "answer": done.answer}
    async with opens() as session:
        return await replay(**(kept | changes), session=session, blobs=blobs)


async def test_a_recorded_trajectory_replays(opens, blobs):
    done = await record(opens, blobs, *ADD, say(Answer()))
    report = await again(opens, blobs, done)
    assert (report.label, report.steps_done, report.rebound) == ("replayed", 5, 0)


async def test_refused_steps_are_passed_over(opens, blobs):
    done = await record(opens, blobs, say(Click(ref="99")), *ADD, say(Answer()))
    report = await again(opens, blobs, done)
    assert (report.label, report.steps_done) == ("replayed", 5)


async def test_an_end_that_differs_drifts(opens, blobs):
    done = await record(opens, blobs, *ADD, say(Answer()))
    without_quantity = (*done.steps[:2], *done.steps[3:])
    report = await again(opens, blobs, done, steps=without_quantity)
    assert (report.label, report.steps_done) == ("drifted", 4)
    assert "quantity" in report.reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"url": "http://corner.test/other.html"}, "ended on"),
        ({"structure_key": "f" * 64}, "other controls"),
        ({"content_hash": "f" * 64}, "something else"),
    ],
)
async def test_without_a_check_the_end_must_be_equal(opens, blobs, change, reason):
    done = await record(opens, blobs, click("Products"), say(Answer()), check=None)
    assert (await again(opens, blobs, done)).label == "replayed"
    report = await again(opens, blobs, done, final=done.final.with_(**change))
    assert report.label == "drifted"
    assert reason in report.reason


async def test_a_check_vouches_for_other_content(opens, blobs):
    done = await record(opens, blobs, *ADD, say(Answer()), check=RequestSent(path="/basket"))
    final = done.final.with_(content_hash="f" * 64)
    assert (await again(opens, blobs, done, final=final)).label == "replayed"


async def test_what_is_not_there_breaks(opens, blobs):
    done = await record(opens, blobs, *ADD, say(Answer()))
    report = await again(opens, blobs, done, steps=done.steps[1:])
    assert (report.label, report.steps_done) == ("broken", 0)
    assert 'step 1: link "Oak table" is not on' in report.reason


async def test_a_site_that_is_gone_is_no_judgement(opens, blobs):
    done = await record(opens, blobs, click("Products"), say(Answer()), check=None)
    elsewhere = done.task.with_(start_url="http://127.0.0.1:9/")
    report = await again(opens, blobs, done, task=elsewhere)
    assert report.label == "not replayed"
    assert report.reason


async def test_a_replay_can_be_recorded_anew(opens, blobs):
    done = await record(opens, blobs, say(Click(ref="99")), *ADD, say(Answer()))
    recorded = Recorded(done.task, done.steps, done.final, done.answer)
    async with opens() as session:
        anew = await replay_whole(recorded, session=session, blobs=blobs, anew=True)
    assert anew.report.label == "replayed"
    assert [step.instruction for step in anew.steps] == [one.instruction for one in done.steps[1:]]
    assert [one.observation.url for one in anew.steps] == [
        one.observation.url for one in done.steps[1:]
    ]
    assert anew.verdict.passed
    assert anew.final.content_hash == done.final.content_hash


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("http://a.test/x?b=2&a=1", "http://a.test/x?a=1&b=2"),
        ("http://a.test/x?token=9&a=", "http://a.test/x?a="),
        ("http://a.test/x#part", "http://a.test/x#part"),
    ],
)
def test_addresses_are_compared_without_what_is_volatile(url, plain):
    assert plain_url(url, {"token"}) == plain
