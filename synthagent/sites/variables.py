"""Fills `${NAME}` in site files from environment variables.

`${A|B}` takes the first of several names that is set, `${A:-text}` falls back to a text.
Not a template language.
"""

import os
import re
from collections.abc import Iterator, Mapping

from pydantic import BaseModel

from synthagent.records.frozen import Frozen

VARIABLE = re.compile(r"\$\{(?P<names>[A-Za-z0-9_|]+)(?::-(?P<default>[^}]*))?\}")


class Missing(Frozen):
    """A variable that a site needs and that is not set."""

    place: str
    """Key in the site file, as `base_urls.shopping.url`."""
    names: tuple[str, ...]
    """Any one of these would do."""


def expand(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return `text` with its variables filled in; those without a value become empty."""
    return VARIABLE.sub(lambda match: _value(match, environ) or "", text)


def find_missing(model: BaseModel, environ: Mapping[str, str] = os.environ) -> tuple[Missing, ...]:
    """Return the variables in any text of `model` that have neither a value nor a default."""
    return tuple(
        Missing(place=place, names=tuple(match["names"].split("|")))
        for place, text in _texts(model.model_dump(mode="json"), "")
        for match in VARIABLE.finditer(text)
        if _value(match, environ) is None
    )


def _value(match: re.Match[str], environ: Mapping[str, str]) -> str | None:
    for name in match["names"].split("|"):
        if environ.get(name):
            return environ[name]
    return match["default"]


def _texts(value: object, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, f"{place}.{key}" if place else str(key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, f"{place}.{index}")
