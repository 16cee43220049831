"""Commands that open pages: what an agent would see, and whether trajectories still hold."""

from pathlib import Path
from typing import Annotated

import typer

from synthagent.cli.execution import data_home, execute, run_path
from synthagent.cli.options import Contexts, Json, RunName, SiteName
from synthagent.cli.output import print_json, print_table
from synthagent.config import load_config

SHOWN = 70


def observe(
    url: Annotated[str, typer.Argument(help="Address of a page; with --site also a path.")],
    site: SiteName = None,
    role: Annotated[str, typer.Option(help="Account of the site to look as.")] = "anonymous",
    screenshot: Annotated[
        Path | None, typer.Option(help="Write a WebP or PNG with the elements marked.")
    ] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE")] = None,
    json: Json = False,
) -> None:
    """Print exactly what the agent would see of a page."""
    from synthagent.observing import observe_page

    config = load_config({"site": site or "-"}, settings=settings or ())
    seen = execute(
        lambda _: observe_page(
            url, config.browser, site=site, role=role, home=data_home(), picture=screenshot
        )
    )
    if json:
        print_json(seen)
    else:
        typer.echo(seen.text)
    if (seen.http_status or 200) >= 400:
        typer.echo(f"the server answered HTTP {seen.http_status}", err=True)
    if screenshot is not None:
        typer.echo(f"screenshot: {screenshot}", err=True)


def replay(
    run: RunName,
    trajectory: Annotated[
        str | None, typer.Option(help="Id of one, or its beginning; all kept ones otherwise.")
    ] = None,
    contexts: Contexts = None,
    json: Json = False,
) -> None:
    """Do trajectories again and compare their ends.

    Exit code 1 when any does not come to the same end. Nothing in the run is changed.
    """
    from synthagent.journal import RunDirectory
    from synthagent.replays import replay_trajectories

    directory = RunDirectory.load(run_path(run))
    replays = execute(
        lambda tracker: replay_trajectories(
            directory, trajectory, contexts=contexts, home=data_home(), tracker=tracker
        ),
        resume="nothing was changed",
    )
    if json:
        print_json(replays)
    else:
        rows = [
            (one.id, one.report.label, f"{one.report.steps_done}/{one.steps}", one.intent[:SHOWN])
            for one in replays.replays
        ]
        print_table(("trajectory", "label", "steps", "task"), rows)
        typer.echo(", ".join(f"{count} {name}" for name, count in replays.labels.items()))
        for one in replays.replays:
            if one.report.label != "replayed":
                typer.echo(f"{one.id}: {one.report.reason}", err=True)
    if set(replays.labels) != {"replayed"}:
        raise typer.Exit(1)
