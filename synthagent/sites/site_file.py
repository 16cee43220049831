"""Reads a `site.yaml` and explains what is wrong with it, with the line.

Knows YAML and pydantic, not what the keys mean.
"""

from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from synthagent.errors import ConfigError

M = TypeVar("M", bound=BaseModel)
Location = tuple[str | int, ...]


def read_site_file(file: Path, model: type[M]) -> M:
    """Return the contents of `file` as `model`; its `folder` is set to where the file lies.

    Raises:
        ConfigError: naming file, line, key, value and what was expected.
    """
    try:
        text = file.read_text(encoding="utf-8")
        values = yaml.safe_load(text)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"cannot read {file}: {error}") from error
    if not isinstance(values, dict):
        raise ConfigError(f"{file}: expected `key: value` lines, found {values!r:.60}")
    if "folder" in values:
        raise ConfigError(f"{file}:{_line(root, ('folder',))}: folder is not a key; remove it")
    try:
        return model.model_validate(values | {"folder": file.resolve().parent})
    except ValidationError as error:
        raise ConfigError(_explain(file, root, error)) from error


def _explain(file: Path, root: yaml.Node | None, error: ValidationError) -> str:
    lines = []
    for item in error.errors():
        key = ".".join(str(part) for part in item["loc"])
        where = f"{file}:{_line(root, item['loc'])}"
        message = item["msg"].removeprefix("Value error, ")
        match item["type"]:
            case "extra_forbidden":
                lines.append(f"{where}: {key} is not a key of a site file; remove or rename it")
            case "missing":
                lines.append(f"{where}: {key} is missing; add it")
            case _ if key:
                lines.append(f"{where}: {key} = {item['input']!r:.80}: {message}")
            case _:
                lines.append(f"{where}: {message}")
    return "\n".join(lines)


def _line(node: yaml.Node | None, location: Location) -> int:
    """Return the line of the deepest part of `location` that the file has."""
    line = 1
    for part in location:
        match node:
            case yaml.MappingNode():
                entry = next((pair for pair in node.value if pair[0].value == str(part)), None)
                if entry is None:
                    break
                line, node = entry[0].start_mark.line + 1, entry[1]
            case yaml.SequenceNode() if isinstance(part, int) and part < len(node.value):
                node = node.value[part]
                line = node.start_mark.line + 1
            case _:
                break
    return line
