"""Navigation tasks: open a page, turn a page of a list, search, sort and filter."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

from synthagent.records import (
    AllOf,
    Node,
    PageShows,
    Plan,
    PlanStep,
    Select,
    TaskCheck,
    TypeText,
    UrlMatches,
)
from synthagent.teachers.grounded import phrases
from synthagent.teachers.grounded.categories import is_pager, search_words
from synthagent.teachers.grounded.messages import heading_of, is_named_once
from synthagent.teachers.grounded.proposing import (
    Scene,
    plan_step,
    select_step,
    type_step,
)
from synthagent.teachers.grounded.routes import click_step, row_of
from synthagent.teachers.protocol import TaskDraft

MAX_NAME = 80
GENERIC = re.compile(
    r"^(edit|view|show|open|details?|more|read more|manage|permalink|actions?|select|create|add"
    r"|back|here|all|see all|reviews?|write .*|.{1,4})$",
    re.IGNORECASE,
)
"""Names that say nothing without the page that they stand on."""


def navigation_drafts(scene: Scene) -> Iterator[TaskDraft]:
    """Yield the navigation tasks that the transition of `scene` would be a step of."""
    action, target = scene.transition.action, scene.target
    if target is None or scene.transition.outcome.requests:
        return
    if action.type == "click" and target.role == "link":
        yield from _open_drafts(scene, target)
    elif isinstance(action, TypeText) and action.submit:
        yield from _search_drafts(scene, target, action.text)
    elif isinstance(action, Select):
        yield from _choose_drafts(scene, target, action.options[0])
    elif scene.is_submit and scene.fills:
        yield from _filter_drafts(scene, target)


def _open_drafts(scene: Scene, target: Node) -> Iterator[TaskDraft]:
    if scene.transition.after.url == scene.transition.before.url or not _is_name(target.name):
        return
    check = _arrives(scene.after.url, heading_of(scene.after))
    yield _draft(scene, _open_intent(scene, target), (click_step(target),), check)
    for node in scene.siblings()[:3]:
        if _is_name(node.name) and "…" not in node.name and "..." not in node.name:
            check = _arrives(node.href or "", "")
            draft = _draft(scene, _open_intent(scene, node), (click_step(node),), check)
            yield replace(draft, is_beyond=True)


def _is_name(name: str) -> bool:
    return 0 < len(name) <= MAX_NAME and '"' not in name


def _open_intent(scene: Scene, node: Node) -> str:
    place = heading_of(scene.before)
    if is_pager(node):
        ways = phrases.PAGER if node.name.strip().isdigit() else phrases.PAGER_WORD
        return phrases.word(scene.random, ways, name=node.name.strip(), place=place)
    row = row_of(node)
    if not is_named_once(scene.before, node) and row and row != node.name:
        ways = phrases.OPEN_IN
        return phrases.word(scene.random, ways, name=node.name, row=row[:MAX_NAME], place=place)
    if GENERIC.match(node.name.strip()):
        return phrases.word(scene.random, phrases.OPEN_ON, name=node.name, place=place)
    return phrases.word(scene.random, phrases.OPEN, name=node.name)


def _arrives(url: str, heading: str) -> TaskCheck:
    parts = urlsplit(url)
    address = UrlMatches(path=parts.path, query=tuple(sorted(parse_qsl(parts.query))))
    return AllOf(checks=(address, PageShows(texts=(heading,)))) if heading else address


def _search_drafts(scene: Scene, field: Node, word: str) -> Iterator[TaskDraft]:
    query = parse_qsl(urlsplit(scene.after.url).query, keep_blank_values=True)
    names = [name for name, value in query if value == word]
    if not names:
        return
    others = [other for other in search_words(scene.before, scene.random) if other != word]
    for value in (word, *others[:2]):
        check = UrlMatches(path=urlsplit(scene.after.url).path, query=((names[0], value),))
        intent = phrases.word(scene.random, phrases.SEARCH, value=value)
        draft = _draft(scene, intent, (type_step(field, value, submit=True),), check)
        yield replace(draft, is_beyond=value != word)


def _choose_drafts(scene: Scene, field: Node, option: str) -> Iterator[TaskDraft]:
    before = set(parse_qsl(urlsplit(scene.before.url).query))
    added = [pair for pair in parse_qsl(urlsplit(scene.after.url).query) if pair not in before]
    if not added or not field.name:
        return
    check = UrlMatches(path=urlsplit(scene.after.url).path, query=tuple(added))
    place = heading_of(scene.before)
    parts = {"place": place, "label": field.name, "value": option}
    intent = phrases.word(scene.random, phrases.CHOOSE, **parts)
    yield _draft(scene, intent, (select_step(field, option),), check)
    loose = loose_options(field.options)
    if loose:
        # As people say it: `Price`, where the list has `Price high to low` and `Price low to high`.
        value = scene.random.choice(loose)
        wording = phrases.word(scene.random, phrases.CHOOSE, **{**parts, "value": value})
        shown = AllOf(checks=(UrlMatches(path=check.path), PageShows(texts=(value,))))
        yield replace(_draft(scene, wording, (select_step(field, value),), shown), is_beyond=True)


def loose_options(options: tuple[str, ...]) -> list[str]:
    """Return the first words that several options share and none is."""
    firsts = Counter(option.split()[0] for option in options if len(option.split()) > 1)
    return sorted(word for word, count in firsts.items() if count > 1 and word not in options)


def _filter_drafts(scene: Scene, submit: Node) -> Iterator[TaskDraft]:
    """Yield the filter that was tried, when the address shows that it was taken."""
    sent = dict(parse_qsl(urlsplit(scene.after.url).query))
    values, steps, query = [], [], []
    for fill in scene.fills:
        step, name = (
            plan_step(fill),
            dict(fill.target.attributes if fill.target else ()).get("name"),
        )
        if step is None or name is None or sent.get(name) != step.value:
            return
        steps.append(step)
        value = step.value or ""
        query.append((name, value))
        values.append((step.target.name if step.target else name, value))
    check = UrlMatches(path=urlsplit(scene.after.url).path, query=tuple(query))
    intent = phrases.word(
        scene.random,
        phrases.FILTER,
        place=heading_of(scene.before),
        values=phrases.word_values(values),
    )
    yield _draft(scene, intent, (*steps, click_step(submit)), check)


def _draft(scene: Scene, intent: str, steps: tuple[PlanStep, ...], check: TaskCheck) -> TaskDraft:
    start, way = scene.way
    return TaskDraft(
        type="navigation",
        category=scene.transition.category,
        role=scene.transition.role,
        start_url=start,
        intent=intent,
        evidence=(scene.transition.id,),
        check=check,
        plan=Plan(steps=(*way, *steps)),
    )
