"""The life of copies of the shop, by the commands that a person types."""

from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import Call

pytestmark = pytest.mark.site


def test_copies_are_started_listed_reset_and_stopped(
    call: Call, site_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNTHAGENT_HOME", str(site_home))
    started = call("env", "start", "shop", "--count", "2", "--json").json["copies"]
    try:
        assert len({copy["url"] for copy in started}) == 2
        for copy in started:
            assert httpx.get(copy["url"] + "/catalogue/", trust_env=False).status_code == 200
        shown = call("env", "list").out
        assert all(f"{copy['id']} at {copy['url']}" in shown for copy in started)
        listed = call("env", "list", "--json").json["sites"]
        shop = next(site for site in listed if site["name"] == "shop")
        assert (shop["is_built_in"], shop["copies"]) == (True, started)
        resets = call("env", "reset", started[0]["id"], "--json").json["resets"]
        assert [reset["id"] for reset in resets] == [started[0]["id"]]
        assert resets[0]["seconds"] < 2
    finally:
        stopped = call("env", "stop", "shop", "--json").json["copies"]
    assert stopped == started
    with pytest.raises(httpx.ConnectError):
        httpx.get(started[0]["url"], trust_env=False)
    assert call("env", "stop", "shop").out == "none is running\n"


def test_a_check_tries_the_logins_and_the_reset(
    call: Call, site_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNTHAGENT_HOME", str(site_home))
    told = call("env", "check", "shop")
    assert told.code == 0
    lines = told.out.splitlines()[1:]
    assert all(line.startswith("ok ") for line in lines)
    assert any("login staff" in line for line in lines)
    assert any("reset" in line for line in lines)


def test_a_check_of_an_outside_site_names_the_variables_it_needs(call: Call) -> None:
    told = call("env", "check", "webarena-map", "--json")
    assert told.code == 1
    row = told.json["rows"][0]
    assert (row["check"], row["ok"]) == ("variables", False)
    assert "WA_MAP" in row["detail"] or "MAP" in row["detail"]
