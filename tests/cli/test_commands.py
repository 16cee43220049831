"""Commands that open pages or make runs, on a tiny site, with a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from synthagent.journal import RunDirectory
from tests.cli.conftest import Call
from tests.fixtures.corner_shop import ORIGIN, corner_shop, site_file
from tests.report.synthetic_run import Wish, build_run

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def corner() -> Iterator[str]:
    with corner_shop() as url:
        yield url


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNTHAGENT_HOME", str(tmp_path))
    return tmp_path


def test_observe_prints_what_the_agent_would_see(call: Call, corner: str, tmp_path: Path) -> None:
    picture = tmp_path / "seen.png"
    told = call("observe", f"{corner}/index.html", "--screenshot", str(picture))
    assert told.code == 0
    seen = call("observe", f"{corner}/index.html", "--json").json
    assert told.out == seen["text"] + "\n"
    assert seen["url"] == f"{corner}/index.html"
    refs = [node["ref"] for node in seen["page"]["nodes"] if node["ref"]]
    assert refs
    assert all(f"[{ref}]" in told.out for ref in refs)
    with Image.open(picture) as image:
        assert image.format == "PNG"
        assert image.size == (1280, 720)


def test_observe_takes_a_path_of_a_site(call: Call, corner: str, tmp_path: Path) -> None:
    file = site_file(tmp_path, corner)
    seen = call("observe", "/products.html", "--site", str(file), "--json").json
    assert seen["url"] == f"{ORIGIN}/products.html"


def test_observe_says_why_a_page_cannot_be_seen(call: Call) -> None:
    told = call("observe", "http://127.0.0.1:9/")
    assert (told.code, told.out) == (1, "")
    assert "http://127.0.0.1:9/ cannot be opened" in told.err


def test_observe_tells_that_what_is_seen_is_an_error_page(call: Call, corner: str) -> None:
    told = call("observe", f"{corner}/missing.html")
    assert told.code == 0
    assert "File not found" in told.out
    assert told.err == "the server answered HTTP 404\n"


def test_the_summary_of_a_run_as_one_object(call: Call, home: Path) -> None:
    build_run(home / "runs" / "demo", Wish(trajectories=20, pictures=False)).close()
    told = call("report", "--run", "demo", "--json").json
    run = RunDirectory.load(home / "runs" / "demo")
    kept = list(run.refined)
    assert told["kept"] == len(kept) == sum(told["types"].values()) == sum(told["lengths"].values())
    assert told["replayed"] == told["labels"]["replayed"]
    assert told["trajectories"] == 20
    assert told["infrastructure"] == 1
    assert told["rewrites"] == sum(len(item.task.versions) > 1 for item in run.trajectories)
    assert (told["calls"], told["usd"]) == (0, 0.0)
    assert Path(told["report_file"]).is_file()
    assert call("report", "--run", "demo").out.strip() == told["report_file"]


def test_doctor_names_what_is_there_and_what_is_missing(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    told = call("doctor", "--json")
    assert told.code == 0
    levels = {finding["name"]: finding["level"] for finding in told.json["findings"]}
    assert (levels["Chromium"], levels["shop"], levels["disk"]) == ("ok", "ok", "ok")
    assert levels["webarena-map"] == levels["model server"] == "optional"
    told = call("doctor", "--set", "browser.executable=/no/chrome")
    assert told.code == 1
    assert "MISSING" in told.out
    assert "/no/chrome" in told.out


def test_a_whole_run_resumes_and_replays(
    call: Call, corner: str, home: Path, tmp_path: Path
) -> None:
    file = site_file(tmp_path, corner)
    words = (
        "synthesize", "--site", str(file), "--run", "tiny", "--max-tasks", "4",
        "--set", "explore.max_transitions=12", "--json",
    )  # fmt: skip
    first = call(*words)
    assert first.code == 0, first.err
    made = first.json
    assert made["complete"] == ["explore", "propose", "collect", "refine", "export"]
    assert 1 <= made["transitions"] <= 12
    assert 1 <= made["tasks"] <= 4
    assert made["kept"] >= 1
    assert "explore: begins" in first.err
    logs = {path.name: path.read_bytes() for path in (home / "runs" / "tiny").glob("*.jsonl")}
    again = call(*words)
    assert {**again.json, "seconds": 0} == {**made, "seconds": 0}
    assert logs == {name: (home / "runs" / "tiny" / name).read_bytes() for name in logs}
    replays = call("replay", "--run", "tiny", "--json").json
    assert replays["labels"] == {"replayed": made["kept"]}
    one = replays["replays"][0]["id"]
    told = call("replay", "--run", "tiny", "--trajectory", one[:10])
    assert told.code == 0
    assert one in told.out
    assert call("replay", "--run", "tiny", "--trajectory", "zz").code == 2
    exported = call("export", "--run", "tiny", "--json").json
    assert exported["trajectories"] == made["kept"]


def test_an_unreachable_site_leaves_no_run_behind(call: Call, home: Path, tmp_path: Path) -> None:
    file = site_file(tmp_path, "http://127.0.0.1:9")
    told = call("synthesize", "--site", str(file), "--run", "tiny")
    assert told.code == 1
    assert "does not answer" in told.err
    assert not (home / "runs" / "tiny").exists()


def test_a_wrong_address_of_the_model_costs_nothing(
    call: Call, corner: str, home: Path, tmp_path: Path
) -> None:
    file = site_file(tmp_path, corner)
    told = call(
        *("synthesize", "--site", str(file), "--run", "tiny", "--teacher", "llm"),
        *("--model", "m", "--base-url", "http://127.0.0.1:9/v1"),
    )
    assert told.code == 1
    assert "model server http://127.0.0.1:9/v1 does not answer" in told.err
    assert not (home / "runs" / "tiny").exists()
