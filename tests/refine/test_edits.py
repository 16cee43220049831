"""Edits of trajectories: what they give, and when they are refused."""

import pytest

from synthagent.records import Answer, Edit, MoveStep, RemoveStep, SetAnswer
from synthagent.refine.edits import Edited, Refused, apply_edits
from tests.refine.steps import answer, step

STEPS = (step("A"), step("B"), step("C"), step("D"), answer("12"))


def remove(index: int) -> Edit:
    return RemoveStep(index=index, reason="needless")


def move(index: int, to: int) -> Edit:
    return MoveStep(index=index, to=to, reason="order")


def names(edited: Edited | Refused) -> str:
    assert isinstance(edited, Edited)
    return "".join(one.target.name[-1] if one.target else "" for one in edited.steps[:-1])


@pytest.mark.parametrize(
    ("edits", "left"),
    [
        ((remove(0),), "BCD"),
        ((remove(3), remove(0)), "BC"),
        ((move(0, 2),), "BCAD"),
        ((move(3, 0),), "DABC"),
        ((move(1, 3), remove(0)), "CDB"),
        ((remove(2), move(0, 2)), "BAD"),
        ((move(3, 1), move(0, 2)), "DBCA"),
    ],
)
def test_indices_count_the_recorded_steps(edits, left):
    assert names(apply_edits(STEPS, "12", edits)) == left


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ((), "no edits"),
        ((remove(5),), "no step 5"),
        ((move(0, 9),), "no step 9"),
        ((remove(4),), "ends the task"),
        ((move(4, 0),), "ends the task"),
        ((move(0, 4),), "ends the task"),
        ((remove(1), remove(1)), "edited twice"),
        ((remove(1), move(1, 2)), "edited twice"),
        ((move(2, 2),), "change nothing"),
        ((remove(0), remove(1), remove(2), remove(3)), "no step would be left"),
    ],
)
def test_edits_that_do_not_fit_are_refused(edits, reason):
    refused = apply_edits(STEPS, "12", edits)
    assert isinstance(refused, Refused)
    assert reason in refused.reason


def test_another_answer_is_said_everywhere():
    steps = (step("A"), answer("12", reasoning="The page says 12."))
    edited = apply_edits(steps, "12", (SetAnswer(answer="13", reason="misread"),))
    assert isinstance(edited, Edited)
    last = edited.steps[-1]
    assert (edited.answer, last.action, last.instruction, last.reasoning) == (
        "13",
        Answer(text="13"),
        'Answer "13"',
        "The page says 13.",
    )


def test_no_answer_can_be_given_to_steps_that_do_not_end():
    refused = apply_edits((step("A"),), None, (SetAnswer(answer="13", reason="misread"),))
    assert isinstance(refused, Refused)


def test_reasoning_that_looks_back_is_replaced_and_the_rest_stays():
    looking_back = step("C", reasoning="The previous step did not help, so I try C.")
    plain = step("D", reasoning="D is the next link.")
    edited = apply_edits((step("A"), looking_back, plain, answer("x")), "x", (remove(0),))
    assert isinstance(edited, Edited)
    assert edited.steps[0].reasoning == 'Click the link "C"'
    assert edited.steps[1:] == (plain, answer("x"))


def test_what_stands_before_the_edit_is_left_alone():
    before = step("A", reasoning="I try again.")
    edited = apply_edits((before, step("B"), answer("x")), "x", (remove(1),))
    assert isinstance(edited, Edited)
    assert edited.steps[0] == before


@pytest.mark.parametrize(
    ("instruction", "refused"),
    [('Click "Save" again', True), ("Do as in step 1", True), ('Click "Send again"', False)],
)
def test_instructions_that_look_back_refuse_the_edit(instruction, refused):
    steps = (step("A"), step("B").with_(instruction=instruction), answer("x"))
    assert isinstance(apply_edits(steps, "x", (remove(0),)), Refused) is refused
