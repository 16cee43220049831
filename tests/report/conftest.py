"""Runs to report on, made once a session."""

from collections.abc import Callable
from pathlib import Path

import pytest

from synthagent.journal import RunDirectory
from synthagent.records.frozen import canonical_json
from synthagent.report import write_report
from tests.report.synthetic_run import Wish, build_run


@pytest.fixture(scope="session")
def make_run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., RunDirectory]:
    """Return a function that builds a run for a wish, once a wish."""
    built: dict[str, RunDirectory] = {}

    def make(**wish: object) -> RunDirectory:
        key = canonical_json(wish)
        if key not in built:
            built[key] = build_run(tmp_path_factory.mktemp("runs") / "demo", Wish(**wish))
        return built[key]

    return make


@pytest.fixture(scope="session")
def make_report(make_run: Callable[..., RunDirectory]) -> Callable[..., Path]:
    """Return a function that writes the report of a run for a wish, once a wish."""
    written: dict[Path, Path] = {}

    def make(**wish: object) -> Path:
        run = make_run(**wish)
        if run.path not in written:
            written[run.path] = write_report(run)
        return written[run.path]

    return make
