"""What a stage asks of a teacher; the LLM teacher and the grounded teacher both answer it.

A teacher decides and words things. It never touches the browser, the journal or the site.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from synthagent.records import (
    Action,
    Conflict,
    Edit,
    Node,
    Page,
    Step,
    Task,
    TaskCheck,
    TaskType,
    TaskVersion,
    Trajectory,
    Transition,
)
from synthagent.records.tasks import Plan


@dataclass(frozen=True, slots=True)
class Candidate:
    """A control that exploration may try, with the action for it (value included for typing)."""

    category: str
    element: Node
    action: Action
    fills: tuple[tuple[Node, Action], ...] = ()
    """Fields to fill in first, for the submit button of a form; exploration adds them to the
    path that leads to the transition."""


@dataclass(frozen=True, slots=True)
class TaskDraft:
    """A task before it has an id."""

    type: TaskType
    category: str
    role: str
    start_url: str
    intent: str
    evidence: tuple[str, ...]
    """Ids of transitions."""
    check: TaskCheck | None = None
    plan: Plan | None = None
    is_beyond: bool = False
    """It reaches beyond what was seen: another item, a value that nobody tried."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The next action, why, and in words."""

    reasoning: str
    instruction: str
    action: Action
    calls: tuple[str, ...] = ()
    """Keys of the model calls behind it."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """A review before it has been replayed."""

    decision: str
    """`keep`, `edit` or `drop`."""
    score: int
    reason: str
    edits: tuple[Edit, ...] = ()
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sight:
    """A page together with what the agent reads of it."""

    page: Page
    text: str
    marked: bytes | None = None
    """Screenshot with marks as WebP, when the teacher asks for pictures."""


@dataclass(frozen=True, slots=True)
class Seen:
    """All that exploration found, for proposing tasks that reach beyond one transition."""

    transitions: tuple[Transition, ...]
    pages: dict[str, Page]
    """By the blob key in `Observation.page`."""


class Teacher(Protocol):
    """Decides for all stages."""

    name: str
    wants_pictures: bool

    async def categorize(self, item: str, sight: Sight) -> tuple[Candidate, ...]:
        """Return the controls of a page worth trying, each in a functional category."""

    async def propose(
        self, item: str, transition: Transition, seen: Seen, limit: int
    ) -> tuple[TaskDraft, ...]:
        """Return at most `limit` tasks of which `transition` would be a step."""

    async def decide(
        self, item: str, task: Task, sight: Sight, history: Sequence[Step]
    ) -> Decision:
        """Return the next action for `task`; `Infeasible` reports a conflict with evidence.

        `history` holds all steps so far; a teacher that shows them to a model cuts them itself.
        """

    async def rewrite(
        self, item: str, task: Task, sight: Sight, history: Sequence[Step], conflict: Conflict
    ) -> TaskVersion | None:
        """Return a wording that fits what the page really offers, or None when there is none."""

    async def review(self, item: str, trajectory: Trajectory, pages: dict[str, Page]) -> Opinion:
        """Return keep, edit or drop, with the whole trajectory in view."""
