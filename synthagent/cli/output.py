"""What a command says at its end: a JSON object for machines, or lines for people.

Progress is not shown here; see `progress.py`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer
from pydantic import BaseModel

from synthagent.cli.progress import show_cost, show_seconds

if TYPE_CHECKING:
    from synthagent.pipeline import Summary


def print_json(value: BaseModel) -> None:
    """Print one JSON object on one line, the last of stdout."""
    typer.echo(value.model_dump_json(by_alias=True))


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print aligned columns; nothing is cut, so that it can be searched and piped."""
    lines = [tuple(head), *(tuple(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        typer.echo("  ".join(cells).rstrip())


def print_summary(summary: "Summary") -> None:
    """Print what a run holds."""
    cost = show_cost(summary.usd, summary.calls) if summary.calls else "no model: 0 calls"
    rows = [
        ("explored", f"{summary.transitions} transitions, {summary.page_kinds} page kinds"),
        ("tasks", f"{summary.tasks}"),
        (
            "tried",
            f"{summary.trajectories}, of which {summary.completed} completed, "
            f"{summary.rewrites} reworded on the way, "
            f"{summary.infrastructure} lost to faults of browser, site or model server",
        ),
        ("replayed", f"{summary.replayed}"),
        ("kept", f"{summary.kept} ({_listed(summary.types)})"),
        ("steps", _listed(summary.lengths, "×")),
        ("cost", cost),
        ("took", show_seconds(summary.seconds)),
        ("data", summary.refined_file),
        ("report", summary.report_file),
    ]
    for name, value in rows:
        typer.echo(f"{name:10}{value}".rstrip())
    for file, count in summary.damaged.items():
        typer.echo(f"damaged   {count} lines of {file}", err=True)


def _listed(counts: dict[str, int], sign: str = " ") -> str:
    return ", ".join(f"{count}{sign}{name}" for name, count in counts.items()) or "none"
