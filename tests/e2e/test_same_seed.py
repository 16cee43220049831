"""Equal seeds give equal tasks, whatever the number of contexts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from synthagent.journal import RunDirectory

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.site, pytest.mark.timeout(300)]


def command(home: Path, *args: str) -> None:
    environment = os.environ | {"SYNTHAGENT_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-m", "synthagent", *args],
        env=environment,
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def explored(home: Path, run: str, *, contexts: int, seed: int) -> RunDirectory:
    few = ("--set", "explore.max_transitions=9", "--set", "propose.max_tasks=12")
    begin = ("--site", "shop", "--seed", str(seed), "--contexts", str(contexts))
    command(home, "explore", "--run", run, *begin, *few)
    command(home, "propose", "--run", run)
    return RunDirectory.load(home / "runs" / run)


def test_equal_seeds_propose_equal_tasks(site_home):
    with (
        explored(site_home, "one", contexts=1, seed=3) as one,
        explored(site_home, "three", contexts=3, seed=3) as three,
    ):
        assert [task.id for task in one.tasks] == [task.id for task in three.tasks]
        assert [task.intent for task in one.tasks] == [task.intent for task in three.tasks]
        assert len({task.intent for task in one.tasks}) == len(one.tasks) > 3
