"""The grounded teacher: no model, it plans from what exploration saw.

It works on a fresh machine and in CI, and its tasks carry checks. The work is in the modules beside
this one; here is only the protocol.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from random import Random

from synthagent.records import Conflict, Page, Step, Task, TaskVersion, Trajectory, Transition
from synthagent.teachers.grounded.acting import decide
from synthagent.teachers.grounded.asking import information_drafts
from synthagent.teachers.grounded.categories import categorize
from synthagent.teachers.grounded.changing import modification_drafts
from synthagent.teachers.grounded.mending import Trouble, mend
from synthagent.teachers.grounded.opening import navigation_drafts
from synthagent.teachers.grounded.proposing import Scene, record_ways
from synthagent.teachers.grounded.reviewing import review
from synthagent.teachers.grounded.routes import Routes, routes_of
from synthagent.teachers.protocol import Candidate, Decision, Opinion, Seen, Sight, TaskDraft


class GroundedTeacher:
    """Decides everything by rules; equal seeds and equal pages give equal decisions."""

    name = "grounded"
    wants_pictures = False

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._routes: tuple[Seen, dict[str, Routes]] | None = None

    async def categorize(self, item: str, sight: Sight) -> tuple[Candidate, ...]:
        """Return the controls worth trying, sorted by role, landmark, form and address."""
        return categorize(sight.page, self._random(item))

    async def propose(
        self, item: str, transition: Transition, seen: Seen, limit: int
    ) -> tuple[TaskDraft, ...]:
        """Return tasks of which `transition` would be a step, and others like them."""
        if transition.outcome.status != "ok" or transition.before.page not in seen.pages:
            return ()
        scene = Scene(
            transition=transition,
            seen=seen,
            routes=self._routes_of(seen, transition.role),
            random=self._random(item),
            start_url=_start_of(transition.role, seen),
        )
        if scene.way_here() is None:
            return ()
        kinds = (navigation_drafts(scene), information_drafts(scene), modification_drafts(scene))
        return tuple(_alternate(kinds))[:limit]

    async def decide(
        self, item: str, task: Task, sight: Sight, history: Sequence[Step]
    ) -> Decision:
        """Return the next step of the task's plan, or what stands against it."""
        return decide(task, sight.page, history)

    async def rewrite(
        self, item: str, task: Task, sight: Sight, history: Sequence[Step], conflict: Conflict
    ) -> TaskVersion | None:
        """Return a wording and a plan that fit the page."""
        random = self._random(f"{item}:{len(task.versions)}")
        return mend(Trouble(task, sight.page, history, conflict, random))

    async def review(self, item: str, trajectory: Trajectory, pages: dict[str, Page]) -> Opinion:
        """Return keep, edit or drop by rules."""
        return review(trajectory)

    def _random(self, item: str) -> Random:
        return Random(f"{self._seed}:{item}")

    def _routes_of(self, seen: Seen, role: str) -> Routes:
        if self._routes is None or self._routes[0] is not seen:
            self._routes = (seen, {})
        routes = self._routes[1]
        if role not in routes:
            routes[role] = routes_of(seen, role)
            record_ways(routes[role], seen, role)
        return routes[role]


def _start_of(role: str, seen: Seen) -> str:
    """Return where the role's exploration started."""
    return next(
        step.action.url
        for transition in seen.transitions
        if transition.role == role
        for step in transition.path[:1]
        if step.action.type == "goto"
    )


def _alternate(kinds: Sequence[Iterator[TaskDraft]]) -> Iterator[TaskDraft]:
    """Yield drafts of each kind in turn, so that a limit cuts all kinds alike."""
    columns = [list(kind) for kind in kinds]
    longest = max((len(column) for column in columns), default=0)
    yield from chain.from_iterable(
        (column[at] for column in columns if at < len(column)) for at in range(longest)
    )
