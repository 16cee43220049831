"""One training row a step: what the agent saw and what it did, as chat messages.

Pure; not responsible for files, see `dataset.py`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import Field

from synthagent.export.target import MARKUP, write_target
from synthagent.llm.schema import describe_union
from synthagent.prompting import Prompt, Rendered, last_steps
from synthagent.records import ACTION, Action, Outcome, RecordId, RefinedTrajectory, Step
from synthagent.records.frozen import Frozen
from synthagent.teachers.llm.wording import describe_action, describe_outcome

PROMPT = Prompt("export_step")
VERBS = tuple(kind.model_fields["type"].default for kind in get_args(get_args(Action)[0]))
NO_ADDRESS = ("", "about:blank")

Skip = Literal["the action failed", "the page was empty"]


class Message(Frozen):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str = Field(min_length=1)


class Origin(Frozen):
    """Where a row comes from; every column has one type in every row and is never null."""

    trajectory: RecordId
    step: int = Field(ge=0)
    """Index in the `steps` of the trajectory."""
    task: RecordId
    task_type: str
    site: str


class MessagesRow(Origin):
    """A row of `messages.jsonl`: OpenAI-style chat."""

    messages: tuple[Message, Message, Message]


class PromptCompletionRow(Origin):
    """A row of `prompt_completion.jsonl`: TRL computes the loss on the completion alone."""

    prompt: tuple[Message, Message]
    completion: tuple[Message]


@dataclass(frozen=True, slots=True)
class StepRow:
    """A row before it takes one of the two forms."""

    origin: Origin
    prompt: Rendered
    target: str

    def as_messages(self) -> MessagesRow:
        """Return the row as one chat."""
        system, user, assistant = self._chat()
        return MessagesRow(messages=(system, user, assistant), **dict(self.origin))

    def as_prompt_completion(self) -> PromptCompletionRow:
        """Return the row with the answer apart."""
        system, user, assistant = self._chat()
        return PromptCompletionRow(
            prompt=(system, user), completion=(assistant,), **dict(self.origin)
        )

    def _chat(self) -> tuple[Message, Message, Message]:
        return (
            Message(role="system", content=self.prompt.system),
            Message(role="user", content=self.prompt.user),
            Message(role="assistant", content=self.target),
        )


def step_rows(refined: RefinedTrajectory, *, history: int) -> Iterator[StepRow | Skip]:
    """Return a row for each step of `refined`, or why there is none.

    Every row words the task as it was in force at the end: earlier steps fit that wording too, or
    refinement would have taken them out.
    """
    for index, step in enumerate(refined.steps):
        if step.outcome.status != "ok":
            yield "the action failed"
        elif not step.observation.text.strip():
            yield "the page was empty"
        else:
            yield _row(refined, index, history)


def _row(refined: RefinedTrajectory, index: int, history: int) -> StepRow:
    step, before = refined.steps[index], refined.steps[:index]
    prompt = PROMPT.render(
        actions=describe_union(ACTION, VERBS),
        intent=refined.task.intent,
        url=_address(refined, index),
        history=last_steps(_history(before), history),
        page=step.observation.text,
    )
    origin = Origin(
        trajectory=refined.id,
        step=index,
        task=refined.task.id,
        task_type=refined.task.type,
        site=refined.task.site,
    )
    return StepRow(
        origin, Rendered(prompt.system, MARKUP.sub("‹", prompt.user)), write_target(step)
    )


def _address(refined: RefinedTrajectory, index: int) -> str:
    """Return where the step was taken, or nothing when that is not known."""
    step = refined.steps[index]
    before = refined.steps[index - 1].outcome.url if index else refined.task.start_url
    known = (url for url in (step.observation.url, before) if url not in NO_ADDRESS)
    return next(known, "")


def _history(before: Sequence[Step]) -> tuple[str, ...]:
    return tuple(
        f"{number}. {step.instruction or describe_action(step.action, step.target)}"
        f" -> {describe_outcome(_told(step.outcome))}"
        for number, step in enumerate(before, start=1)
    )


def _told(outcome: Outcome) -> Outcome:
    """Return `outcome` without the address of an empty tab, which tells nothing."""
    return outcome.with_(navigated=outcome.navigated and outcome.url not in NO_ADDRESS)
