"""Samples in data/samples: every file there is read with the records of this version."""

from pathlib import Path

import pytest

from synthagent.export import MessagesRow, PromptCompletionRow
from synthagent.export.dataset import read_rows
from synthagent.journal import Log, WriterLock
from synthagent.records import RefinedTrajectory, Review, Task, Trajectory, Transition

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
LOGS = {
    "transitions.jsonl": Transition,
    "tasks.jsonl": Task,
    "trajectories.jsonl": Trajectory,
    "reviews.jsonl": Review,
    "refined.jsonl": RefinedTrajectory,
}
ROWS = {"messages.jsonl": MessagesRow, "prompt_completion.jsonl": PromptCompletionRow}
FILES = sorted(path for path in SAMPLES.rglob("*") if path.is_file() and path.suffix != ".md")


def count(path: Path) -> int:
    """Return how many records `path` holds, every one of them read."""
    if path.name in ROWS:
        return sum(1 for _ in read_rows(path, ROWS[path.name]))
    log = Log(path, LOGS[path.name], WriterLock(path.parent))
    assert log.damaged == 0
    return sum(1 for _ in log)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SAMPLES)))
def test_a_sample_is_small_and_fits_this_version(path):
    lines = path.read_bytes().count(b"\n")
    assert count(path) == lines > 0
    assert path.stat().st_size < 400_000


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SAMPLES)))
def test_a_sample_names_no_machine(path):
    text = path.read_text(encoding="utf-8")
    assert not [word for word in ("127.0.0.1", "localhost", "/home/", "/root/") if word in text]
