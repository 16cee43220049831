"""The stage that proposes: asks the teacher about each transition and writes down chosen tasks.

Not responsible for what makes a good task; see `gate.py` and `selection.py`.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from synthagent.agent.faults import Breaker
from synthagent.errors import INFRASTRUCTURE_ERRORS
from synthagent.journal import run_items
from synthagent.propose.gate import Offer, start_pages, why_rejected
from synthagent.propose.selection import choose
from synthagent.records import Observation, Page, Task, TaskVersion, Transition, content_id
from synthagent.run import Run
from synthagent.teachers.protocol import Seen, TaskDraft

STAGE: Final = "propose"


async def propose(run: Run) -> None:
    """Propose tasks from what exploration saw; the same for the same transitions, teacher and seed.

    Nothing is written before all proposals are in, since the choice looks at all of them.
    """
    if run.directory.is_complete(STAGE):
        return
    seen = load_seen(run)
    sources = [one for one in seen.transitions if changed_something(one)]
    run.tracker.stage_started(STAGE, len(sources))
    offers = await _ask(run, seen, sources)
    accepted, rejected = _pass_gate(seen, offers)
    selection = choose(
        accepted,
        limit=run.config.propose.max_tasks,
        similarity=run.config.propose.similarity,
        seed=run.config.seed,
    )
    for offer in selection.chosen:
        if len(run.directory.tasks) < run.config.propose.max_tasks:
            run.directory.tasks.append(task_of(run, offer.draft))
    if selection.alike:
        rejected["too alike to a task that was chosen"] += selection.alike
    _tell(run, len(offers), rejected)
    run.directory.seal(STAGE, len(run.directory.tasks))
    run.tracker.stage_done(STAGE)


def load_seen(run: Run) -> Seen:
    """Return all transitions and the pages that they show."""
    transitions = tuple(run.directory.transitions)
    looks: list[Observation] = []
    for transition in transitions:
        looks += (transition.before, transition.after)
    keys = dict.fromkeys(look.page for look in looks)
    pages: dict[str, Page] = {key: run.directory.blobs.get_page(key) for key in keys}
    return Seen(transitions, pages)


def changed_something(transition: Transition) -> bool:
    """Return whether the action had an effect that a task could be after."""
    outcome = transition.outcome
    if outcome.status != "ok" or (outcome.http_status or 0) >= 400:
        return False
    moved = transition.before.content_hash != transition.after.content_hash
    return moved or outcome.navigated or bool(outcome.requests)


def task_of(run: Run, draft: TaskDraft) -> Task:
    """Return a draft as a record, named after what is asked and how it is checked."""
    version = TaskVersion(intent=draft.intent, check=draft.check, plan=draft.plan)
    asked = version.model_dump(mode="json", include={"intent", "check", "plan"})
    return Task(
        id=content_id("task", run.config.site, draft.role, asked, run.config.seed),
        parents=draft.evidence,
        created_by=run.provenance(STAGE),
        site=run.config.site,
        role=draft.role,
        type=draft.type,
        category=draft.category,
        start_url=draft.start_url,
        evidence=draft.evidence,
        versions=(version,),
    )


async def _ask(run: Run, seen: Seen, sources: Sequence[Transition]) -> list[Offer]:
    offers: list[Offer] = []
    breaker = Breaker()

    async def work(transition: Transition) -> tuple[TaskDraft, ...]:
        limit = run.config.propose.per_transition
        return await run.teacher.propose(f"propose-{transition.id}", transition, seen, limit)

    def done(transition: Transition, drafts: tuple[TaskDraft, ...]) -> None:
        breaker.fine()
        offers.extend(Offer(draft, transition) for draft in drafts)
        run.tracker.item_done(STAGE, f"{len(drafts)} drafts from {_label(transition)}")

    def failed(transition: Transition, error: BaseException, trace: str) -> None:
        is_fault = isinstance(error, INFRASTRUCTURE_ERRORS)
        run.tracker.note(f"propose: {_label(transition)}: {error if is_fault else trace}")
        run.tracker.item_done(
            STAGE, _label(transition), "infrastructure" if is_fault else "skipped"
        )
        breaker.fault(error)

    concurrency = run.config.model.concurrency
    await run_items(sources, work, concurrency=concurrency, done=done, failed=failed)
    return offers


def _pass_gate(seen: Seen, offers: Sequence[Offer]) -> tuple[list[Offer], Counter[str]]:
    starts = start_pages(seen.transitions, seen.pages)
    known = {transition.id for transition in seen.transitions}
    accepted: list[Offer] = []
    rejected: Counter[str] = Counter()
    for offer in offers:
        draft = offer.draft
        reason = why_rejected(draft, starts.get((draft.role, draft.start_url)))
        if reason is None and not known.issuperset(draft.evidence):
            reason = "its evidence is not among the transitions"
        if reason is None:
            accepted.append(offer)
        else:
            rejected[reason] += 1
    return accepted, rejected


def _tell(run: Run, offered: int, rejected: Counter[str]) -> None:
    run.tracker.note(
        f"propose: {len(run.directory.tasks)} tasks chosen from {offered} drafts; "
        + (
            "; ".join(f"{count} x {reason}" for reason, count in rejected.most_common(5))
            or "none rejected"
        )
    )


def _label(transition: Transition) -> str:
    name = transition.target.name if transition.target else transition.action.type
    return f"{transition.role}: {name!r} on {transition.before.url}"
