"""Settings of a run, one section a stage; unknown keys are errors.

Not responsible for secrets: they come from the environment variable that a setting names.
Order of sources: defaults, then the file given with `--config`, then `SYNTHAGENT_<SECTION>__<KEY>`
variables, then plain options of the command line, then `--set section.key=value`.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import yaml
from pydantic import Field, ValidationError, field_validator

from synthagent.errors import ConfigError
from synthagent.records.frozen import Frozen, content_id

PREFIX = "SYNTHAGENT_"
LOCAL_KEYS = frozenset(
    {
        "contexts",
        "browser.executable",
        "browser.headless",
        "browser.sessions_per_browser",
        "model.base_url",
        "model.api_key_env",
        "model.timeout_seconds",
        "model.concurrency",
        "model.max_usd",
        "model.max_calls",
        "model.max_total_tokens",
    }
)
"""Settings that do not change what a run produces, only where, how fast and until when: a run that
was stopped by its budget goes on with a larger one, or with the same model at another address."""


SECRET = re.compile(r"key|token|secret|passw|base_url", re.IGNORECASE)
"""Names of settings whose wrong values are not repeated in messages."""


class BrowserConfig(Frozen):
    """How pages are opened and looked at."""

    executable: str | None = None
    """Path of a Chromium; found by itself when not given."""
    headless: bool = True
    width: int = Field(default=1280, ge=320, le=3840)
    height: int = Field(default=720, ge=240, le=2160)
    locale: str = "en-US"
    timezone: str = "UTC"
    action_seconds: float = Field(default=3.0, gt=0)
    navigation_seconds: float = Field(default=15.0, gt=0)
    text_tokens: int = Field(default=4000, ge=200)
    """Budget of the text form of a page; a cut is stated in the text."""
    sessions_per_browser: int = Field(default=200, ge=1)
    """A browser is replaced after so many contexts."""


class ModelConfig(Frozen):
    """The model behind the LLM teacher."""

    name: str | None = None
    base_url: str | None = None
    """Of an OpenAI-compatible server; `OPENAI_BASE_URL` when not given."""
    api_key_env: str = Field(default="OPENAI_API_KEY", pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    """Name of the environment variable that holds the key."""
    temperature: float = Field(default=0.7, ge=0, le=2)
    max_tokens: int = Field(default=1200, ge=64)
    vision: bool = False
    """Send the marked screenshot along with the page text."""
    timeout_seconds: float = Field(default=120.0, gt=0)
    concurrency: int = Field(default=16, ge=1)
    max_usd: float | None = Field(default=None, gt=0)
    max_calls: int | None = Field(default=None, gt=0)
    max_total_tokens: int | None = Field(default=None, gt=0)

    @field_validator("base_url")
    @classmethod
    def _without_credentials(cls, url: str | None) -> str | None:
        if url is not None and (urlsplit(url).username or urlsplit(url).query):
            raise ValueError("holds a user or a query: put keys into the environment instead")
        return url


class ExploreConfig(Frozen):
    """How much of the site is looked at."""

    per_category: int = Field(default=2, ge=1)
    """Controls tried in each functional category of a page kind."""
    max_transitions: int = Field(default=140, ge=1)
    max_depth: int = Field(default=6, ge=1)
    """Actions from a fresh start to the page explored."""
    roles: tuple[str, ...] = ()
    """Accounts to explore as; all of the site's when empty."""


class ProposeConfig(Frozen):
    """How many tasks, and of what kinds."""

    max_tasks: int = Field(default=76, ge=1)
    per_transition: int = Field(default=6, ge=1)
    similarity: float = Field(default=0.86, gt=0, le=1)
    """Tasks more alike than this, by character n-grams, count as the same."""


class CollectConfig(Frozen):
    """How a task is carried out."""

    max_steps: int = Field(default=30, ge=1)
    history: int = Field(default=3, ge=0)
    """Steps before the present one that the teacher sees."""
    max_rewrites: int = Field(default=3, ge=0)
    attempts: int = Field(default=2, ge=1)
    """Tries of a task that infrastructure spoiled."""


class RefineConfig(Frozen):
    """How a finished trajectory is reviewed."""

    replay: bool = True
    min_score: int = Field(default=60, ge=0, le=100)


