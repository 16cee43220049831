"""Append-only files of records, one JSON object a line, that survive kills and full disks.

Not responsible for which files a run has; see `directory.py`.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic, TypeVar

from synthagent.blobs import cannot_write, write_atomically
from synthagent.journal.lines import Damage, Scan, Span, Storable, read_damage, scan
from synthagent.journal.lock import WriterLock

R = TypeVar("R", bound=Storable)


class Log(Generic[R]):
    """Records of one kind in a JSONL file, in the order in which they were appended.

    Anyone may read. The first `append` takes the writer's lock of the run. Only offsets are kept in
    memory, and the file is first read when something is asked of it. A reader sees the file as it
    was then; what another process appends later shows in a new `Log`.
    """

    def __init__(self, path: Path, model: type[R], lock: WriterLock) -> None:
        self.path = path
        self._model = model
        self._lock = lock
        self._scan: Scan | None = None
        self._writable = False
        self._damaged = 0

    def append(self, record: R) -> None:
        """Write `record` as a whole line and flush it to disk; an id that is there is left alone.

        Raises:
            ConfigError: another process writes this run.
            DataError: it cannot be written; the file is as it was before.
        """
        spans = self._for_writing().spans
        if record.id not in spans:
            content = record.to_json().encode()
            spans[record.id] = Span(_append_whole(self.path, content + b"\n"), len(content))

    def get(self, id: str) -> R | None:
        """Return the record with this id, if there is one."""
        span = self._for_reading().spans.get(id)
        if span is None:
            return None
        return next(self._read([span]))

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all records, in their order."""
        return tuple(self._for_reading().spans)

    @property
    def damaged(self) -> int:
        """Lines that were not whole records, counted over the life of the file.

        The first writer that opens the file moves them to `<name>.damaged.jsonl`.
        """
        self._for_reading()
        return self._damaged

    def __iter__(self) -> Iterator[R]:
        return self._read(list(self._for_reading().spans.values()))

    def __len__(self) -> int:
        return len(self._for_reading().spans)

    def __contains__(self, id: object) -> bool:
        return id in self._for_reading().spans

    def _read(self, spans: list[Span]) -> Iterator[R]:
        if not spans:
            return
        with self.path.open("rb") as file:
            for span in spans:
                file.seek(span.offset)
                yield self._model.model_validate_json(file.read(span.length))

    def _for_reading(self) -> Scan:
        if self._lock.held:
            return self._for_writing()
        if self._scan is None:
            return self._load(growing=self._lock.is_taken)
        return self._scan

    def _for_writing(self) -> Scan:
        if self._writable and self._lock.held and self._scan is not None:
            return self._scan
        self._lock.acquire()
        found = self._load(growing=_never)
        if found.damage or not found.ends_whole:
            self._repair(found)
            found = self._load(growing=_never)
        self._writable = True
        return found

    def _load(self, *, growing: Callable[[], bool]) -> Scan:
        self._scan = scan(self.path, self._model, growing=growing)
        before = read_damage(self._aside)
        self._damaged = len(before) + sum(damage not in before for damage in self._scan.damage)
        return self._scan

    @property
    def _aside(self) -> Path:
        return self.path.with_suffix(".damaged.jsonl")

    def _repair(self, found: Scan) -> None:
        """Set the damaged bytes aside first, then write the file anew from its whole records.

        A kill in between repeats the first half, which adds nothing twice.
        """
        before = read_damage(self._aside)
        aside = (*before, *(damage for damage in found.damage if damage not in before))
        if aside != before:
            write_atomically(self._aside, _as_lines(aside))
        content = self.path.read_bytes()
        whole = [
            content[offset : offset + length] + b"\n" for offset, length in found.spans.values()
        ]
        write_atomically(self.path, b"".join(whole))


def _never() -> bool:
    return False


def _as_lines(damage: tuple[Damage, ...]) -> bytes:
    return b"".join(one.to_json().encode() + b"\n" for one in damage)


def _append_whole(path: Path, line: bytes) -> int:
    """Append `line`, or leave the file as it is; return the offset where it begins."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            start = os.fstat(descriptor).st_size
            flushed = False
            try:
                written = 0
                while written < len(line):
                    written += os.write(descriptor, line[written:])
                os.fsync(descriptor)
                flushed = True
            finally:
                if not flushed:
                    os.ftruncate(descriptor, start)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise cannot_write(path, error) from error
    return start
