"""One writer a run: a lock of the operating system on a file in the run directory.

Not a claim on the data: readers need no lock. A process that is killed leaves no lock behind,
because the system releases it.
"""

import fcntl
import os
import weakref
from pathlib import Path

from synthagent.blobs import cannot_write
from synthagent.errors import ConfigError

NAME = ".lock"


class WriterLock:
    """Held by at most one process (and one object) at a time; released when it is collected."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self._release: weakref.finalize[[int], WriterLock] | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._release is not None

    def acquire(self) -> None:
        """Take the lock, or keep it when it is held already.

        Raises:
            ConfigError: another writer holds it; the message names its process.
            DataError: the run directory cannot be written.
        """
        if self._release is not None:
            return
        try:
            self._take(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644))
        except OSError as error:
            raise cannot_write(self.path, error) from error

    def release(self) -> None:
        """Give the lock back; another writer may then open the run."""
        if self._release is not None:
            self._release()
            self._release = None

    def is_taken(self) -> bool:
        """Return whether any writer, this one or another, is at work in the run."""
        if self.held:
            return True
        try:
            descriptor = os.open(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return False
        try:
            return not _try_lock(descriptor)
        finally:
            os.close(descriptor)

    def _take(self, descriptor: int) -> None:
        if not _try_lock(descriptor):
            holder = os.pread(descriptor, 64, 0).decode(errors="replace").strip()
            os.close(descriptor)
            raise ConfigError(
                f"run {self.path.parent} is being written by {holder or 'another process'}; "
                "wait for it, stop it, or choose another --run"
            )
        self._release = weakref.finalize(self, os.close, descriptor)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} on {os.uname().nodename}\n".encode(), 0)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
