"""What is said of sites that are down, broken, elsewhere, or do not let us in."""

import pytest

from synthagent.errors import LoginFailed, ResetFailed, SiteUnreachable
from synthagent.sites import SitePool, check_site
from synthagent.sites.health import reach
from synthagent.sites.login import log_in
from synthagent.sites.spec import SiteSpec
from tests.sites.fake_site import Reply, fake_site, redirect

FORM = (
    '<form method="post" action="/enter"><input type="hidden" name="token" value="t1">'
    '<input name="user"><input type="password" name="pass"></form>'
)


def notes(url, **more):
    role = {
        "start": "/mine",
        "private_page": "/mine",
        "credentials": {"username": "ann", "password": "pw"},
        "login": {"url": "/login", "fields": {"user": "{{username}}", "pass": "{{password}}"}},
    }
    values = {
        "name": "notes",
        "title": "Notes",
        "base_urls": {"notes": {"canonical": "http://notes.test", "url": url}},
        "roles": {"writer": role},
    }
    return SiteSpec.model_validate(values | more)


def good(asked):
    """Answer as a site with a working login does."""
    if asked.path == "/login":
        return Reply(body=FORM)
    if asked.path == "/enter":
        if asked.body == "token=t1&user=ann&pass=pw":
            return Reply(302, "", (("Location", "/mine"), ("Set-Cookie", "sid=s1; HttpOnly")))
        return Reply(body=FORM)
    if asked.path == "/mine" and "sid=s1" not in asked.cookie:
        return redirect("/login?next=/mine")
    return Reply()


def failing(asked):
    return Reply(500)


def moved(asked):
    return redirect("http://elsewhere.test:8080/")


def circle(asked):
    return redirect("/")


def locked_out(asked):
    return Reply(body=FORM) if asked.path in ("/login", "/enter") else good(asked)


def no_form(asked):
    return Reply(body="<h1>Come back later</h1>") if asked.path == "/login" else good(asked)


def forbidden(asked):
    return Reply(403) if asked.path == "/mine" else good(asked)


@pytest.mark.parametrize(
    ("answer", "check", "words"),
    [
        (failing, "reachable notes", "answered HTTP 500"),
        (moved, "reachable notes", "redirects to another host, http://elsewhere.test:8080/"),
        (circle, "reachable notes", "redirects in a circle"),
        (locked_out, "login writer", "is not logged in"),
        (no_form, "login writer", "no form with the inputs user, pass"),
        (forbidden, "login writer", "answered HTTP 403"),
    ],
)
async def test_what_is_wrong_is_said_with_the_address(tmp_path, answer, check, words):
    async with fake_site(answer) as url:
        report = await check_site(notes(url), home=tmp_path)
        (row,) = [row for row in report.rows if not row.ok]
        assert not report.ok
        assert row.check == check
        assert words in row.detail
        assert url in row.detail
        error = SiteUnreachable if check.startswith("reachable") else LoginFailed
        with pytest.raises(error, match=words.split(",")[0].split(" http")[0]):
            await SitePool(notes(url), 1, tmp_path).__aenter__()


async def test_nobody_listening_is_said_with_the_fix(tmp_path):
    async with fake_site(good) as url:
        pass
    report = await check_site(notes(url), home=tmp_path)
    assert [(row.check, row.ok) for row in report.rows] == [
        ("variables", True),
        ("reachable notes", False),
    ]
    assert f"{url}/ does not answer" in report.rows[1].detail
    assert "start the site or correct its base URL" in report.rows[1].detail
    with pytest.raises(SiteUnreachable, match="does not answer"):
        await reach(url)


async def test_a_login_wall_without_a_recipe_is_named(tmp_path):
    def wall(asked):
        return Reply(body=FORM) if asked.path == "/login" else redirect("/login")

    async with fake_site(wall) as url:
        report = await check_site(notes(url, roles={}), home=tmp_path)
        assert "leads to the login form" in report.rows[1].detail
        with pytest.raises(LoginFailed, match="add a role"):
            await SitePool(notes(url, roles={}), 1, tmp_path).__aenter__()


async def test_missing_variables_end_the_check(tmp_path):
    report = await check_site(notes("${NOTES_URL}"), home=tmp_path, environ={})
    assert [row.check for row in report.rows] == ["variables"]
    assert "NOTES_URL" in report.rows[0].detail


async def test_a_well_site_passes_and_is_handed_out(tmp_path):
    asked_for = []

    def watched(asked):
        asked_for.append(asked.path)
        return good(asked)

    async with fake_site(watched) as url:
        report = await check_site(notes(url), home=tmp_path)
        assert report.ok
        checks = [row.check for row in report.rows]
        assert checks == ["variables", "reachable notes", "login writer"]
        async with SitePool(notes(url), 4, tmp_path) as pool:
            assert pool.size == 1, "nobody can reset it, so work that writes must not overlap"
            async with pool.lease() as instance:
                (cookie,) = instance.storage_state("writer")["cookies"]
                assert (cookie["name"], cookie["value"], cookie["httpOnly"]) == ("sid", "s1", True)
                assert cookie["domain"] == "127.0.0.1"
                assert instance.storage_state("anonymous") is None
                assert instance.origins.actual("http://notes.test/x") == f"{url}/x"
                with pytest.raises(ResetFailed, match="run by somebody else"):
                    await instance.reset()
        asked_for.clear()
        async with SitePool(notes(url, read_only=True), 3, tmp_path) as pool:
            assert pool.size == 3
        assert "/login" not in asked_for, "the kept login is still good"


async def test_a_kept_login_that_ran_out_is_renewed(tmp_path):
    valid = ["s1"]

    def renewing(asked):
        if asked.path == "/enter":
            return Reply(302, "", (("Location", "/mine"), ("Set-Cookie", f"sid={valid[0]}")))
        if asked.path == "/mine":
            return Reply() if f"sid={valid[0]}" in asked.cookie else redirect("/login")
        return good(asked)

    async with fake_site(renewing) as url:
        for session in ("s1", "s2"):
            valid[0] = session
            async with SitePool(notes(url), 1, tmp_path) as pool:
                (cookie,) = pool.instances[0].storage_state("writer")["cookies"]
                assert cookie["value"] == session
    files = list(tmp_path.glob("sites/notes/logins/*.json"))
    assert [oct(file.stat().st_mode)[-3:] for file in files] == ["600"]


async def test_the_password_is_never_in_the_message(tmp_path):
    async with fake_site(locked_out) as url:
        role = notes(url).roles["writer"]
        secret = role.with_(credentials={"username": "ann", "password": "hunter2-secret"})
        spec = notes(url).with_(roles={"writer": secret})
        with pytest.raises(LoginFailed) as error:
            await log_in(spec, "writer", spec.outside_origins({}))
        assert "hunter2-secret" not in str(error.value)
