"""Decides the next action of a grounded task by holding its plan against the page.

Reports a conflict where the two disagree; not responsible for mending the task, see `mending.py`.
"""

from collections.abc import Sequence

from synthagent.browser.fingerprint import find
from synthagent.errors import ConfigError
from synthagent.judge.facts import list_facts, read_fact
from synthagent.records import (
    Action,
    Answer,
    Check,
    Click,
    Fact,
    Goto,
    Infeasible,
    Node,
    Page,
    Plan,
    PlanStep,
    Select,
    Step,
    Task,
    TypeText,
)
from synthagent.teachers.grounded.forms import Form, form_with
from synthagent.teachers.grounded.messages import complaints, heading_of
from synthagent.teachers.grounded.routes import describe
from synthagent.teachers.protocol import Decision

RETRIED_ERRORS = frozenset({"stale_element", "timeout", "covered", "not_visible"})
ARGUMENT_ERRORS = frozenset({"no_such_option", "bad_value", "value_differs"})
MAX_OFFERS = 6


def decide(task: Task, page: Page, history: Sequence[Step]) -> Decision:
    """Return the next step of the task's plan, its end, or the conflict that stops it.

    Raises:
        ConfigError: the task has no plan, since an LLM proposed it.
    """
    plan = task.current.plan
    if plan is None:
        raise ConfigError(
            f"task {task.id} has no plan: the grounded teacher acts on grounded tasks only; "
            "use --teacher llm for tasks that a model proposed"
        )
    steps = [step for step in history if step.version == len(task.versions) - 1]
    done = sum(step.outcome.status == "ok" for step in steps)
    conflict = _failed_action(steps) or _complaint(page, plan, steps, done)
    if conflict is not None:
        return _report(conflict)
    if done < len(plan.steps):
        return _next_step(plan, done, page, task.intent)
    return _end(plan.fact, page)


def locate(page: Page, step: PlanStep) -> Node | None:
    """Return the element that `step` means on `page`; the first of several equal ones."""
    if step.target is None:
        return None
    match = find(page, step.target)
    if match.ref is not None:
        return page.by_ref.get(match.ref)
    alike = [
        node
        for node in page.elements
        if (node.role, node.name) == (step.target.role, step.target.name)
        and not node.covered_by
        and "disabled" not in node.states
    ]
    return alike[0] if alike else None


def missing_fields(page: Page, submit: Node) -> tuple[Form, tuple[Node, ...]] | None:
    """Return the required fields of the form of `submit` that are still empty."""
    form = form_with(page, submit)
    if form is None or form.method == "GET":
        return None
    empty = tuple(field.node for field in form.fields if field.is_required and field.is_empty)
    return (form, empty) if empty else None


def _failed_action(steps: Sequence[Step]) -> Infeasible | None:
    error = steps[-1].outcome.error if steps else None
    if error is None or error.kind in RETRIED_ERRORS:
        return None
    kind = "missing_argument" if error.kind in ARGUMENT_ERRORS else "missing_control"
    return Infeasible(kind=kind, evidence=error.message)


def _complaint(page: Page, plan: Plan, steps: Sequence[Step], done: int) -> Infeasible | None:
    """Return the conflict when the site has just refused what the plan's form sent."""
    if not steps or done == 0 or not steps[-1].outcome.requests:
        return None
    said = complaints(page, steps[-1].observation.text)
    if not said:
        return None
    return Infeasible(kind="missing_argument", evidence="the site says: " + " | ".join(said[:3]))


def _report(conflict: Infeasible) -> Decision:
    return Decision(
        reasoning=f"The task does not fit what the page shows: {conflict.evidence}",
        instruction="Report that the task, as worded, cannot be done here",
        action=conflict,
    )


def _next_step(plan: Plan, done: int, page: Page, intent: str) -> Decision:
    step = plan.steps[done]
    if step.verb == "goto":
        return Decision(f"The task starts at {step.value}.", step.instruction, _action(step, None))
    node = locate(page, step)
    if node is None:
        return _report(Infeasible(kind="missing_control", evidence=_not_here(page, step)))
    if step.verb == "select" and (lacking := _no_such_option(node, step.value or "")):
        return _report(Infeasible(kind="missing_argument", evidence=lacking))
    missing = missing_fields(page, node) if step.verb == "click" else None
    if missing is not None:
        names = ", ".join(f'"{field.name}"' for field in missing[1])
        evidence = f"the form needs {names}, which the task does not give"
        return _report(Infeasible(kind="missing_argument", evidence=evidence))
    reasoning = (
        f'I am on "{heading_of(page)}". The page shows {describe(node)}, '
        f"which is the next step for: {intent}"
    )
    return Decision(reasoning, step.instruction, _action(step, node))


def _no_such_option(node: Node, option: str) -> str | None:
    """Return what a list offers instead of `option`; None when it may have it."""
    if option in node.options or node.options_total > len(node.options):
        return None
    shown = ", ".join(f'"{one}"' for one in node.options[:MAX_OFFERS])
    return f'{describe(node)} has no option "{option}"; it has {shown}'


def _action(step: PlanStep, node: Node | None) -> Action:
    ref = node.ref or "" if node is not None else ""
    value = step.value or ""
    match step.verb:
        case "goto":
            return Goto(url=value)
        case "type":
            return TypeText(ref=ref, text=value, submit=step.submit)
        case "select":
            return Select(ref=ref, options=(value,))
        case "check":
            return Check(ref=ref, on=value != "off")
        case _:
            return Click(ref=ref)


def _not_here(page: Page, step: PlanStep) -> str:
    role, name = (step.target.role, step.target.name) if step.target else ("control", "")
    offers = [node.name for node in page.elements if node.role == role and node.name]
    shown = ", ".join(f'"{offer}"' for offer in dict.fromkeys(offers[-MAX_OFFERS:]))
    return f'"{heading_of(page)}" has no {role} "{name}"; it has {shown or "none of that kind"}'


def _end(fact: Fact | None, page: Page) -> Decision:
    if fact is None:
        return Decision(
            reasoning=f'All that was asked for is done; the page now is "{heading_of(page)}".',
            instruction="End the task",
            action=Answer(),
        )
    value = read_fact(page, fact)
    if value is None:
        labels = dict.fromkeys(one.label for one, _ in list_facts(page) if one.label)
        shown = ", ".join(f'"{label}"' for label in list(labels)[:MAX_OFFERS])
        subject = f'"{fact.label}"' + (f' of "{fact.row}"' if fact.row else "")
        evidence = f'"{heading_of(page)}" shows no {subject}; it shows {shown or "no such facts"}'
        return _report(Infeasible(kind="missing_control", evidence=evidence))
    return Decision(
        reasoning=f'The page "{heading_of(page)}" gives "{value}" for "{fact.label}".',
        instruction=f'Answer "{value}"',
        action=Answer(text=value),
    )
