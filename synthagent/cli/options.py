"""Options that several commands share, worded once.

Values are checked by `config.py`, not here.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class TeacherName(StrEnum):
    """Who decides."""

    GROUNDED = "grounded"
    LLM = "llm"


RunName = Annotated[
    str, typer.Option("--run", help="Name of the run (data/runs/NAME), or a path to its folder.")
]
SiteName = Annotated[
    str | None, typer.Option("--site", help="Name of a site, or the path of a site file.")
]
Teacher = Annotated[
    TeacherName | None,
    typer.Option(help="grounded: rules, no model. llm: an OpenAI-compatible server."),
]
Model = Annotated[str | None, typer.Option(help="Name of the model, for --teacher llm.")]
BaseUrl = Annotated[
    str | None, typer.Option(help="Address of the model server; else OPENAI_BASE_URL.")
]
Contexts = Annotated[int | None, typer.Option(help="Browser contexts at work at once.")]
MaxTasks = Annotated[int | None, typer.Option(help="Tasks to propose at most.")]
Seed = Annotated[int | None, typer.Option(help="Equal seeds give equal runs.")]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="YAML file with settings.", show_default=False)
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="One setting: --set collect.max_steps=20."),
]
Json = Annotated[bool, typer.Option("--json", help="End with one JSON object on stdout.")]
