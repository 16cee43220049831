"""Writes training rows to JSONL files, whole or not at all, and reads them back.

Not responsible for what a row says; see `rows.py`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from synthagent.blobs import write_atomically
from synthagent.errors import DataError
from synthagent.export.rows import MessagesRow, PromptCompletionRow, StepRow, step_rows
from synthagent.export.target import read_target
from synthagent.records import RefinedTrajectory
from synthagent.records.frozen import Frozen

HISTORY = 3


class ExportReport(Frozen):
    """What an export holds, and what it left out."""

    trajectories: int
    rows: int
    skipped: tuple[tuple[str, int], ...] = ()
    """Steps without a row, by reason."""
    damaged: int = 0
    """Lines of `refined.jsonl` that could not be read, and so are not in the export."""
    files: tuple[str, ...] = ()
    """Paths relative to the run directory."""


def export_messages(
    refined: Iterable[RefinedTrajectory], out: Path, *, history: int = HISTORY
) -> ExportReport:
    """Write one OpenAI-style chat a step to `out`, read the file back and count it.

    Args:
        refined: The trajectories.
        out: The file; written under another name and renamed.
        history: Steps before the present one that a row shows.

    Raises:
        DataError: the file cannot be written, or reads back as something else.
    """
    return _export(refined, out, history, MessagesRow, StepRow.as_messages)


def export_prompt_completion(
    refined: Iterable[RefinedTrajectory], out: Path, *, history: int = HISTORY
) -> ExportReport:
    """Write the same rows in TRL's prompt-completion form; see `export_messages`."""
    return _export(refined, out, history, PromptCompletionRow, StepRow.as_prompt_completion)


def _export(
    refined: Iterable[RefinedTrajectory],
    out: Path,
    history: int,
    kind: type[MessagesRow] | type[PromptCompletionRow],
    form: Callable[[StepRow], MessagesRow | PromptCompletionRow],
) -> ExportReport:
    counts: Counter[str] = Counter()
    skipped: Counter[str] = Counter()

    def lines() -> Iterator[bytes]:
        for trajectory in refined:
            counts["trajectories"] += 1
            for row in step_rows(trajectory, history=history):
                if isinstance(row, StepRow):
                    counts["rows"] += 1
                    yield form(row).to_json().encode() + b"\n"
                else:
                    skipped[row] += 1

    write_atomically(out, lines())
    found = sum(1 for _ in read_rows(out, kind))
    if found != counts["rows"]:
        raise DataError(f"{out}: {counts['rows']} rows were written, {found} read back")
    return ExportReport(
        trajectories=counts["trajectories"],
        rows=counts["rows"],
        skipped=tuple(sorted(skipped.items())),
    )


def read_rows(
    path: Path, kind: type[MessagesRow] | type[PromptCompletionRow]
) -> Iterator[MessagesRow | PromptCompletionRow]:
    """Return the rows of an exported file, each checked down to the action in its answer.

    Raises:
        DataError: a line is not such a row; the message names it.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                row = kind.model_validate_json(line.decode(), strict=True)
                answer = row.messages[-1] if isinstance(row, MessagesRow) else row.completion[0]
                read_target(answer.content)
            except (UnicodeDecodeError, ValidationError, DataError) as error:
                raise DataError(
                    f"{path} line {number} is not a {kind.__name__}: {error}"
                ) from error
            yield row
