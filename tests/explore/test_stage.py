"""Exploration of real pages: what is clicked and what is not, and going on after a kill."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from synthagent.explore import explore
from synthagent.explore.places import Survey, opening_place
from synthagent.explore.visits import survey
from synthagent.records import Transition
from synthagent.teachers.scripted import ScriptedTeacher
from synthagent.tracker import SilentTracker
from tests.fixtures.corner_shop import ORIGIN, corner_run, corner_shop

pytestmark = pytest.mark.browser
SETTINGS = {"explore": {"max_transitions": 12}}


@pytest.fixture(scope="module")
def corner() -> Iterator[str]:
    with corner_shop() as url:
        yield url


class Notes(SilentTracker):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, message: str) -> None:
        self.notes.append(message)


async def explored(
    folder: Path, url: str, teacher: ScriptedTeacher | None = None
) -> list[Transition]:
    async with corner_run(folder, url, teacher or ScriptedTeacher(), **SETTINGS) as run:
        await explore(run)
        assert run.directory.is_complete("explore")
        return list(run.directory.transitions)


async def test_the_site_is_explored_within_its_limits(tmp_path, corner):
    made = await explored(tmp_path, corner)
    names = [one.target.name for one in made if one.target]
    assert {"Products", "Contact"} <= set(names)
    assert {"Sign out", "Partner"}.isdisjoint(names)
    assert {one.outcome.status for one in made} == {"ok"}
    urls = {one.after.url for one in made}
    assert {f"{ORIGIN}/products.html", f"{ORIGIN}/contact.html"} <= urls
    assert all(one.after.url.startswith(ORIGIN) for one in made)
    posted = [one for one in made if one.outcome.requests]
    assert posted
    assert all(one.path[0].action.type == "goto" for one in made)
    assert all(one.parents == () for one in made if one.before.url == ORIGIN + "/")


async def test_a_killed_exploration_goes_on_where_it_was(tmp_path, corner):
    whole = await explored(tmp_path, corner)
    log, stages = (tmp_path / "run" / name for name in ("transitions.jsonl", "stages.jsonl"))
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[:4]) + lines[4][:100])
    stages.unlink()
    again = await explored(tmp_path, corner)
    assert [one.id for one in again] == [one.id for one in whole]
    assert [one.after.content_hash for one in again] == [one.after.content_hash for one in whole]
    assert log.read_text().splitlines(keepends=True)[:4] == lines[:4]


async def test_a_finished_exploration_asks_nothing(tmp_path, corner):
    await explored(tmp_path, corner)
    teacher = ScriptedTeacher()
    await explored(tmp_path, corner, teacher)
    assert teacher.asked == []


async def test_a_painted_page_ends_by_itself(tmp_path):
    pages = tmp_path / "pages"
    pages.mkdir()
    painted = Path(__file__).parents[1] / "fixtures" / "corner" / "painted.html"
    (pages / "index.html").write_text(painted.read_text())
    teacher, tracker = ScriptedTeacher(), Notes()
    with corner_shop(pages) as url:
        async with corner_run(tmp_path, url, teacher, tracker=tracker, **SETTINGS) as run:
            await explore(run)
            assert len(run.directory.transitions) == 0
    assert teacher.asked == []
    assert any("no addressable elements" in note for note in tracker.notes)


async def test_a_survey_asks_about_the_stored_page(tmp_path, corner):
    (one, *_) = await explored(tmp_path, corner)
    async with corner_run(tmp_path, corner, ScriptedTeacher(), **SETTINGS) as run:
        page, candidates = await survey(run, Survey(opening_place("anonymous", ORIGIN, one.after)))
    assert page.url == one.after.url
    assert {candidate.element.ref for candidate in candidates} <= set(page.by_ref)
