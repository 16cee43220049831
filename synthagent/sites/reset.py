"""Brings the data of a running site back to its snapshot, and notices whether it changed.

Works on files; the server may keep its connections open, but must be idle.
"""

import os
import shutil
import sqlite3
from pathlib import Path

from synthagent.errors import ResetFailed

Stamps = dict[str, tuple[int, int]]


class DataFolder:
    """The live data of one site instance beside the snapshot that it came from."""

    def __init__(
        self, live: Path, clean: Path, databases: tuple[str, ...], trees: tuple[str, ...]
    ) -> None:
        self.live = live
        self._clean = clean
        self._databases = databases
        self._trees = {tree: _stamps(clean / tree) for tree in trees}
        self._watches: dict[str, sqlite3.Connection] = {}
        self._versions: dict[str, int] = {}

    def create(self) -> None:
        """Fill the live folder with a copy of the snapshot."""
        shutil.copytree(self._clean, self.live)

    def watch(self) -> None:
        """Take what is there now as unchanged."""
        for name in self._databases:
            if name not in self._watches:
                self._watches[name] = sqlite3.connect(self.live / name, check_same_thread=False)
            self._versions[name] = self._version(name)

    def close(self) -> None:
        """Give the files back."""
        for connection in self._watches.values():
            connection.close()
        self._watches.clear()

    @property
    def has_changed(self) -> bool:
        """Return whether anybody wrote since `watch`."""
        return any(self._version(name) != self._versions[name] for name in self._databases) or any(
            _stamps(self.live / tree) != before for tree, before in self._trees.items()
        )

    def restore(self) -> None:
        """Make the live data equal to the snapshot.

        Raises:
            ResetFailed: the files could not be written.
        """
        try:
            for name in self._databases:
                _restore_database(self._clean / name, self.live / name)
            for tree, before in self._trees.items():
                _restore_tree(self._clean / tree, self.live / tree, before)
        except (OSError, sqlite3.Error) as error:
            raise ResetFailed(f"cannot reset {self.live}: {error}; stop and start it") from error
        self.watch()

    def _version(self, name: str) -> int:
        """Return a number that changes when another connection commits."""
        return int(self._watches[name].execute("PRAGMA data_version").fetchone()[0])


def _restore_database(clean: Path, live: Path) -> None:
    source = sqlite3.connect(f"file:{clean}?mode=ro&immutable=1", uri=True)
    target = sqlite3.connect(live, timeout=20)
    try:
        # Page by page into the same file: open connections of the server see it as one commit.
        source.backup(target)
    finally:
        target.close()
        source.close()


def _restore_tree(clean: Path, live: Path, before: Stamps) -> None:
    for relative in _differences(before, _stamps(live)):
        source, target = clean / relative, live / relative
        if relative in before:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
        else:
            target.unlink()


def _differences(before: Stamps, after: Stamps) -> list[str]:
    """Return the files that were added, removed or written."""
    return [path for path in before.keys() | after.keys() if before.get(path) != after.get(path)]


def _stamps(folder: Path) -> Stamps:
    """Return size and time of every file under `folder`, by relative path."""
    stamps: Stamps = {}
    skip = len(str(folder)) + 1
    waiting = [str(folder)]
    while waiting:
        for entry in os.scandir(waiting.pop()):
            if entry.is_dir():
                waiting.append(entry.path)
            else:
                status = entry.stat()
                stamps[entry.path[skip:]] = (status.st_size, status.st_mtime_ns)
    return stamps
