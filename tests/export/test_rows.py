"""Rows: what a model is shown and what it is to answer."""

import json

import pytest
from hypothesis import given, settings

from synthagent.errors import DataError
from synthagent.export.rows import StepRow, step_rows
from synthagent.export.target import compact_action, read_target, write_target
from synthagent.records import (
    ACTION,
    Answer,
    Check,
    Click,
    Dialog,
    Goto,
    NewTab,
    Outcome,
    Scroll,
    Step,
    TypeText,
)
from tests.export.refined import refined, shopping, step
from tests.records.strategies import instances, values


def rows_of(trajectory, history=3):
    return list(step_rows(trajectory, history=history))


def user_texts(trajectory, history=3):
    return [
        row.prompt.user if isinstance(row, StepRow) else row for row in rows_of(trajectory, history)
    ]


def history_in(text):
    return text.split("Last actions:\n")[1].split("\n\n<page>")[0]


def test_a_trajectory_becomes_a_row_a_step_with_its_history_from_the_first():
    first, second, third, fourth, last = user_texts(shopping())
    assert history_in(first) == "(none yet)"
    assert history_in(second) == '1. Click the link "Settings" -> the page changed'
    assert third == "the action failed"
    assert [line[:2] for line in history_in(fourth).split("\n") if line[1:2] == "."] == [
        "1.",
        "2.",
        "3.",
    ]
    assert "3. Click the link \"Settings\" -> rejected: A dialog covers it." in fourth  # fmt: skip
    assert history_in(last).startswith("(1 earlier steps not shown)\n2. ")
    rows = [row for row in rows_of(shopping()) if isinstance(row, StepRow)]
    assert [row.origin.step for row in rows] == [0, 1, 3, 4]
    assert {row.origin.trajectory for row in rows} == {shopping().id}
    assert read_target(rows[-1].target).action == Answer(text="17.50")


def test_every_row_words_the_task_as_it_was_at_the_end():
    texts = [text for text in user_texts(shopping()) if text != "the action failed"]
    assert all(text.startswith("Task: Turn on the weekly digest\n") for text in texts)
    assert not any("daily" in text for text in texts)


@pytest.mark.parametrize(
    ("url", "start", "shown"),
    [
        ("http://shop.test/a", "http://shop.test/", "URL: http://shop.test/a"),
        ("", "http://shop.test/", "URL: http://shop.test/"),
        ("about:blank", "http://shop.test/", "URL: http://shop.test/"),
        ("", "", None),
        ("about:blank", "about:blank", None),
    ],
)
def test_the_address_is_shown_or_not_mentioned(url, start, shown):
    text = user_texts(refined(step(Click(ref="1"), url=url), start_url=start))[0]
    assert [line for line in text.split("\n") if line.startswith("URL")] == (
        [shown] if shown else []
    )
    assert "about:blank" not in text
    assert "None" not in text


def test_a_later_step_without_an_address_has_that_of_the_outcome_before():
    moved = Outcome(status="ok", navigated=True, url="http://shop.test/b")
    trajectory = refined(step(Click(ref="1"), outcome=moved), step(Click(ref="2"), url=""))
    assert "URL: http://shop.test/b\n" in user_texts(trajectory)[1]


def test_an_empty_tab_is_no_address_in_the_history_either():
    opened = Outcome(status="ok", navigated=True, changed=True, url="about:blank", new_tabs=1)
    trajectory = refined(step(NewTab(), outcome=opened), step(Goto(url="http://shop.test/b")))
    assert "about:blank" not in user_texts(trajectory)[1]


@pytest.mark.parametrize(
    ("spoiled", "reason"),
    [
        (step(Click(ref="1"), text=""), "the page was empty"),
        (step(Click(ref="1"), text=" \n\t"), "the page was empty"),
        (step(Click(ref="1"), outcome=Outcome(status="failed")), "the action failed"),
        (step(Click(ref="1"), outcome=Outcome(status="rejected")), "the action failed"),
    ],
)
def test_a_step_that_teaches_nothing_has_no_row_but_is_told(spoiled, reason):
    assert rows_of(refined(spoiled, step(Answer())))[0] == reason


def test_what_an_action_did_is_told():
    asked = Dialog(type="confirm", message="Sure?", answer="accept")
    outcome = Outcome(status="ok", navigated=True, url="http://shop.test/b", dialogs=(asked,))
    text = user_texts(refined(step(Click(ref="1"), outcome=outcome), step(Answer())))[1]
    assert "opened http://shop.test/b; dialog 'Sure?': accept" in text


@pytest.mark.parametrize("history", [0, 1, 3, 30])
def test_as_many_earlier_steps_as_asked_for(history):
    trajectory = refined(*[step(Click(ref="1"))] * 8)
    shown = [
        line for line in history_in(user_texts(trajectory, history)[-1]).split("\n") if "->" in line
    ]
    assert [line.split(".")[0] for line in shown] == [str(n) for n in range(8 - min(7, history), 8)]


MARKS = ["<image>", "<IMAGE>", "<video>", "<|im_end|>", "</think>", "<s>", "</s>", "<tool_call>"]


@pytest.mark.parametrize("mark", MARKS)
def test_signs_of_trainers_in_a_page_or_a_task_are_escaped(mark):
    trajectory = refined(
        step(TypeText(ref="1", text=f"a{mark}"), text=f'text "{mark}"', instruction=f"Type {mark}"),
        step(Answer(text=mark)),
        intents=(f"Write {mark}",),
    )
    rows = [row for row in rows_of(trajectory) if isinstance(row, StepRow)]
    for row in rows:
        assert mark not in row.prompt.user
        assert mark not in row.target
        assert mark not in row.prompt.system
    assert read_target(rows[0].target).action == TypeText(ref="1", text=f"a{mark}")
    assert read_target(rows[1].target).action == Answer(text=mark)
    assert f"‹{mark[1:]}" in rows[0].prompt.user


def test_ordinary_markup_stays_as_it_is():
    text = user_texts(refined(step(Click(ref="1"), text='text "a < b, <b>bold</b> <- c"')))[0]
    assert 'text "a < b, <b>bold</b> <- c"' in text


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (Click(ref="3"), {"type": "click", "ref": "3"}),
        (Click(ref="3", count=2), {"type": "click", "ref": "3", "count": 2}),
        (Check(ref="3", on=False), {"type": "check", "ref": "3", "on": False}),
        (Scroll(), {"type": "scroll"}),
        (Answer(), {"type": "answer"}),
        (TypeText(ref="f1.7", text=""), {"type": "type", "ref": "f1.7", "text": ""}),
    ],
)
def test_an_action_is_written_without_what_goes_without_saying(action, expected):
    assert compact_action(action) == expected


@settings(deadline=None, max_examples=50)
@given(values(ACTION._type))
def test_a_compact_action_is_read_back_as_it_was(action):
    assert ACTION.validate_json(json.dumps(compact_action(action))) == action


@settings(deadline=None, max_examples=50)
@given(instances(Step))
def test_an_answer_is_strict_json_on_one_line_and_reads_back(taken):
    text = write_target(taken)
    assert "\n" not in text
    assert list(json.loads(text)) == ["reasoning", "instruction", "action"]
    read = read_target(text)
    assert (read.reasoning, read.instruction, read.action) == (
        taken.reasoning,
        taken.instruction,
        taken.action,
    )


@pytest.mark.parametrize(
    "text", ["", "{}", "{'reasoning': 'x'}", '{"reasoning": "", "instruction": "", "action": {}}']
)
def test_what_is_no_answer_is_refused(text):
    with pytest.raises(DataError, match="not the answer of a step"):
        read_target(text)
