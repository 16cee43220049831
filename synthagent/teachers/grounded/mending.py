"""Rewrites a task that conflicts with the page, under the rules of live task refinement.

Make missing details concrete, align with what the page offers, scale the goal down, keep the type
(SynthAgent, arXiv 2511.06101). Not responsible for noticing conflicts; see `acting.py`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal
from urllib.parse import urlsplit

from synthagent.records import (
    AllOf,
    Conflict,
    Node,
    Page,
    PageShows,
    Plan,
    PlanStep,
    Step,
    Task,
    TaskCheck,
    TaskVersion,
    UrlMatches,
)
from synthagent.teachers.grounded import phrases
from synthagent.teachers.grounded.acting import locate, missing_fields
from synthagent.teachers.grounded.asking import expect, questions_on
from synthagent.teachers.grounded.categories import fields_to_fill, is_in_chrome, path_template
from synthagent.teachers.grounded.changing import change_check, fill_step
from synthagent.teachers.grounded.forms import Field, Form, forms_of
from synthagent.teachers.grounded.messages import heading_of
from synthagent.teachers.grounded.proposing import select_step
from synthagent.teachers.grounded.rechecking import check_with, check_without, swap_texts
from synthagent.teachers.grounded.routes import click_step
from synthagent.teachers.grounded.values import (
    fitting_value,
    is_amount,
    other_options,
    value_for,
)

AVOIDED = re.compile(
    r"\b(delete|remove|cancel|log ?out|sign ?out|close account|unsubscribe|search)\b", re.IGNORECASE
)
FILLING = frozenset({"type", "select", "check"})
Rule = Literal["concrete", "align", "scale_down"]


@dataclass(frozen=True, slots=True)
class Trouble:
    """A conflict with all that is at hand to mend it."""

    task: Task
    page: Page
    history: Sequence[Step]
    conflict: Conflict
    random: Random

    @property
    def plan(self) -> Plan:
        """Return the plan in force."""
        return self.task.current.plan or Plan(steps=())

    def version(self, intent: str, check: TaskCheck, plan: Plan, rule: Rule) -> TaskVersion:
        """Return the next wording of the task."""
        conflict = self.conflict
        return TaskVersion(intent=intent, check=check, plan=plan, conflict=conflict, rule=rule)


def mend(trouble: Trouble) -> TaskVersion | None:
    """Return a wording that fits the page, or None when the page offers nothing of the kind."""
    if trouble.conflict.kind == "missing_argument":
        return _choose_offered(trouble) or _fill_in(trouble) or _correct(trouble)
    match trouble.task.type:
        case "information":
            return _ask_otherwise(trouble)
        case "modification":
            return _do_without(trouble) or _change_otherwise(trouble)
        case _:
            return _open_otherwise(trouble)


def _choose_offered(trouble: Trouble) -> TaskVersion | None:
    """Name an option that the list has in place of one that it has not."""
    steps = trouble.plan.steps[_done(trouble) :]
    step = steps[0] if steps and steps[0].verb == "select" else None
    node = locate(trouble.page, step) if step is not None else None
    old = step.value or "" if step is not None else ""
    if node is None or old in node.options or f'"{old}"' not in trouble.task.intent:
        return None
    real = other_options(Field(node=node, kind="select", name=""))
    alike = [one for one in real if set(one.lower().split()) & set(old.lower().split())]
    if not real:
        return None
    new = trouble.random.choice(alike or real)
    intent = trouble.task.intent.replace(f'"{old}"', f'"{new}"')
    check = swap_texts(trouble.task.current.check, old, new)
    plan = Plan(steps=(select_step(node, new), *steps[1:]), fact=trouble.plan.fact)
    rule: Rule = "concrete" if alike else "align"
    return trouble.version(intent, check, plan, rule) if check is not None else None


def _fill_in(trouble: Trouble) -> TaskVersion | None:
    """Make the task concrete: name a value for every required field that it left open."""
    submit = _pending_submit(trouble)
    found = missing_fields(trouble.page, submit) if submit is not None else None
    if submit is None or found is None:
        return None
    form, nodes = found
    empty = [field for field in form.fields if field.node in nodes]
    values = _values(empty, trouble)
    if len(values) < len(empty):
        return None
    intent = _with_values(trouble.task.intent, values)
    plan = Plan(steps=(*_fills(values), click_step(submit)), fact=trouble.plan.fact)
    check = check_with(trouble.task.current.check, values, {})
    return trouble.version(intent, check, plan, "concrete") if check is not None else None


def _pending_submit(trouble: Trouble) -> Node | None:
    """Return the button that the plan ends with, as the page shows it now."""
    clicks = [step for step in trouble.plan.steps if step.verb == "click"]
    return locate(trouble.page, clicks[-1]) if clicks else None


def _correct(trouble: Trouble) -> TaskVersion | None:
    """Put a value that the site takes in place of one that it refused; a smaller one if it can."""
    submit = _pending_submit(trouble)
    form = next(
        (one for one in forms_of(trouble.page) if submit is not None and submit in one.submits),
        None,
    )
    field = _blamed(trouble, form) if form is not None else None
    if submit is None or field is None:
        return None
    old = _typed(trouble, field) or field.node.value or ""
    smaller = _smaller(old, trouble.conflict.evidence) if is_amount(field) else None
    new = smaller or _another(field, old, trouble)
    if new is None:
        return None
    said = trouble.task.intent
    is_said = bool(old) and f'"{old}"' in said
    intent = said.replace(f'"{old}"', f'"{new}"') if is_said else _with_values(said, [(field, new)])
    check = check_with(trouble.task.current.check, [(field, new)], {old: new})
    plan = Plan(steps=(fill_step(field, new), click_step(submit)), fact=trouble.plan.fact)
    rule: Rule = "scale_down" if smaller else ("align" if is_said else "concrete")
    return trouble.version(intent, check, plan, rule) if check is not None else None


def _blamed(trouble: Trouble, form: Form) -> Field | None:
    """Return the field that the site finds fault with: by state, by name, or the only one typed."""
    said = trouble.conflict.evidence.lower()
    typed = [field for field in form.fields if _typed(trouble, field) is not None]
    by_state = [field for field in form.fields if "invalid" in field.node.states]
    by_name = [field for field in typed if field.label and field.label.lower() in said]
    by_number = [field for field in typed if is_amount(field)]
    for fields in (by_state, by_name, by_number, typed):
        if len(fields) == 1:
            return fields[0]
    return by_state[0] if by_state else None


def _typed(trouble: Trouble, field: Field) -> str | None:
    """Return what the plan in force wrote into `field`."""
    for step in reversed(trouble.plan.steps):
        if step.verb in FILLING and step.target and step.target.name == field.node.name:
            return step.value
    return None


def _smaller(old: str, said: str) -> str | None:
    if not old.isdigit():
        return None
    numbers = [int(text) for text in re.findall(r"\d+", said) if 0 < int(text) < int(old)]
    return str(max(numbers)) if numbers else ("1" if int(old) > 1 else None)


def _another(field: Field, old: str, trouble: Trouble) -> str | None:
    for _ in range(8):
        said = trouble.conflict.evidence
        value = fitting_value(field, trouble.page, trouble.random, said)
        if value is not None and value != old:
            return value
    return None


def _ask_otherwise(trouble: Trouble) -> TaskVersion | None:
    """Ask for something that the page at hand does show."""
    plan_fact = trouble.plan.fact
    there = [
        (fact, value)
        for fact, value in questions_on(trouble.page)
        if plan_fact is None or (fact.label, fact.row) != (plan_fact.label, plan_fact.row)
    ]
    if not there:
        return None
    alike = [pair for pair in there if plan_fact is not None and pair[0].kind == plan_fact.kind]
    fact, value = trouble.random.choice(alike or there)
    intent = phrases.word_question(trouble.random, fact, heading_of(trouble.page))
    rule: Rule = "align" if len(trouble.plan.steps) <= _done(trouble) else "scale_down"
    return trouble.version(intent, expect(value), Plan(steps=(), fact=fact), rule)


def _done(trouble: Trouble) -> int:
    version = len(trouble.task.versions) - 1
    return sum(s.version == version and s.outcome.status == "ok" for s in trouble.history)


def _do_without(trouble: Trouble) -> TaskVersion | None:
    """Leave out the fields that this page does not have, when the rest can be done."""
    steps = trouble.plan.steps[_done(trouble) :]
    here = tuple(step for step in steps if locate(trouble.page, step) is not None)
    gone = [step for step in steps if step not in here]
    if not here or here[-1] != steps[-1] or here[-1].verb != "click":
        return None
    if any(step.verb not in FILLING for step in gone):
        return None
    submit, place = locate(trouble.page, here[-1]), heading_of(trouble.page)
    named = [(s.target.name if s.target else "", s.value or "") for s in here if s.verb in FILLING]
    parts = {"place": place, "submit": submit.name if submit else ""}
    intent = phrases.word(
        trouble.random,
        phrases.FILL if named else phrases.SUBMIT,
        **parts,
        **({"values": phrases.word_values(named)} if named else {}),
    )
    lost = {dict(step.target.attributes).get("name") for step in gone if step.target is not None}
    check = check_without(trouble.task.current.check, lost)
    plan = Plan(steps=here, fact=trouble.plan.fact)
    return trouble.version(intent, check, plan, "scale_down") if check is not None else None


def _change_otherwise(trouble: Trouble) -> TaskVersion | None:
    """Change what the page lets one change, with another of its forms."""
    wanted = {step.target.name for step in trouble.plan.steps if step.target is not None}
    for form in _offered_forms(trouble.page):
        fields = fields_to_fill(form)
        values = _values(fields, trouble)
        if form.submits[-1].name in wanted or len(values) < len(fields):
            continue
        submit, place = form.submits[-1], heading_of(trouble.page)
        parts = {"place": place, "submit": submit.name}
        if values:
            said = phrases.word_values([(field.label, value) for field, value in values])
            intent = phrases.word(trouble.random, phrases.FILL, values=said, **parts)
        else:
            intent = phrases.word(trouble.random, phrases.SUBMIT, **parts)
        check = change_check(form.path, values, True, ())
        steps = (*_fills(values), click_step(submit))
        return trouble.version(intent, check, Plan(steps=steps), "align")
    return None


def _offered_forms(page: Page) -> list[Form]:
    return [
        form
        for form in forms_of(page)
        if form.method == "POST"
        and form.path
        and not form.has_secret
        and form.submits
        and form.submits[-1].name
        and not AVOIDED.search(f"{form.submits[-1].name} {form.path.replace('/', ' ')}")
        and not is_in_chrome(form.submits[-1])
    ]


def _open_otherwise(trouble: Trouble) -> TaskVersion | None:
    """Open a link of the same kind that is there, else be content with the page at hand."""
    step = trouble.plan.steps[min(_done(trouble), len(trouble.plan.steps) - 1)]
    wanted = dict(step.target.attributes).get("href", "") if step.target is not None else ""
    alike = [
        node
        for node in trouble.page.elements
        if node.role == "link"
        and node.href
        and node.name
        and not node.covered_by
        and wanted
        and path_template(node.href) == path_template(wanted)
        and urlsplit(node.href).path != urlsplit(trouble.page.url).path
    ]
    if alike:
        node = trouble.random.choice(alike)
        intent = phrases.word(trouble.random, phrases.OPEN, name=node.name)
        check = UrlMatches(path=urlsplit(node.href or "").path)
        return trouble.version(intent, check, Plan(steps=(click_step(node),)), "align")
    if not trouble.history or trouble.page.url == trouble.task.start_url:
        return None
    intent = phrases.word(trouble.random, phrases.OPEN, name=heading_of(trouble.page))
    here = UrlMatches(path=urlsplit(trouble.page.url).path)
    check_here = AllOf(checks=(here, PageShows(texts=(heading_of(trouble.page),))))
    return trouble.version(intent, check_here, Plan(steps=()), "scale_down")


def _values(fields: Sequence[Field], trouble: Trouble) -> list[tuple[Field, str]]:
    return [
        (field, value)
        for field in fields
        if (value := value_for(field, trouble.page, trouble.random)) is not None
    ]


def _fills(values: Sequence[tuple[Field, str]]) -> tuple[PlanStep, ...]:
    return tuple(fill_step(field, value) for field, value in values)


def _with_values(intent: str, values: Sequence[tuple[Field, str]]) -> str:
    said = phrases.word_values([(field.label, value) for field, value in values])
    return f"{intent.rstrip('. ')}. Use {said}."
