"""What becomes of a trajectory, given opinion, verdict and replay."""

import pytest

from synthagent.records import RemoveStep, ReplayReport, SetAnswer, Verdict
from synthagent.refine.decision import Dropped, Version, weigh, why_not_kept
from synthagent.teachers.protocol import Opinion
from tests.refine.steps import answer, step, trajectory

STEPS = (step("A"), step("B"), answer("12"))
REMOVE = (RemoveStep(index=0, reason="needless"),)
ANSWER = (SetAnswer(answer="13", reason="misread"),)


@pytest.mark.parametrize(
    ("made", "opinion", "decision"),
    [
        (trajectory(*STEPS), Opinion("keep", 90, "good"), "keep"),
        (trajectory(*STEPS, passed=None), Opinion("keep", 90, "good"), "keep"),
        (trajectory(*STEPS, passed=False), Opinion("keep", 90, "good"), None),
        (trajectory(*STEPS), Opinion("keep", 59, "meagre"), None),
        (trajectory(*STEPS), Opinion("drop", 90, "doubtful"), None),
        (trajectory(*STEPS, end="out_of_steps"), Opinion("keep", 90, "good"), None),
        (trajectory(*STEPS, end="infeasible"), Opinion("edit", 90, "", REMOVE), None),
        (trajectory(*STEPS), Opinion("edit", 90, "good", REMOVE), "edit"),
        (trajectory(*STEPS, passed=False), Opinion("edit", 90, "good", REMOVE), None),
        (trajectory(*STEPS, passed=False), Opinion("edit", 90, "good", ANSWER), "edit"),
        (trajectory(*STEPS), Opinion("edit", 90, "good", ()), None),
    ],
)
def test_in_doubt_it_is_dropped(made, opinion, decision):
    weighed = weigh(made, opinion, min_score=60)
    assert isinstance(weighed, Dropped if decision is None else Version)
    assert getattr(weighed, "decision", None) == decision


def test_keep_changes_nothing_at_all():
    made = trajectory(*STEPS)
    assert weigh(made, Opinion("keep", 90, "good"), 60) == Version("keep", made.steps, "12")


@pytest.mark.parametrize(
    ("label", "passed", "replays", "kept"),
    [
        ("replayed", True, True, True),
        ("replayed", None, True, True),
        ("replayed", False, True, False),
        ("drifted", True, True, False),
        ("broken", None, True, False),
        ("not replayed", None, True, False),
        ("not replayed", True, False, True),
        ("not replayed", False, False, False),
    ],
)
def test_only_what_replays_is_kept(label, passed, replays, kept):
    verdict = Verdict(passed=passed, judge="check", reason="")
    reason = why_not_kept(ReplayReport(label=label), verdict, replays=replays)
    assert (reason is None) is kept
