"""Information tasks: questions about facts that a page shows, or that pages of its kind show."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

from synthagent.judge.facts import list_facts
from synthagent.records import (
    AnswerEquals,
    AnswerShown,
    Fact,
    Node,
    Page,
    Plan,
    PlanStep,
    TaskCheck,
)
from synthagent.teachers.grounded import phrases
from synthagent.teachers.grounded.categories import path_template
from synthagent.teachers.grounded.messages import heading_of
from synthagent.teachers.grounded.proposing import Scene
from synthagent.teachers.grounded.routes import click_step
from synthagent.teachers.protocol import Seen, TaskDraft

SEEN_QUESTIONS = 3
OTHER_QUESTIONS = 3
RARE_SHARE = 0.6
"""Share of questions about items nobody opened that ask for what not all items have."""


def information_drafts(scene: Scene) -> Iterator[TaskDraft]:
    """Yield questions about the page that the transition led to, and about its siblings."""
    target = scene.target
    is_link = target is not None and target.role == "link"
    if not is_link or scene.transition.outcome.requests or not scene.transition.outcome.navigated:
        return
    assert target is not None
    place = heading_of(scene.after)
    facts = questions_on(scene.after)
    for fact, value in scene.random.sample(facts, min(SEEN_QUESTIONS, len(facts))):
        intent = phrases.word_question(scene.random, fact, place)
        yield _draft(scene, intent, click_step(target), fact, expect(value))
    for node, fact in _other_questions(scene):
        intent = phrases.word_question(scene.random, fact, node.name)
        there = fact.with_(path=urlsplit(node.href or "").path)
        draft = _draft(scene, intent, click_step(node), there, AnswerShown(fact=there))
        yield replace(draft, is_beyond=True)


def questions_on(page: Page) -> list[tuple[Fact, str]]:
    """Return the facts of `page` that make a question: not headings, not the page's own name."""
    name = heading_of(page)
    return [
        (fact, value)
        for fact, value in list_facts(page)
        if fact.kind != "heading" and value != name and '"' not in fact.label + fact.row
    ]


def expect(value: str) -> AnswerEquals:
    """Return the check for an answer whose value is known."""
    digits = value.replace(",", "").replace(".", "")
    if digits.strip("$€£ ").isdigit() and digits[:1] in "$€£":
        return AnswerEquals(expected=value, kind="money")
    return AnswerEquals(expected=value, kind="number" if digits.isdigit() else "text")


def labels_of_kind(seen: Seen, template: str) -> tuple[Fact, ...]:
    """Return the labelled facts that seen pages with this pattern of address show.

    Those that not all of them show come first: whether another page has them is not known.
    """
    counts: Counter[Fact] = Counter()
    pages = {page.url: page for page in seen.pages.values() if path_template(page.url) == template}
    for page in pages.values():
        counts.update({fact for fact, _ in questions_on(page) if fact.kind == "label"})
    return tuple(sorted(counts, key=lambda fact: (counts[fact], fact.label)))


def _other_questions(scene: Scene) -> Iterator[tuple[Node, Fact]]:
    """Yield siblings that nobody opened, each with a label seen on a page of the kind."""
    facts = labels_of_kind(scene.seen, path_template(scene.after.url))
    if not facts or path_template(scene.target_url) != path_template(scene.after.url):
        return
    for node in scene.siblings()[:OTHER_QUESTIONS]:
        if "…" not in node.name and "..." not in node.name and '"' not in node.name:
            rare = facts[: max(1, len(facts) // 2)]
            yield node, scene.random.choice(rare if scene.random.random() < RARE_SHARE else facts)


def _draft(scene: Scene, intent: str, step: PlanStep, fact: Fact, check: TaskCheck) -> TaskDraft:
    start, way = scene.way
    return TaskDraft(
        type="information",
        category=scene.transition.category,
        role=scene.transition.role,
        start_url=start,
        intent=intent,
        evidence=(scene.transition.id,),
        check=check,
        plan=Plan(steps=(*way, step), fact=fact),
    )
