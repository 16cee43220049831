"""How long stages took on the clock, over all sittings of a run: `times.jsonl`.

Kept apart from the records, which hold no clock, so that equal runs give equal records.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from synthagent.blobs import cannot_write
from synthagent.records import Frozen, StageName

FILE = "times.jsonl"


class StageTime(Frozen):
    """One sitting at one stage."""

    stage: StageName
    seconds: float


@contextmanager
def time_stage(folder: Path, stage: StageName) -> Iterator[None]:
    """Write down how long the body took, also when it was stopped."""
    begin = time.monotonic()
    try:
        yield
    finally:
        line = StageTime(stage=stage, seconds=round(time.monotonic() - begin, 3)).to_json()
        try:
            with (folder / FILE).open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            raise cannot_write(folder / FILE, error) from error


def read_times(folder: Path) -> dict[StageName, float]:
    """Return the seconds of each stage that was begun; a torn line is passed over."""
    seconds: dict[StageName, float] = {}
    if (folder / FILE).exists():
        for line in (folder / FILE).read_bytes().splitlines():
            try:
                entry = StageTime.model_validate_json(line)
            except ValidationError:
                continue  # cut by a kill; the figure is lost, nothing else
            seconds[entry.stage] = seconds.get(entry.stage, 0.0) + entry.seconds
    return seconds
