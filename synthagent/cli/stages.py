"""Commands that make a run: all stages at once, or one by one.

What a stage does is in the library; settings are checked by `config.py`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import typer

from synthagent.cli.execution import data_home, execute, run_path
from synthagent.cli.options import (
    BaseUrl,
    ConfigFile,
    Contexts,
    Json,
    MaxTasks,
    Model,
    RunName,
    Seed,
    Settings,
    SiteName,
    Teacher,
)
from synthagent.cli.output import print_json, print_summary
from synthagent.config import RunConfig, load_config
from synthagent.records import StageName

GO_ON = "run the same command to go on"


def synthesize(  # noqa: PLR0913, PLR0917 -- one parameter an option
    run: RunName,
    site: SiteName = None,
    teacher: Teacher = None,
    model: Model = None,
    base_url: BaseUrl = None,
    contexts: Contexts = None,
    max_tasks: MaxTasks = None,
    seed: Seed = None,
    config: ConfigFile = None,
    settings: Settings = None,
    json: Json = False,
) -> None:
    """Do all stages, from a website to refined.jsonl.

    That is explore, propose, collect, refine, export and report. A run that was stopped or killed
    goes on with the same command. Example: synthagent synthesize --site shop --run demo
    """
    path = run_path(run)
    chosen = load_config(
        {
            "site": site,
            "teacher": teacher and teacher.value,
            "seed": seed,
            "contexts": contexts,
            "model": {"name": model, "base_url": base_url},
            "propose": {"max_tasks": max_tasks},
        },
        file=config,
        settings=settings or (),
    )
    _work(path, chosen, get_args(StageName), json=json)


def explore(
    run: RunName,
    site: SiteName = None,
    seed: Seed = None,
    contexts: Contexts = None,
    config: ConfigFile = None,
    settings: Settings = None,
    json: Json = False,
) -> None:
    """Try the controls of a site and note what they do.

    Begins a run when --site is given, else goes on with it.
    """
    path = run_path(run)
    base = {"site": site, "seed": seed, "contexts": contexts}
    if site is None and config is None:
        chosen = _stored(path, contexts)
    else:
        chosen = load_config(base, file=config, settings=settings or ())
    _work(path, chosen, ("explore",), json=json)


def propose(run: RunName, json: Json = False) -> None:
    """Propose tasks from what exploration saw."""
    path = run_path(run)
    _work(path, _stored(path), ("propose",), json=json)


def collect(run: RunName, contexts: Contexts = None, json: Json = False) -> None:
    """Carry out the tasks and mend their wording on the way."""
    path = run_path(run)
    _work(path, _stored(path, contexts), ("collect",), json=json)


def refine(run: RunName, contexts: Contexts = None, json: Json = False) -> None:
    """Review trajectories and keep those that replay.

    Each is looked at as a whole and done again from a fresh start of the site.
    """
    path = run_path(run)
    _work(path, _stored(path, contexts), ("refine",), json=json)


def export(run: RunName, json: Json = False) -> None:
    """Write the data sets that trainers load."""
    from synthagent.journal import RunDirectory
    from synthagent.pipeline import export_files

    path = run_path(run)
    with RunDirectory.load(path) as directory:
        report = export_files(directory)
    if json:
        print_json(report)
        return
    typer.echo(f"{report.trajectories} trajectories, {report.rows} rows")
    for file in report.files:
        typer.echo(str(path / file))


def _work(path: Path, config: RunConfig, stages: Sequence[StageName], *, json: bool) -> None:
    from synthagent.pipeline import synthesize_at

    home = data_home()
    summary = execute(
        lambda tracker: synthesize_at(path, config, home=home, tracker=tracker, stages=stages),
        resume=GO_ON,
    )
    if json:
        print_json(summary)
    else:
        print_summary(summary)


def _stored(path: Path, contexts: int | None = None) -> RunConfig:
    from synthagent.journal import RunDirectory

    config = RunDirectory.load(path).config
    return config if contexts is None else config.with_(contexts=contexts)
