"""The LLM teacher: builds prompts, asks, and turns replies into what the stages expect.

Not responsible for sending, repairing or counting (`llm/`) nor for what prompts say (`prompts/`).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from pydantic import BaseModel

from synthagent.config import ModelConfig
from synthagent.llm import ContextOverflow, Image, Message, ModelClient, Reply, Unfit, ask
from synthagent.llm.schema import describe_union
from synthagent.prompting import (
    Prompt,
    Rendered,
    cut_lines,
    cut_text,
    estimate_tokens,
    last_steps,
    prompt_hash,
)
from synthagent.records import (
    ACTION,
    Conflict,
    Goto,
    Page,
    Step,
    Task,
    TaskCheck,
    TaskVersion,
    Trajectory,
    Transition,
)
from synthagent.records.origins import Origins
from synthagent.teachers.llm.fitting import (
    fit_action,
    fit_answer,
    fit_edits,
    origin,
    stands_alone,
)
from synthagent.teachers.llm.replies import (
    CategorizeReply,
    ControlReply,
    DecideReply,
    DraftReply,
    ProposeReply,
    ReviewReply,
    RewriteReply,
)
from synthagent.teachers.llm.wording import (
    describe_action,
    describe_outcome,
    describe_requests,
    describe_steps,
    describe_tabs,
)
from synthagent.teachers.protocol import Candidate, Decision, Opinion, Seen, Sight, TaskDraft

T = TypeVar("T", bound=BaseModel)
R = TypeVar("R")

PAGE_TOKENS = 6000
"""Most tokens of page text in a prompt; the text form is cut before, by the browser's settings."""
MARGIN = 64
"""Tokens left free, as counts differ a little."""
TRYING = ("click", "type", "select", "check", "hover", "press", "scroll")
ACTING = (
    *TRYING, "drag", "upload", "goto", "back", "forward", "reload", "new_tab", "switch_tab",
    "close_tab", "wait", "answer", "infeasible",
)  # fmt: skip


class Room(NamedTuple):
    """How much of the page and of the history a prompt shows."""

    page: int
    """Tokens."""
    steps: int


