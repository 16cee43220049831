"""What the command line refuses, what it says then, and how quickly it helps."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from synthagent.config import RunConfig
from synthagent.journal import RunDirectory
from tests.cli.conftest import Call

COMMANDS = (
    "synthesize", "explore", "propose", "collect", "refine", "export", "observe", "replay",
    "report", "doctor", "env",
)  # fmt: skip


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep what commands write away from the checkout."""
    monkeypatch.setenv("SYNTHAGENT_HOME", str(tmp_path))
    monkeypatch.delenv("SYNTHAGENT_SITE", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("synthesise", 2, "No such command"),
        ("synthesize --site shop", 2, "--run"),
        ("synthesize --run x", 2, "site"),
        ("synthesize --run x --site nope", 2, "unknown site 'nope'; known: "),
        ("synthesize --run x --site shop --teacher oracle", 2, "oracle"),
        ("synthesize --run x --site shop --contexts 0", 2, "contexts"),
        ("synthesize --run x --site shop --seed one", 2, "--seed"),
        ("synthesize --run x --site shop --set colour=red", 2, "colour"),
        ("synthesize --run x --site shop --set collect.max_steps", 2, "section.key=value"),
        ("synthesize --run x --site shop --config no.yaml", 2, "no.yaml"),
        ("synthesize --run . --site shop", 2, "--run"),
        ("synthesize --run x --site shop --set browser.executable=/no/such", 1, "/no/such"),
        ("explore --run nothing", 2, "runs there: done"),
        ("propose --run nothing", 2, "no run at"),
        ("collect --run nothing", 2, "no run at"),
        ("refine --run nothing", 2, "no run at"),
        ("export --run nothing", 2, "no run at"),
        ("report --run nothing", 2, "no run at"),
        ("replay --run nothing", 2, "no run at"),
        ("replay --run done", 2, "no kept trajectories"),
        ("collect --run done", 2, "synthagent explore --run done"),
        ("synthesize --run done --site shop --seed 9", 2, "seed was 0, now 9"),
        ("observe nowhere", 2, "'nowhere' is no address"),
        ("observe ftp://a.test/", 2, "is no address"),
        ("observe http://a.test/ --role staff", 2, "--site"),
        ("observe / --site shop --role nobody", 2, "known: customer, staff, anonymous"),
        ("observe http://a.test/ --screenshot a.gif", 2, ".webp"),
        ("env stop nothing", 2, "unknown site or copy 'nothing'"),
        ("env start nothing", 2, "unknown site 'nothing'"),
        ("env reset shop-99", 2, "unknown site or copy"),
        ("env check nothing", 2, "unknown site"),
    ],
)
def test_what_is_refused(home: Path, call: Call, words: str, code: int, says: str) -> None:
    with RunDirectory.open(home / "runs" / "done", RunConfig(site="shop")):
        pass
    told = call(*words.split())
    assert (told.code, told.out) == (code, "")
    assert says in told.err
    assert "Traceback" not in told.err
    assert [path.name for path in (home / "runs").iterdir()] == ["done"], "nothing was begun"


def test_an_error_is_an_object_for_machines_and_a_trace_for_the_curious(
    home: Path, call: Call
) -> None:
    told = call("report", "--run", "nothing", "--json", "--debug")
    assert told.code == 2
    assert told.json["error"]["kind"] == "ConfigError"
    assert told.json["error"]["message"] in told.err
    assert "Traceback" in told.err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(call: Call, command: str) -> None:
    told = call(command, "--help")
    assert told.code == 0
    assert f"synthagent {command}" in told.out
    lines = call("--help").out.splitlines()
    line = next(line for line in lines if line.startswith(f"  {command}"))
    assert not line.endswith("..."), "the short help is cut"


def test_help_is_quick_because_nothing_heavy_is_imported() -> None:
    code = (
        "import sys; from synthagent.cli import app;"
        "print([name for name in ('playwright', 'openai', 'PIL', 'jinja2', 'httpx', 'rich')"
        " if name in sys.modules])"
    )
    begin = time.monotonic()
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
    assert time.monotonic() - begin < 5, "far above what it takes; a busy machine may be slow"
