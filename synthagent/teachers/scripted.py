"""A teacher that says what it was told to: for tests, and for trying out the stages by hand.

Looks at the page only to find the controls that its lines name.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from synthagent.errors import DataError
from synthagent.records import (
    Action,
    Answer,
    Click,
    Conflict,
    Node,
    Page,
    Step,
    Task,
    TaskVersion,
    Trajectory,
    Transition,
    TypeText,
)
from synthagent.teachers.protocol import Candidate, Decision, Opinion, Seen, Sight, TaskDraft

Line = Callable[[Page], Action]
"""Chooses an action on a page."""


def click(name: str) -> Line:
    """Return the line that clicks the control of this name."""
    return lambda page: Click(ref=_ref(page, name))


def write(name: str, text: str) -> Line:
    """Return the line that writes `text` into the field of this name."""
    return lambda page: TypeText(ref=_ref(page, name), text=text)


def say(action: Action) -> Line:
    """Return the line that does `action` whatever the page shows."""
    return lambda page: action


@dataclass(slots=True)
class ScriptedTeacher:
    """Follows its lines in order, whatever the task; out of lines it answers with nothing."""

    lines: Iterable[Line] = ()
    rewrites: Iterable[TaskVersion] = ()
    drafts: Callable[[Transition], Iterable[TaskDraft]] = lambda transition: ()
    opinion: Opinion = Opinion("keep", 100, "as told")  # noqa: RUF009 -- frozen
    name: str = "scripted"
    wants_pictures: bool = False
    asked: list[str] = field(default_factory=list)
    """Which methods were called, in order."""
    _lines: deque[Line] = field(init=False)
    _rewrites: deque[TaskVersion] = field(init=False)

    def __post_init__(self) -> None:
        self._lines, self._rewrites = deque(self.lines), deque(self.rewrites)

    async def categorize(self, item: str, sight: Sight) -> tuple[Candidate, ...]:
        """Return a click on every link and button, the role being the category."""
        self.asked.append("categorize")
        return tuple(
            Candidate(node.role, node, Click(ref=node.ref or ""))
            for node in sight.page.elements
            if node.role in ("link", "button")
        )

    async def propose(
        self, item: str, transition: Transition, seen: Seen, limit: int
    ) -> tuple[TaskDraft, ...]:
        """Return the drafts told for the transition."""
        self.asked.append("propose")
        return tuple(self.drafts(transition))[:limit]

    async def decide(
        self, item: str, task: Task, sight: Sight, history: Sequence[Step]
    ) -> Decision:
        """Return the next line."""
        self.asked.append("decide")
        action = self._lines.popleft()(sight.page) if self._lines else Answer()
        return Decision("It is the next line.", f"Do: {action.type}", action)

    async def rewrite(
        self, item: str, task: Task, sight: Sight, history: Sequence[Step], conflict: Conflict
    ) -> TaskVersion | None:
        """Return the next wording."""
        self.asked.append("rewrite")
        return self._rewrites.popleft() if self._rewrites else None

    async def review(self, item: str, trajectory: Trajectory, pages: dict[str, Page]) -> Opinion:
        """Return the opinion told."""
        self.asked.append("review")
        return self.opinion


def _ref(page: Page, name: str) -> str:
    found: list[Node] = [node for node in page.elements if node.name == name]
    if not found or found[0].ref is None:
        shown = ", ".join(node.name for node in page.elements)
        raise DataError(f"{page.url} has no control {name!r}; it has {shown}")
    return found[0].ref