class LLMTeacher:
    """Answers all questions of the stages with one model."""

    def __init__(
        self,
        client: ModelClient,
        config: ModelConfig,
        *,
        origins: Origins | None = None,
        history: int = 3,
    ) -> None:
        """Make a teacher that asks through `client`.

        Args:
            client: An open client.
            config: Of the model; `vision` decides whether screenshots go along.
            origins: Addresses that belong to the site; without it, those of page and task.
            history: Steps before the present one that the model sees.
        """
        self.name = client.model
        self.wants_pictures = config.vision
        self.prompt_hash = prompt_hash()
        self._client = client
        self._origins = origins
        self._history = history

    async def categorize(self, item: str, sight: Sight) -> tuple[Candidate, ...]:
        """Return the controls of a page worth trying, each in a functional category."""

        def build(room: Room) -> Rendered:
            return Prompt("categorize").render(
                verbs=describe_union(ACTION, TRYING),
                url=sight.page.url,
                title=sight.page.title,
                page=cut_lines(sight.text, room.page),
            )

        def accept(reply: CategorizeReply) -> tuple[Candidate, ...]:
            return self._candidates(reply.controls, sight.page)

        reply = await self._ask("explore", item, build, CategorizeReply, accept, sight)
        return reply.value

    async def propose(
        self, item: str, transition: Transition, seen: Seen, limit: int
    ) -> tuple[TaskDraft, ...]:
        """Return at most `limit` tasks of which `transition` would be a step."""
        before, after = transition.before, transition.after

        def build(room: Room) -> Rendered:
            done = describe_outcome(transition.outcome)
            path = [describe_action(step.action, step.target) for step in transition.path[1:]]
            return Prompt("propose").render(
                path="; then ".join(path) or "none",
                limit=limit,
                url=before.url,
                title=before.title,
                before=cut_lines(before.text, room.page // 2),
                action=f"{describe_action(transition.action, transition.target)} -> {done}",
                new_url=after.url,
                new_title=after.title,
                after=cut_lines(after.text, room.page // 2),
                requests=describe_requests(transition.outcome.requests),
            )

        def accept(reply: ProposeReply) -> tuple[TaskDraft, ...]:
            return _drafts(reply.tasks, transition)[:limit]

        return (await self._ask("propose", item, build, ProposeReply, accept)).value

    async def decide(
        self, item: str, task: Task, sight: Sight, history: Sequence[Step]
    ) -> Decision:
        """Return the next action for `task`; `Infeasible` reports a conflict with evidence."""
        page = sight.page
        lines = describe_steps(history)
        version = len(task.versions) - 1
        since = sum(step.version < version for step in history)

        def build(room: Room) -> Rendered:
            return Prompt("decide").render(
                reworded=since if version else None,
                verbs=describe_union(ACTION, ACTING),
                intent=task.intent,
                kind=task.type,
                number=len(history),
                steps=last_steps(lines, room.steps),
                url=page.url,
                title=page.title,
                tabs=describe_tabs(page),
                page=cut_lines(sight.text, room.page),
            )

        def accept(reply: DecideReply) -> DecideReply:
            action = fit_action(reply.action, page, self._owned(page, task))
            return reply.model_copy(update={"action": fit_answer(action, task.type)})

        reply = await self._ask("collect", item, build, DecideReply, accept, sight)
        value = reply.value
        reasoning = " ".join(part.strip() for part in (value.observation, value.reasoning))
        return Decision(reasoning.strip(), value.instruction, value.action, reply.calls)

    async def rewrite(
        self, item: str, task: Task, sight: Sight, history: Sequence[Step], conflict: Conflict
    ) -> TaskVersion | None:
        """Return a wording that fits what the page really offers, or None when there is none."""
        check = task.current.check

        def build(room: Room) -> Rendered:
            return Prompt("rewrite").render(
                intent=task.intent,
                kind=task.type,
                check=check.to_json() if check else "none",
                conflict=conflict.kind,
                evidence=cut_text(conflict.evidence, 300),
                steps=last_steps(describe_steps(history), room.steps),
                url=sight.page.url,
                title=sight.page.title,
                page=cut_lines(sight.text, room.page),
            )

        def accept(reply: RewriteReply) -> TaskVersion | None:
            return _version(reply, task, conflict)

        return (await self._ask("collect", item, build, RewriteReply, accept, sight)).value

    async def review(self, item: str, trajectory: Trajectory, pages: dict[str, Page]) -> Opinion:
        """Return keep, edit or drop, with the whole trajectory in view."""
        final = trajectory.final
        lines = describe_steps(trajectory.steps, reasons=True)

        def build(room: Room) -> Rendered:
            return Prompt("review").render(
                intent=trajectory.task.intent,
                kind=trajectory.task.type,
                verdict=f"{trajectory.verdict.passed} ({trajectory.verdict.reason})",
                end=trajectory.end,
                answer=trajectory.answer or "none",
                steps=last_steps(lines, max(room.steps, 1) * 20),
                url=final.url if final else "none",
                title=final.title if final else "none",
                page=cut_lines(final.text, room.page) if final else "",
            )

        def accept(reply: ReviewReply) -> ReviewReply:
            fit_edits(reply.decision, tuple(reply.edits), trajectory)
            return reply

        reply = await self._ask("refine", item, build, ReviewReply, accept)
        value = reply.value
        return Opinion(value.decision, value.score, value.reason, tuple(value.edits), reply.calls)

    def _owned(self, page: Page, task: Task | None = None) -> frozenset[str]:
        if self._origins is not None:
            return frozenset(part for pair in self._origins.pairs for part in pair)
        return frozenset(origin(url) for url in (page.url, task.start_url if task else page.url))

    def _candidates(self, controls: Sequence[ControlReply], page: Page) -> tuple[Candidate, ...]:
        """Return the entries that fit the page; all of them wrong is a reply to be repaired."""
        candidates: list[Candidate] = []
        problems: list[str] = []
        for control in controls:
            try:
                candidates.append(_candidate(control, page, self._owned(page)))
            except Unfit as unfit:
                problems += unfit.problems
        if problems and not candidates:
            raise Unfit(*problems[:8])
        return tuple(candidates)

    async def _ask(
        self,
        stage: str,
        item: str,
        build: Callable[[Room], Rendered],
        shape: type[T],
        accept: Callable[[T], R],
        sight: Sight | None = None,
    ) -> Reply[R]:
        """Ask with as much of page and history as the server has room for."""
        pictures = (Image(sight.marked),) if sight and sight.marked and self.wants_pictures else ()
        for last in (False, False, False, True):
            tried = self._client.abilities.context_tokens
            prompt, size = self._fit(build)
            messages = (
                Message("system", prompt.system),
                Message("user", prompt.user, pictures),
            )
            try:
                return await ask(
                    self._client, item=item, stage=stage, messages=messages, reply=shape,
                    accept=accept,
                )  # fmt: skip
            except ContextOverflow as overflow:
                if last:
                    raise
                if self._client.abilities.context_tokens == tried:  # else another has learned it
                    self._learn_room(size, overflow)
        raise AssertionError("the loop returns or raises")

    def _fit(self, build: Callable[[Room], Rendered]) -> tuple[Rendered, int]:
        """Return the prompt that fits and its size: history goes first, then page text."""
        context = self._client.abilities.context_tokens
        prompt = build(Room(PAGE_TOKENS, self._history))
        size = _size(prompt)
        if context is None:
            return prompt, size
        room = context - min(self._client.config.max_tokens, context // 3) - MARGIN
        for steps in range(self._history - 1, -1, -1):
            if size <= room:
                return prompt, size
            prompt = build(Room(PAGE_TOKENS, steps))
            size = _size(prompt)
        bare = _size(build(Room(0, 0)))
        page = max(0, room - bare)
        while size > room and page > 50:
            prompt = build(Room(page, 0))
            size, page = _size(prompt), page * 3 // 4
        return prompt, size

    def _learn_room(self, size: int, overflow: ContextOverflow) -> None:
        """Remember a room in which the next prompt is smaller than this one of `size` tokens."""
        abilities, answer = self._client.abilities, self._client.config.max_tokens
        limit = overflow.limit
        if limit is None or size + answer + MARGIN <= limit:  # our count is lower than the server's
            limit = int(size * 0.7) + answer
        if abilities.context_tokens is not None:
            limit = min(limit, int(abilities.context_tokens * 0.7))
        self._client.learn(replace(abilities, context_tokens=limit))


def _size(prompt: Rendered) -> int:
    return estimate_tokens(prompt.system) + estimate_tokens(prompt.user)


def _candidate(control: ControlReply, page: Page, owned: frozenset[str]) -> Candidate:
    action = fit_action(control.action, page, owned)
    fills = [fit_action(fill, page, owned) for fill in control.fills]
    nodes = [page.by_ref.get(getattr(a, "ref", None) or "") for a in (action, *fills)]
    element, *fields = nodes
    if element is None or None in fields:
        raise Unfit(f"{action.type}: a candidate must act on an element")
    return Candidate(
        category="_".join(control.category.lower().split()),
        element=element,
        action=action,
        fills=tuple((node, fill) for node, fill in zip(fields, fills, strict=True) if node),
    )


def _drafts(tasks: Sequence[DraftReply], transition: Transition) -> tuple[TaskDraft, ...]:
    """Return the drafts that stand alone; all of them leaning on the page is to be repaired."""
    first = transition.path[0].action if transition.path else None
    site = first.url if isinstance(first, Goto) else transition.before.url
    kept = tuple(
        TaskDraft(
            type=draft.type,
            category=transition.category,
            role=transition.role,
            start_url=site if draft.start == "site" else transition.before.url,
            intent=" ".join(draft.intent.split()),
            evidence=(transition.id,),
            check=draft.check,
        )
        for draft in tasks
        if stands_alone(draft.intent)
    )
    if tasks and not kept:
        raise Unfit("every task must stand alone, without `this page` and without refs")
    return kept


def _version(reply: RewriteReply, task: Task, conflict: Conflict) -> TaskVersion | None:
    if reply.rule == "none":
        return None
    intent = " ".join(reply.intent.split())
    if not stands_alone(intent):
        raise Unfit("the new task must stand alone, without `this page` and without refs")
    if intent == task.intent:
        raise Unfit("the intent is the same as before; change it, or use the rule `none`")
    check: TaskCheck | None = reply.check
    return TaskVersion(intent=intent, check=check, conflict=conflict, rule=reply.rule)
