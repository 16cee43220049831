"""All commands in one application, and what becomes of an error.

Commands are in the modules beside this one; each parses, calls one library function and prints.
"""

import json
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from synthagent import __version__
from synthagent.cli import environments, pages, stages, state
from synthagent.errors import SynthError

DEBUG = "--debug"

app = typer.Typer(
    help="Turn a website into verified tasks, trajectories and an adapted web agent.",
    epilog="Exit codes: 0 done, 1 failed, 2 wrong usage, 3 budget used up, 130 stopped.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(stages.synthesize)
app.command()(stages.explore)
app.command()(stages.propose)
app.command()(stages.collect)
app.command()(stages.refine)
app.command()(stages.export)
app.command()(pages.observe)
app.command()(pages.replay)
app.command()(state.report)
app.command()(state.doctor)
app.add_typer(environments.app, name="env")


@app.callback()
def _options(
    debug: Annotated[
        bool, typer.Option(DEBUG, help="Show where an error comes from; works anywhere.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=lambda on: _tell_version(on))
    ] = False,
) -> None:
    """Turn a website into verified tasks, trajectories and an adapted web agent."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and end the process with its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        app(args=[word for word in words if word != DEBUG], prog_name="synthagent")
    except SynthError as error:
        if DEBUG in words:
            traceback.print_exception(error)
        typer.echo(f"error: {error}", err=True)
        if "--json" in words:
            told = {"error": {"kind": type(error).__name__, "message": str(error)}}
            typer.echo(json.dumps(told, ensure_ascii=False))
        raise SystemExit(error.exit_code) from None


def _tell_version(on: bool) -> None:
    if on:
        typer.echo(f"synthagent {__version__}")
        raise typer.Exit
