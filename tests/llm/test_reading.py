"""Whatever is put around a reply: it is read as it was meant, or not at all."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthagent.llm.body import read_body
from synthagent.llm.reading import find_objects
from synthagent.llm.structured import Problem, read_reply
from synthagent.prompting import clean_text
from synthagent.teachers.llm.replies import DecideReply
from tests.llm.shapes import GOOD, said
from tests.llm.wrapping import AROUND, BODIES, WRITTEN, dumps

PIECES = [
    *("{", "}", '"', "'", "```", "</think>", "<think>", "\\", "\n", "é", "\ud800", "//", ",", ":"),
    *('": ', "[17]", "it's", '{"action": {"type": "answer"}}', "word ", "日本"),
]
texts = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
payloads = st.builds(
    lambda reasoning, typed: {
        "observation": "x",
        "reasoning": reasoning,
        "instruction": "go on",
        "action": {"type": "type", "ref": "4", "text": typed},
    },
    texts,
    texts,
)


def read(raw: str) -> Any:
    outcome = read_reply(read_body(raw), DecideReply)
    return outcome if isinstance(outcome, Problem) else outcome[0].model_dump(mode="json")


def meant(payload: dict[str, Any]) -> dict[str, Any]:
    cleaned = json.loads(clean_text(dumps(payload)))
    return DecideReply.model_validate(cleaned).model_dump(mode="json")


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("written", WRITTEN)
def test_every_form_of_a_usual_reply_is_read(written: str, around: str):
    if written == "encoded twice" and around not in ("nothing", "fence", "mark of order"):
        pytest.skip("a string inside prose is not taken for an answer")
    text = AROUND[around](WRITTEN[written](GOOD))
    assert read(json.dumps(said(text))) == meant(GOOD)


@pytest.mark.parametrize("body", BODIES)
def test_every_kind_of_body_is_read(body: str):
    assert read(BODIES[body](dumps(GOOD))) == meant(GOOD)


@settings(max_examples=400, deadline=None)
@given(
    payload=payloads,
    written=st.sampled_from(sorted(WRITTEN)),
    around=st.lists(st.sampled_from(sorted(AROUND)), max_size=3),
    body=st.sampled_from(sorted(BODIES)),
)
def test_a_reply_is_read_as_meant_or_not_at_all(payload, written, around, body):
    text = WRITTEN[written](payload)
    for name in around:
        text = AROUND[name](text)
    outcome = read(BODIES[body](text))
    assert isinstance(outcome, Problem) or outcome == meant(payload)


@settings(max_examples=300, deadline=None)
@given(payload=payloads, cut=st.floats(0, 1), finish=st.sampled_from(["stop", "length"]),
       around=st.sampled_from(sorted(AROUND)))  # fmt: skip
def test_a_cut_reply_is_never_completed(payload, cut, finish, around):
    whole = dumps(payload)
    text = AROUND[around](whole[: int(len(whole) * cut)])
    outcome = read(json.dumps(said(text, finish=finish)))
    assert isinstance(outcome, Problem) or outcome == meant(payload)


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_no_body_makes_the_reader_fail(raw: str):
    read(raw)
    read(json.dumps(said(raw)))
    find_objects(raw, complete=False)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "empty"),
        ("```json\n```", "empty"),
        ("<think>long and then nothing</think>", "empty"),
        ("I would click the button.", "malformed"),
        (dumps(GOOD)[:-1], "malformed"),
        (dumps(GOOD).replace('"ref": "17"', '"ref": "17", "ref": "4"'), "malformed"),
        (dumps(GOOD) + dumps(GOOD | {"action": {"type": "back"}}), "malformed"),
    ],
)
def test_what_cannot_be_used_is_told_apart(text: str, kind: str):
    outcome = read(json.dumps(said(text)))
    assert isinstance(outcome, Problem)
    assert outcome.kind == kind


def test_the_same_answer_twice_is_one_answer():
    assert read(json.dumps(said(f"{dumps(GOOD)}\nAgain:\n{dumps(GOOD)}"))) == meant(GOOD)