class RunConfig(Frozen):
    """Everything that decides what a run produces."""

    site: str
    teacher: Literal["grounded", "llm"] = "grounded"
    seed: int = 0
    contexts: int = Field(default=2, ge=1, le=64)
    """Browser contexts at work at once, each with its own copy of a built-in site."""
    browser: BrowserConfig = BrowserConfig()
    model: ModelConfig = ModelConfig()
    explore: ExploreConfig = ExploreConfig()
    propose: ProposeConfig = ProposeConfig()
    collect: CollectConfig = CollectConfig()
    refine: RefineConfig = RefineConfig()

    @property
    def hash(self) -> str:
        """Return a hash of all settings that change what the run produces."""
        return content_id(self.decisive)

    @property
    def decisive(self) -> dict[str, Any]:
        """Return the settings that change what the run produces, as `section.key`."""
        settings = _flatten(self.model_dump(mode="json"))
        return {key: value for key, value in settings.items() if key not in LOCAL_KEYS}


PLAIN_KEYS = frozenset(
    name for name, field in RunConfig.model_fields.items() if not isinstance(field.default, Frozen)
)
"""Settings outside the sections: `SYNTHAGENT_SEED=3` sets `seed`."""


class Difference(NamedTuple):
    """A setting that two runs do not share."""

    key: str
    before: Any
    now: Any


def differences(before: RunConfig, now: RunConfig) -> tuple[Difference, ...]:
    """Return the settings in which two runs differ, of those that change what they produce."""
    old, new = before.decisive, now.decisive
    return tuple(Difference(key, old[key], new[key]) for key in old if old[key] != new[key])


def load_config(
    base: Mapping[str, Any],
    *,
    file: Path | None = None,
    environ: Mapping[str, str] = os.environ,
    settings: Iterable[str] = (),
) -> RunConfig:
    """Return the settings of a run from all sources, the later ones winning.

    Args:
        base: What the command line gave as plain options (`site`, `seed`, …); wins over file and
            environment, loses to `settings`. None means that an option was not given.
        file: A YAML file with the same shape as `RunConfig`.
        environ: Environment variables; `SYNTHAGENT_COLLECT__MAX_STEPS=20` sets `collect.max_steps`,
            `SYNTHAGENT_SEED=3` sets `seed`. Others may belong to someone else and are left alone.
        settings: `section.key=value` texts of `--set`; values are read as JSON, else as text.

    Raises:
        ConfigError: a key is unknown or a value does not fit; the message names it.
    """
    values: dict[str, Any] = {}
    if file is not None:
        _merge(values, _read_yaml(file))
    for name, text in environ.items():
        path = name.removeprefix(PREFIX).lower().split("__")
        if name.startswith(PREFIX) and (len(path) > 1 or path[0] in PLAIN_KEYS):
            _put(values, path, text)
    _merge(values, base)
    for setting in settings:
        key, separator, text = setting.partition("=")
        if not separator or not all(key.split(".")):
            raise ConfigError(f"--set {_shown(key, setting)}: write it as section.key=value")
        _put(values, key.split("."), text)
    try:
        return RunConfig.model_validate(values)
    except ValidationError as error:
        raise ConfigError(_explain(error)) from error


def _flatten(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            flat |= _flatten(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def _read_yaml(file: Path) -> dict[str, Any]:
    try:
        loaded = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"cannot read the settings in {file}: {error}") from error
    if not isinstance(loaded, dict):
        raise ConfigError(f"{file}: expected settings as `key: value`, found {loaded!r:.60}")
    return loaded


def _merge(values: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, Mapping):
            _merge(_section(values, key), value)
        elif value is not None:  # an option that was not given, or an empty section of a file
            values[key] = value


def _put(values: dict[str, Any], path: list[str], text: str) -> None:
    *sections, name = path
    for section in sections:
        values = _section(values, section)
    try:
        values[name] = json.loads(text)
    except json.JSONDecodeError:
        values[name] = text


def _section(values: dict[str, Any], name: str) -> dict[str, Any]:
    section = values.setdefault(name, {})
    if not isinstance(section, dict):
        raise ConfigError(f"{name} = {_shown(name, section)}: is one setting, not a section")
    return section


def _explain(error: ValidationError) -> str:
    lines = []
    for item in error.errors():
        key = ".".join(str(part) for part in item["loc"])
        if item["type"] == "missing":  # its input is all the other settings
            lines.append(f"{key} is required")
            continue
        reason = "is not a setting" if item["type"] == "extra_forbidden" else item["msg"]
        lines.append(f"{key} = {_shown(key, item['input'])}: {reason}")
    return "unusable settings: " + "; ".join(lines)


def _shown(key: str, value: object) -> str:
    """Return `value` for a message, unless it may be a secret put where none belongs."""
    if SECRET.search(key):
        return "(not shown)"
    return f"{value!r:.80}"
