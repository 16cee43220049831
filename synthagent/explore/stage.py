"""The stage that explores: runs the frontier's items side by side and writes down transitions.

Not responsible for choosing (`frontier.py`) or doing (`visits.py`) them.
"""

from typing import Final

from synthagent.agent.faults import Breaker
from synthagent.errors import INFRASTRUCTURE_ERRORS
from synthagent.explore.frontier import Frontier
from synthagent.explore.places import Item, Opening, Survey, Trial
from synthagent.explore.visits import Lost, Tried, look_at_start, survey, try_control
from synthagent.journal import STOP_ERRORS, run_stream
from synthagent.records import Node, Observation, Page
from synthagent.run import Run
from synthagent.sites.policy import is_destructive
from synthagent.sites.spec import ANONYMOUS
from synthagent.teachers.protocol import Candidate

STAGE: Final = "explore"
TRIES = 2
"""Of an item that infrastructure spoiled."""

Result = Tried | Lost | tuple[Observation, Page] | tuple[Page, tuple[Candidate, ...]]


async def explore(run: Run) -> None:
    """Explore the site of `run` from the start page of each role; goes on where it was stopped.

    The items are a function of seed, settings and site. A resumed run goes through them again, but
    takes what is in the log from there.
    """
    if run.directory.is_complete(STAGE):
        return
    work = _Exploration(run)
    run.tracker.stage_started(STAGE, run.config.explore.max_transitions)
    await run_stream(
        work.frontier.next_item,
        work.do,
        concurrency=run.config.contexts,
        done=work.done,
        failed=work.failed,
    )
    work.tell()
    run.directory.seal(STAGE, len(run.directory.transitions))
    run.tracker.stage_done(STAGE)


class _Exploration:
    def __init__(self, run: Run) -> None:
        spec = run.site.spec
        roles = run.config.explore.roles or tuple(spec.roles) or (ANONYMOUS,)
        self._run = run
        self._breaker = Breaker()
        self.frontier = Frontier(
            run.config.site,
            run.config.explore,
            [(role, spec.start_url(role)) for role in roles],
            seed=run.config.seed,
            is_allowed=self._is_allowed,
        )
        self._starts_open = len(roles)

    def _is_allowed(self, node: Node) -> bool:
        """Return whether a control leads on within the site and destroys nothing."""
        spec = self._run.site.spec
        href = node.href or ""
        foreign = bool(href) and not any(
            href == base.canonical or href.startswith((base.canonical + "/", base.canonical + "?"))
            for base in spec.base_urls.values()
        )
        return not (foreign and not href.startswith("javascript:")) and not is_destructive(
            node, spec
        )

    async def do(self, item: Item) -> Result:
        for _ in range(TRIES - 1):
            try:
                return await self._do(item)
            except STOP_ERRORS:
                raise
            except INFRASTRUCTURE_ERRORS:
                continue
        return await self._do(item)

    async def _do(self, item: Item) -> Result:
        match item:
            case Opening():
                return await look_at_start(self._run, item)
            case Survey():
                return await survey(self._run, item)
            case Trial():
                return await try_control(self._run, item)
        raise TypeError(f"{item!r} is no item of exploration")

    def done(self, item: Item, result: Result) -> None:
        self._breaker.fine()
        match item, result:
            case Opening(), (Observation() as seen, Page() as page):
                self.frontier.opened(item, seen, page)
            case Survey(), (Page() as page, tuple() as candidates):
                self.frontier.surveyed(item, page, candidates)
            case Trial(), Tried(transition, before, after):
                known = transition.id in self._run.directory.transitions
                self._run.directory.transitions.append(transition)
                self.frontier.tried(item, transition, before, after)
                self._run.tracker.item_done(STAGE, item.label, "resumed" if known else "kept")
            case Trial(), Lost(reason):
                self.frontier.lost(item)
                self._run.tracker.item_done(STAGE, f"{item.label}: {reason}", "skipped")

    def tell(self) -> None:
        """Say what was found and where it ended."""
        frontier = self.frontier
        for reason in frontier.dead_ends:
            self._run.tracker.note(f"explore: {reason}")
        self._run.tracker.note(
            f"explore: {frontier.kinds} kinds of pages; {frontier.unseen:.0%} of further visits"
            " may be to kinds not seen yet"
        )

    def failed(self, item: Item, error: BaseException, trace: str) -> None:
        is_fault = isinstance(error, INFRASTRUCTURE_ERRORS)
        if isinstance(item, Opening):
            self._starts_open -= 1
            if self._starts_open == 0 or not is_fault:
                raise error
        self._run.tracker.note(f"explore: {item.label}: {error if is_fault else trace}")
        self._run.tracker.item_done(STAGE, item.label, "infrastructure" if is_fault else "skipped")
        self.frontier.lost(item)
        self._breaker.fault(error)
