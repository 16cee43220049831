"""Builds drafts and transitions for tests of proposal."""

from synthagent.propose.gate import Offer
from synthagent.records import (
    Click,
    Fingerprint,
    Goto,
    Observation,
    Outcome,
    PathStep,
    Plan,
    PlanStep,
    Provenance,
    TaskCheck,
    TaskType,
    Transition,
)
from synthagent.records.frozen import content_id
from synthagent.teachers.protocol import TaskDraft

MADE = Provenance(stage="explore", code_version="1", teacher="scripted", config_hash="c", seed=0)
START = "http://a.test/"
GO = PlanStep(verb="click", instruction="Click the link")


def sha(text: str) -> str:
    return (content_id(text) * 4)[:64]


def look(name: str) -> Observation:
    return Observation(
        url=f"{START}{name}", title=name, text=name, content_hash=sha(name), view_hash=sha(name),
        structure_key=sha(name), page=sha(name),
    )  # fmt: skip


def transition(source: str, target: str, *, role: str = "customer") -> Transition:
    return Transition(
        id=content_id(source, target, role),
        created_by=MADE,
        site="a",
        role=role,
        category="link",
        path=(PathStep(action=Goto(url=START + source)),),
        before=look(source),
        action=Click(ref="1"),
        target=Fingerprint(role="link", name=target, tag="a"),
        outcome=Outcome(status="ok", changed=True, navigated=True),
        after=look(target),
    )


def draft(
    intent: str,
    *,
    kind: TaskType = "navigation",
    role: str = "customer",
    length: int = 1,
    check: TaskCheck | None = None,
    evidence: tuple[str, ...] = ("0" * 16,),
) -> TaskDraft:
    plan = Plan(steps=(GO,) * length) if length else None
    return TaskDraft(kind, "link", role, START, intent, evidence, check, plan)


def offer(intent: str, target: str, **more: object) -> Offer:
    made = draft(intent, **more)
    return Offer(made, transition("", target, role=made.role))
