"""Modification tasks: forms sent with tried and untried values, on seen and unseen items."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from synthagent.records import (
    AllOf,
    Node,
    PageShows,
    Plan,
    PlanStep,
    Request,
    RequestSent,
    TaskCheck,
)
from synthagent.teachers.grounded import phrases
from synthagent.teachers.grounded.categories import path_template
from synthagent.teachers.grounded.forms import Field, Form, form_with
from synthagent.teachers.grounded.messages import (
    complaints,
    confirmations,
    fixed_part,
    heading_of,
    is_named_once,
)
from synthagent.teachers.grounded.opening import MAX_NAME
from synthagent.teachers.grounded.proposing import Scene, filled_value, select_step, type_step
from synthagent.teachers.grounded.routes import bare, click_step, row_of
from synthagent.teachers.grounded.values import value_for
from synthagent.teachers.protocol import TaskDraft

AMOUNTS = (2, 3, 4, 30, 60)
VAGUE_SHARE = 0.5
"""Share of forms with several fields for which a task leaves one out, as people do."""
OTHER_ITEMS = 6
MIN_NAME = 3


@dataclass(frozen=True, slots=True)
class Change:
    """What a modification task is made of."""

    place: str
    row: str
    values: tuple[tuple[Field, str], ...]
    submit: Node
    path: str
    redirected: bool | None
    messages: tuple[str, ...]


def modification_drafts(scene: Scene) -> Iterator[TaskDraft]:
    """Yield the tasks that send the form which the transition sent, in several ways."""
    form = form_with(scene.before, scene.target) if scene.is_submit and scene.target else None
    sent = next((one for one in scene.transition.outcome.requests if _is_accepted(one)), None)
    if form is None or sent is None or scene.transition.outcome.status != "ok":
        return
    if not _is_telling(scene):
        return
    refused = bool(complaints(scene.after, scene.transition.before.text))
    change = _change(scene, form, sent, refused=refused)
    if not change.values and (refused or not change.messages):
        return
    start, way = scene.way
    yield replace(_draft(scene, start, way, change), is_beyond=refused)
    numbers = [field for field in form.fields if field.kind == "number"]
    if numbers and not scene.fills:
        amount = str(scene.random.choice(AMOUNTS))
        other = replace(change, values=((numbers[0], amount),))
        yield replace(_draft(scene, start, way, other), is_beyond=True)
    if len(change.values) > 1 and scene.random.random() < VAGUE_SHARE:
        left_out = scene.random.randrange(len(change.values))
        some = tuple(pair for at, pair in enumerate(change.values) if at != left_out)
        yield replace(_draft(scene, start, way, replace(change, values=some)), is_beyond=True)
    yield from _other_items(scene, change)


def _is_telling(scene: Scene) -> bool:
    """Return whether the button says what it does and the page what it did: no bare `Yes`."""
    name = scene.target.name if scene.target is not None else ""
    did = scene.transition.outcome
    return len(name) > MIN_NAME and '"' not in name and did.changed and not did.downloads


def _is_accepted(request: Request) -> bool:
    return request.status is None or request.status < 400


def _change(scene: Scene, form: Form, sent: Request, *, refused: bool) -> Change:
    """Return the change as it was tried, or as it should have gone when the site refused it."""
    filled = {step.target for step in scene.fills}
    values = tuple(
        (field, value)
        for field in form.fields
        if field.node.fingerprint in filled
        and (value := value_for(field, scene.before, scene.random)) is not None
    )
    place = heading_of(scene.before)
    submit = scene.target
    assert submit is not None
    row = row_of(submit)
    tried = (value for step in scene.fills if (value := filled_value(step)) is not None)
    variable = (place, row, *(value for _, value in values), *tried)
    said = confirmations(scene.after, scene.transition.before.text)
    fixed = (fixed_part(message, variable) for message in said[:2])
    return Change(
        place=place,
        row="" if is_named_once(scene.before, submit) or row == place else row[:MAX_NAME],
        values=values,
        submit=submit,
        path=urlsplit(sent.url).path,
        redirected=True if refused or 300 <= (sent.status or 0) < 400 else None,
        messages=() if refused else tuple(message for message in fixed if message),
    )


def _other_items(scene: Scene, change: Change) -> Iterator[TaskDraft]:
    """Yield the same change for items of the list that links here; nobody has opened them yet."""
    nearest = _listing_of(scene)
    if nearest is None or change.row:
        return
    way, siblings = nearest
    for node in siblings[:OTHER_ITEMS]:
        if "..." not in node.name and '"' not in node.name:
            other = replace(change, place=node.name, path=path_template(change.path))
            draft = _draft(scene, scene.start_url, (*way, click_step(node)), other)
            yield replace(draft, is_beyond=True)


def _listing_of(scene: Scene) -> tuple[tuple[PlanStep, ...], list[Node]] | None:
    """Return the way to the nearest list that links here, and its other items."""
    here = bare(scene.transition.before.url)
    template = path_template(here)
    found: list[tuple[tuple[PlanStep, ...], list[Node]]] = []
    for url, links in scene.routes.links.items() if "*" in template else ():
        alike = {
            link.url: link.node
            for link in reversed(links)
            if path_template(link.url) == template and len(link.node.name) > MIN_NAME
        }
        way = scene.routes.way(scene.start_url, url)
        if here in alike and len(alike) > 2 and way is not None:
            found.append((way, [alike[other] for other in sorted(set(alike) - {here})]))
    if not found:
        return None
    way, others = min(found, key=lambda one: len(one[0]))
    scene.random.shuffle(others)
    return way, others


def _draft(scene: Scene, start: str, way: tuple[PlanStep, ...], change: Change) -> TaskDraft:
    steps = tuple(fill_step(field, value) for field, value in change.values)
    return TaskDraft(
        type="modification",
        category=scene.transition.category,
        role=scene.transition.role,
        start_url=start,
        intent=_intent(scene, change),
        evidence=(scene.transition.id,),
        check=change_check(change.path, change.values, change.redirected, change.messages),
        plan=Plan(steps=(*way, *steps, click_step(change.submit))),
    )


def fill_step(field: Field, value: str) -> PlanStep:
    """Return the plan step that gives `field` the value."""
    if field.kind == "select":
        return select_step(field.node, value)
    if field.kind in {"check", "radio"}:
        return PlanStep(
            verb="check",
            target=field.node.fingerprint,
            value=value,
            instruction=f'Tick "{field.label}"',
        )
    return type_step(field.node, value)


def change_check(
    path: str,
    values: Sequence[tuple[Field, str]],
    redirected: bool | None,
    messages: Sequence[str],
) -> TaskCheck:
    """Return the check that the form was sent with the values, accepted, and confirmed."""
    fields = tuple(
        (field.name, value)
        for field, value in values
        if field.name and field.kind in {"text", "number"}
    )
    sent = RequestSent(path=path, fields=fields, redirected=redirected)
    return AllOf(checks=(sent, PageShows(texts=tuple(messages)))) if messages else sent


def _intent(scene: Scene, change: Change) -> str:
    submit = change.submit.name
    if change.values:
        said = [(field.label, value) for field, value in change.values]
        values = phrases.word_values(said)
        parts = {"place": change.place, "values": values, "submit": submit}
        return phrases.word(scene.random, phrases.FILL, **parts)
    if change.row:
        parts = {"place": change.place, "submit": submit, "row": change.row}
        return phrases.word(scene.random, phrases.SUBMIT_ROW, **parts)
    return phrases.word(scene.random, phrases.SUBMIT, place=change.place, submit=submit)
