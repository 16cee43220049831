"""Commands that tell how things stand: of a run, and of this machine."""

from typing import Annotated

import typer

from synthagent.cli.execution import data_home, execute, run_path
from synthagent.cli.options import BaseUrl, Json, Model, RunName
from synthagent.cli.output import print_json, print_table
from synthagent.config import load_config

SIGNS = {"ok": "ok", "optional": "-", "missing": "MISSING"}


def report(run: RunName, json: Json = False) -> None:
    """Write report.html anew, of a finished run or not."""
    from synthagent.journal import RunDirectory
    from synthagent.pipeline import summarize
    from synthagent.report import write_report

    directory = RunDirectory.load(run_path(run))
    path = write_report(directory)
    if json:
        print_json(summarize(directory))
    else:
        typer.echo(str(path))


def doctor(
    model: Model = None,
    base_url: BaseUrl = None,
    settings: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE")] = None,
    json: Json = False,
) -> None:
    """Say what is there, what is missing, how to get it."""
    from synthagent.doctor import examine

    config = load_config(
        {"site": "-", "model": {"name": model, "base_url": base_url}}, settings=settings or ()
    )
    diagnosis = execute(lambda _: examine(config, home=data_home()))
    if json:
        print_json(diagnosis)
    else:
        rows = [(SIGNS[item.level], item.name, item.found) for item in diagnosis.findings]
        print_table(("", "what", "found"), rows)
        typer.echo(
            "\n".join(["", *(f"{one.name}: {one.fix}" for one in diagnosis.findings if one.fix)])
        )
    if not diagnosis.ok:
        raise typer.Exit(1)
