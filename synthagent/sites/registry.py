"""Which copies of a site run on this machine, kept on disk so that every command finds them.

A folder is in use while its lock is held: by the run that works with it, or by whoever starts it.
Starts and stops no server itself.
"""

import asyncio
import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from pydantic import ValidationError

from synthagent.records.frozen import Frozen

RECORD = "instance.json"


def default_home() -> Path:
    """Return where sites are kept: `$SYNTHAGENT_HOME`, else `data` in the working directory."""
    return Path(os.environ.get("SYNTHAGENT_HOME") or "data")


class InstanceRecord(Frozen):
    """A running copy of a built-in site."""

    id: str
    """`shop-1`."""
    site: str
    folder: str
    port: int
    pid: int
    started: float
    """Start time of the process, which tells it from a later one with the same pid."""
    snapshot: str
    """Name of the snapshot that it was copied from."""
    detached: bool
    """Started by `env start`, and there until stopped."""

    @property
    def url(self) -> str:
        """Return where it answers."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def is_alive(self) -> bool:
        """Return whether the very process of this record still runs."""
        try:
            process = psutil.Process(self.pid)
            return abs(process.create_time() - self.started) < 1 and process.is_running()
        except psutil.NoSuchProcess:
            return False


@dataclass(slots=True)
class Lock:
    """An exclusive lock on a file; gone with the process that holds it."""

    descriptor: int

    def release(self) -> None:
        """Let others have it; more than once does no harm."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def try_lock(file: Path) -> Lock | None:
    """Return the lock on `file`, or None when somebody holds it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return Lock(descriptor)


async def wait_for_lock(file: Path) -> Lock:
    """Return the lock on `file` as soon as nobody else holds it."""
    while (lock := try_lock(file)) is None:  # noqa: ASYNC110
        # Another process cannot wake us up: there is nothing better than to look again.
        await asyncio.sleep(0.1)
    return lock


def site_home(home: Path, site: str) -> Path:
    """Return the folder of a site under the home of all sites."""
    return home.resolve() / "sites" / site


def list_instances(home: Path, site: str | None = None) -> tuple[InstanceRecord, ...]:
    """Return the copies that run, of one site or of all."""
    pattern = f"sites/{site or '*'}/instances/*/{RECORD}"
    records = [_read(file) for file in home.glob(pattern)]
    alive = [record for record in records if record is not None and record.is_alive]
    return tuple(sorted(alive, key=lambda record: (record.site, _number(record.id))))


def lock_instance(record: InstanceRecord) -> Lock | None:
    """Return the lock on a running copy, or None when a run works with it."""
    return try_lock(Path(record.folder) / "lock")


def save_record(record: InstanceRecord) -> None:
    """Write the record into its folder, whole or not at all."""
    file = Path(record.folder) / RECORD
    temporary = file.with_suffix(".tmp")
    temporary.write_text(record.to_json(), encoding="utf-8")
    temporary.replace(file)


def create_folder(home: Path, site: str) -> tuple[Path, Lock]:
    """Return a new, locked folder for a copy; removes those whose server and user are gone."""
    instances = site_home(home, site) / "instances"
    with _registry(home, site):
        _remove_stale(instances)
        taken = {_number(folder.name) for folder in instances.glob(f"{site}-*")}
        number = next(n for n in range(1, len(taken) + 2) if n not in taken)
        folder = instances / f"{site}-{number}"
        folder.mkdir(parents=True)
        lock = try_lock(folder / "lock")
        assert lock is not None, "the registry lock keeps others out"
        return folder, lock


def remove_folder(folder: Path) -> None:
    """Remove the folder of a copy whose server has ended."""
    shutil.rmtree(folder, ignore_errors=True)


def _remove_stale(instances: Path) -> None:
    for folder in instances.glob("*"):
        record = _read(folder / RECORD)
        if record is not None and record.is_alive:
            continue
        lock = try_lock(folder / "lock")
        if lock is not None:
            remove_folder(folder)
            lock.release()


@contextmanager
def _registry(home: Path, site: str) -> Iterator[None]:
    file = site_home(home, site) / "registry.lock"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _read(file: Path) -> InstanceRecord | None:
    try:
        return InstanceRecord.model_validate_json(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValidationError):
        return None


def _number(name: str) -> int:
    digits = re.search(r"(\d+)$", name)
    return int(digits[1]) if digits else 0
