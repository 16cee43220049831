"""The folder of one run: its settings, its logs and its blobs.

Not responsible for what stages do with them.
"""

from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal, Self

import yaml
from pydantic import Field, ValidationError

from synthagent.blobs import BlobStore, cannot_write, write_atomically
from synthagent.config import RunConfig, differences
from synthagent.errors import ConfigError
from synthagent.journal.lock import WriterLock
from synthagent.journal.log import Log
from synthagent.records import (
    Frozen,
    RefinedTrajectory,
    Review,
    StageName,
    Task,
    Trajectory,
    Transition,
)

CONFIG = "config.yaml"


class StageDone(Frozen):
    """One line of `stages.jsonl`: a stage that went through all its items."""

    schema_: Literal["synthagent/stage@1"] = Field("synthagent/stage@1", alias="schema")
    id: StageName
    count: int = Field(ge=0)
    """Records that the stage left."""


class RunDirectory:
    """`data/runs/<run>/`. Readers may open a run while it is written; writers are one at a time."""

    def __init__(self, path: Path, config: RunConfig, lock: WriterLock) -> None:
        self.path = path
        self.config = config
        self._lock = lock
        self.transitions = Log(path / "transitions.jsonl", Transition, lock)
        self.tasks = Log(path / "tasks.jsonl", Task, lock)
        self.trajectories = Log(path / "trajectories.jsonl", Trajectory, lock)
        self.reviews = Log(path / "reviews.jsonl", Review, lock)
        self.refined = Log(path / "refined.jsonl", RefinedTrajectory, lock)
        self.stages = Log(path / "stages.jsonl", StageDone, lock)
        self.blobs = BlobStore(path / "blobs")
        self.calls_path = path / "calls.sqlite"

    @classmethod
    def open(cls, path: Path, config: RunConfig) -> Self:
        """Create the run or go on with it, as its one writer.

        Raises:
            ConfigError: it was made with other settings, another process writes it, or the path
                holds something else.
            DataError: it cannot be written.
        """
        lock = _take_lock(path)
        with ExitStack() as on_error:
            on_error.callback(lock.release)
            stored = _read_config(path) if (path / CONFIG).exists() else None
            if stored is None:
                _refuse_foreign(path)
            elif stored.hash != config.hash:
                raise ConfigError(_explain(path, stored, config))
            if stored != config:
                content = yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False)
                write_atomically(path / CONFIG, content.encode())
            on_error.pop_all()
        return cls(path, config, lock)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Open an existing run with the settings it was made with.

        Nothing is written and no lock taken before the first `append`.

        Raises:
            ConfigError: there is no such run; the message names those beside it.
        """
        if not (path / CONFIG).is_file():
            beside = sorted(file.parent.name for file in path.parent.glob(f"*/{CONFIG}"))
            raise ConfigError(f"no run at {path}; runs there: {', '.join(beside) or 'none'}")
        return cls(path, _read_config(path), WriterLock(path))

    def seal(self, stage: StageName, count: int) -> None:
        """Take note that `stage` went through all its items and left `count` records."""
        self.stages.append(StageDone(id=stage, count=count))

    def is_complete(self, stage: StageName) -> bool:
        """Return whether `stage` went through all its items."""
        return stage in self.stages

    @property
    def damaged(self) -> dict[str, int]:
        """Damaged lines by file name, for files that had any."""
        logs = (self.transitions, self.tasks, self.trajectories, self.reviews, self.refined)
        counts = {log.path.name: log.damaged for log in logs}
        return {name: count for name, count in counts.items() if count}

    def close(self) -> None:
        """Let another writer open the run."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _take_lock(path: Path) -> WriterLock:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error
    lock = WriterLock(path)
    lock.acquire()
    return lock


def _refuse_foreign(path: Path) -> None:
    foreign = sorted(entry.name for entry in path.iterdir() if not entry.name.startswith("."))
    if foreign:
        raise ConfigError(
            f"{path} is not a run: it holds {', '.join(foreign[:3])} but no {CONFIG}; "
            "choose another --run"
        )


def _read_config(path: Path) -> RunConfig:
    file = path / CONFIG
    try:
        loaded: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
        return RunConfig.model_validate(loaded)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
        raise ConfigError(
            f"{file} cannot be used by this version of synthagent; choose another --run: {error}"
        ) from error


def _explain(path: Path, stored: RunConfig, config: RunConfig) -> str:
    changes = "; ".join(
        f"{key} was {before!r}, now {now!r}" for key, before, now in differences(stored, config)
    )
    return (
        f"run {path} was made with other settings: {changes}. "
        "Choose another --run for the new settings, or give the old ones again"
    )
