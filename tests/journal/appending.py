"""A process that appends records and tells after each one that it is on disk; tests kill it."""

import sys
from pathlib import Path

from synthagent.journal import Log, WriterLock
from synthagent.records.frozen import Frozen


class Line(Frozen):
    """A record of the smallest kind; `Log` asks for nothing but an id."""

    id: str
    text: str = ""


def log_in(folder: Path) -> Log[Line]:
    return Log(folder / "lines.jsonl", Line, WriterLock(folder))


def append_lines(folder: Path, writer: str, count: int, size: int) -> None:
    log = log_in(folder)
    for number in range(count):
        log.append(Line(id=f"{writer}-{number}", text=writer * size))
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    append_lines(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
