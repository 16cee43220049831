"""Runs the asynchronous part of a command, with its progress, until it ends or is told to stop.

Knows nothing of what is run.
"""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import typer

from synthagent.cli.progress import show_progress
from synthagent.errors import ConfigError
from synthagent.tracker import Tracker

T = TypeVar("T")
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def execute(work: Callable[[Tracker], Awaitable[T]], *, resume: str = "") -> T:
    """Return what `work` returns; ends the process in order when it is told to stop.

    Args:
        work: Gets the tracker to report progress to.
        resume: What to say to somebody who stopped it.
    """
    stopped: list[int] = []

    async def guarded(tracker: Tracker) -> T:
        task = asyncio.current_task()
        assert task is not None

        def stop(number: int) -> None:
            stopped.append(number)
            task.cancel()

        for number in SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, stop, number)
        return await work(tracker)

    try:
        with show_progress() as tracker:
            return asyncio.run(guarded(tracker))
    finally:
        if stopped:  # whatever broke on the way down is of no interest to who stopped it
            typer.echo(f"stopped{'; ' if resume else ''}{resume}", err=True)
            raise typer.Exit(128 + stopped[0])


def data_home() -> Path:
    """Return where sites and runs are kept: `$SYNTHAGENT_HOME`, else `data`."""
    return Path(os.environ.get("SYNTHAGENT_HOME") or "data")


def run_path(run: str) -> Path:
    """Return the folder of a run, given by its name or by a path with a slash in it."""
    if not run.strip() or run in (".", ".."):
        raise ConfigError(f"--run {run!r}: give the name of a run, for example --run demo")
    return Path(run) if "/" in run else data_home() / "runs" / run
