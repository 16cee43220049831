"""Looks before a run starts whether it can work here: disk, model server.

Sites and browsers are looked at by the layers that open them.
"""

import os
import shutil
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path

import httpx

from synthagent.config import ModelConfig
from synthagent.errors import DataError, ModelAccessDenied, ModelUnavailable

DEFAULT_URL = "https://api.openai.com/v1"
SPACE = 300_000_000
"""Bytes that a run of the built-in shop with a hundred tasks needs, with room to spare."""
SECONDS = 15.0


def free_space(path: Path) -> int:
    """Return the free bytes where `path` is, or would be once it is made."""
    there = next(place for place in (path, *path.absolute().parents) if place.exists())
    return shutil.disk_usage(there).free


def require_space(path: Path, needed: int = SPACE) -> None:
    """Refuse to begin on a disk that is as good as full.

    Raises:
        DataError: less than `needed` bytes are free.
    """
    free = free_space(path)
    if free < needed:
        raise DataError(
            f"only {free / 1e6:.0f} MB are free at {path}, a run needs about {needed / 1e6:.0f} MB:"
            " free some space, or set SYNTHAGENT_HOME to a folder on another disk"
        )


def model_url(config: ModelConfig, environ: Mapping[str, str] = os.environ) -> str:
    """Return the address of the model server in use, without a slash at its end."""
    return (config.base_url or environ.get("OPENAI_BASE_URL") or DEFAULT_URL).rstrip("/")


async def probe_model(config: ModelConfig, environ: Mapping[str, str] = os.environ) -> str:
    """Return what the model server says of itself; asks for its list of models, which is free.

    Raises:
        ModelAccessDenied: it does not take the key.
        ModelUnavailable: it does not answer.
    """
    url = model_url(config, environ)
    key = environ.get(config.api_key_env) or "none"
    try:
        async with httpx.AsyncClient(timeout=SECONDS) as client:
            answer = await client.get(f"{url}/models", headers={"Authorization": f"Bearer {key}"})
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ModelUnavailable(
            f"the model server {url} does not answer ({error or type(error).__name__}); "
            "start it, or correct --base-url or OPENAI_BASE_URL"
        ) from error
    if answer.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        raise ModelAccessDenied(
            f"{url} does not take the key in {config.api_key_env} (HTTP {answer.status_code}); "
            f"export the right one as {config.api_key_env}"
        )
    return f"{url} answers HTTP {answer.status_code}"
