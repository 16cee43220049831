"""Does one item of exploration in a fresh session: go there, try the control, look again.

Not responsible for what is tried next (`frontier.py`) or for retries (`stage.py`).
"""

from dataclasses import dataclass

from synthagent.agent.faults import raise_on_fault
from synthagent.agent.following import bind, follow, open_start
from synthagent.agent.visiting import visit
from synthagent.browser.marks import draw_marks
from synthagent.browser.session import Session
from synthagent.errors import LoginFailed
from synthagent.explore.places import Opening, Survey, Trial
from synthagent.records import Observation, Page, Transition
from synthagent.run import Run
from synthagent.sites.policy import is_signed_out
from synthagent.teachers.protocol import Candidate, Sight


@dataclass(frozen=True, slots=True)
class Tried:
    """A trial that came to something."""

    transition: Transition
    before: Page
    after: Page


@dataclass(frozen=True, slots=True)
class Lost:
    """A trial whose place or control could not be reached again."""

    reason: str


async def look_at_start(run: Run, item: Opening) -> tuple[Observation, Page]:
    """Return the start page of a role."""
    async with visit(run.site, run.browsers, item.role) as session:
        await open_start(session, item.url)
        look = await session.observe()
        if is_signed_out(look.page, run.site.spec, item.role):
            raise LoginFailed(f"{item.role} is not logged in on its start page {item.url}")
        return look.observation(run.directory.blobs), look.page


async def survey(run: Run, item: Survey) -> tuple[Page, tuple[Candidate, ...]]:
    """Return a page and what the teacher finds worth trying on it."""
    seen, blobs = item.place.seen, run.directory.blobs
    page = blobs.get_page(seen.page)
    marked = None
    if run.teacher.wants_pictures and seen.screenshot is not None:
        marked = draw_marks(blobs.get(seen.screenshot), page)
    sight = Sight(page, seen.text, marked)
    return page, await run.teacher.categorize(f"survey-{item.place.kind[:16]}", sight)


async def try_control(run: Run, item: Trial) -> Tried | Lost:
    """Return the transition of a trial; from the log when it was done before."""
    stored = run.directory.transitions.get(item.id)
    if stored is not None:
        load = run.directory.blobs.get_page
        return Tried(stored, load(stored.before.page), load(stored.after.page))
    async with visit(run.site, run.browsers, item.place.role) as session:
        return await _try_control(run, item, session)


async def _try_control(run: Run, item: Trial, session: Session) -> Tried | Lost:
    followed = await follow(session, item.path)
    if followed.problem is not None:
        return Lost(followed.problem)
    blobs, candidate = run.directory.blobs, item.candidate
    before = await session.observe(screenshot=run.teacher.wants_pictures)
    spec, role = run.site.spec, item.place.role
    if is_signed_out(before.page, spec, role):
        raise LoginFailed(f"{role} of {spec.name!r} is not logged in on {before.page.url}")
    bound = bind(candidate.action, candidate.element.fingerprint, before.page)
    if bound.action is None:
        return Lost(bound.problem)
    outcome = raise_on_fault(await session.act(bound.action))
    after = await session.observe()
    if is_signed_out(after.page, spec, role):
        return Lost("it ended the session")
    transition = Transition(
        id=item.id,
        parents=(item.place.via,) if item.place.via else (),
        created_by=run.provenance("explore"),
        site=run.config.site,
        role=item.place.role,
        category=candidate.category,
        path=item.path,
        before=before.observation(blobs),
        action=bound.action,
        target=candidate.element.fingerprint,
        outcome=outcome,
        after=after.observation(blobs),
    )
    return Tried(transition, before.page, after.page)
