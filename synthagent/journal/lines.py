"""Reads a JSONL file line by line and tells whole records from damage.

Pure reading: nothing is changed here; `log.py` repairs.
"""

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, Self

from pydantic import ValidationError

from synthagent.errors import DataError
from synthagent.records.frozen import Frozen

START = re.compile(rb'\{\s*"id"\s*:')


class Storable(Protocol):
    """What a log can hold: a frozen record with an id of its own."""

    @property
    def id(self) -> str:
        """Return what tells the record from all others in its file."""

    def to_json(self) -> str:
        """Return the record as one line of JSON."""

    @classmethod
    def model_validate_json(cls, json_data: bytes, /) -> Self:
        """Return the record that was written as `json_data`."""


class Span(NamedTuple):
    """Where a record lies in its file, in bytes."""

    offset: int
    length: int


class Damage(Frozen):
    """A line that is not a whole record, with its bytes: one line of `<name>.damaged.jsonl`."""

    line: int
    """Counted from 1, in the file as it was found."""
    reason: str
    recovered: str | None = None
    """Id of a whole record found at the end of the line, behind a torn one; it was kept."""
    content: str
    """The bytes of the line in base64."""

    @property
    def raw(self) -> bytes:
        """Return the bytes as they were found."""
        return base64.b64decode(self.content)


@dataclass(frozen=True, slots=True)
class Scan:
    """What a file holds."""

    spans: dict[str, Span]
    """By record id, in the order of the file; of equal ids the first."""
    damage: tuple[Damage, ...]
    ends_whole: bool
    """The last line ends with a newline."""


class _Line(NamedTuple):
    number: int
    offset: int
    content: bytes
    """Without the newline."""
    ended: bool


def scan(path: Path, model: type[Storable], *, growing: Callable[[], bool]) -> Scan:
    """Return where the records of `path` lie and which lines are damaged.

    Args:
        path: The file; one that does not exist is an empty one.
        model: The kind of record in it.
        growing: Whether another process writes the file; an unfinished last line is then no damage
            but on its way. Asked only when there is such a line.

    Raises:
        DataError: a line is whole JSON but not a record of this kind.
    """
    spans: dict[str, Span] = {}
    damage: list[Damage] = []
    ended = True
    for line in _lines(path):
        ended = line.ended
        if not line.content.strip():
            continue
        reason, found = _read(line, model, path)
        if reason and not ended and growing():
            break
        if reason:
            damage.append(_describe(line, reason, found))
        if found is not None:
            record_id, shift = found
            span = Span(line.offset + shift, len(line.content) - shift)
            spans.setdefault(record_id, span)
    return Scan(spans, tuple(damage), ended)


def read_damage(path: Path) -> tuple[Damage, ...]:
    """Return what earlier repairs set aside in `path`."""
    if not path.exists():
        return ()
    return tuple(Damage.model_validate_json(line) for line in path.read_bytes().splitlines())


def _lines(path: Path) -> Iterator[_Line]:
    if not path.exists():
        return
    offset = 0
    with path.open("rb") as file:  # binary files split on "\n" alone, never on U+2028
        for number, line in enumerate(file, start=1):
            content = line.removesuffix(b"\n")
            yield _Line(number, offset, content, ended=len(content) < len(line))
            offset += len(line)


def _read(line: _Line, model: type[Storable], path: Path) -> tuple[str, tuple[str, int] | None]:
    """Return what is wrong with a line, and the id and start of the record in it."""
    try:
        line.content.decode()
        return "", (model.model_validate_json(line.content).id, 0)
    except UnicodeDecodeError as error:
        reason = f"not UTF-8: {error.reason}"
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] not in ("json_invalid", "model_type"):
            raise DataError(
                f"{path} line {line.number} is not a {model.__name__} as this version writes it: "
                f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
            ) from error
        reason = "NUL bytes" if b"\0" in line.content else first["msg"]
    return reason, _recover(line.content, model.model_validate_json)


def _recover(content: bytes, parse: Callable[[bytes], Storable]) -> tuple[str, int] | None:
    """Find a whole record that was appended to a torn one."""
    for match in START.finditer(content):
        try:
            return parse(content[match.start() :]).id, match.start()
        except (ValidationError, UnicodeDecodeError):
            continue
    return None


def _describe(line: _Line, reason: str, found: tuple[str, int] | None) -> Damage:
    return Damage(
        line=line.number,
        reason=reason,
        recovered=found and found[0],
        content=base64.b64encode(line.content).decode(),
    )
