"""What happened: transitions of exploration, steps and trajectories of tasks, and their cost."""

from typing import Annotated, Literal

from pydantic import Field

from synthagent.records.actions import Action, Outcome, Request
from synthagent.records.frozen import Frozen, Record
from synthagent.records.page import Fingerprint, Observation
from synthagent.records.tasks import Conflict, Task


class PathStep(Frozen):
    """An action that can be done again on a fresh load, its target found by fingerprint."""

    action: Action
    target: Fingerprint | None = None


class Transition(Record):
    """One explored action: what the page was, what was done, what came of it."""

    schema_: Literal["synthagent/transition@1"] = Field("synthagent/transition@1", alias="schema")
    site: str
    role: str
    category: str
    path: tuple[PathStep, ...]
    """How `before` was reached from a fresh start; the first step is a `goto`."""
    before: Observation
    action: Action
    target: Fingerprint | None
    outcome: Outcome
    after: Observation


class Usage(Frozen):
    """What a record cost. `usd` is None when the price of the model is not known."""

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = 0.0
    seconds: float = 0.0
    """Wall time spent on the record, browser included."""


class Step(Frozen):
    """One decision of the agent and its outcome."""

    observation: Observation
    reasoning: str
    instruction: str
    """The action in words, e.g. `Click the button "Add to basket"`."""
    action: Action
    target: Fingerprint | None = None
    outcome: Outcome
    version: int = Field(default=0, ge=0)
    """Index of the task version in force when the step was decided."""
    calls: tuple[str, ...] = ()
    """Keys of the model calls behind it, in `calls.sqlite`."""


EndReason = Literal["completed", "infeasible", "out_of_steps", "infrastructure"]


class Verdict(Frozen):
    """Whether the task was done. `passed` is None when nothing could judge it."""

    passed: bool | None
    judge: Literal["check", "model", "none"]
    reason: str


class Trajectory(Record):
    """One attempt at one task, kept whatever came of it."""

    schema_: Literal["synthagent/trajectory@1"] = Field("synthagent/trajectory@1", alias="schema")
    task: Task
    attempt: int = Field(ge=0)
    steps: tuple[Step, ...]
    final: Observation | None
    """The page after the last step; None when the browser was lost before a first look."""
    end: EndReason
    answer: str | None = None
    verdict: Verdict
    conflicts: tuple[Conflict, ...] = ()
    error: str | None = None
    """Of an `infrastructure` end: the kind and the message."""
    usage: Usage = Usage()

    @property
    def requests(self) -> tuple[Request, ...]:
        """Return all state-changing requests of the trajectory, in order."""
        return tuple(request for step in self.steps for request in step.outcome.requests)


ReplayLabel = Literal["replayed", "drifted", "broken", "not replayed"]


class ReplayReport(Frozen):
    """What came of doing a trajectory again from a reset start.

    `replayed`: every element was found, and the end is the same and passes the check.
    `drifted`: every step could be done, but the end differs. `broken`: a step could not be done.
    `not replayed`: it was not tried, or infrastructure failed; `reason` says why.
    """

    label: ReplayLabel
    reason: str = ""
    steps_done: int = 0
    rebound: int = 0
    """Elements found by less than their whole fingerprint."""
    seconds: float = 0.0


class RemoveStep(Frozen):
    """Take out a step that the task does not need."""

    type: Literal["remove"] = "remove"
    index: int = Field(ge=0)
    reason: str


class MoveStep(Frozen):
    """Put a step at another place."""

    type: Literal["move"] = "move"
    index: int = Field(ge=0)
    to: int = Field(ge=0)
    reason: str


class SetAnswer(Frozen):
    """Give another final answer."""

    type: Literal["answer"] = "answer"
    answer: str
    reason: str


Edit = Annotated[RemoveStep | MoveStep | SetAnswer, Field(discriminator="type")]


class Review(Record):
    """The decision on one finished trajectory, with the whole of it in view."""

    schema_: Literal["synthagent/review@1"] = Field("synthagent/review@1", alias="schema")
    trajectory: str
    """Id of the trajectory."""
    decision: Literal["keep", "edit", "drop"]
    edits: tuple[Edit, ...] = ()
    score: int = Field(ge=0, le=100)
    reason: str
    replay: ReplayReport
    usage: Usage = Usage()


class RefinedTrajectory(Record):
    """A trajectory that passed review and replay: one line of `refined.jsonl`."""

    schema_: Literal["synthagent/refined@1"] = Field("synthagent/refined@1", alias="schema")
    task: Task
    steps: tuple[Step, ...] = Field(min_length=1)
    final: Observation
    answer: str | None = None
    verdict: Verdict
    conflicts: tuple[Conflict, ...] = ()
    score: int = Field(ge=0, le=100)
    decision: Literal["keep", "edit"]
    replay: ReplayReport
    usage: Usage = Usage()
