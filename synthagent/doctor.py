"""Looks at this machine: what a run needs, what of it is there, and how to get the rest.

Changes nothing and prints nothing.
"""

import importlib.util
import os
import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from synthagent import __version__
from synthagent.browser.chromium import find_chromium
from synthagent.config import ModelConfig, RunConfig
from synthagent.errors import BrowserMissing, ConfigError, ModelError
from synthagent.records import Frozen
from synthagent.run.probing import SPACE, free_space, model_url, probe_model
from synthagent.sites import SiteSpec, known_sites, load_site
from synthagent.sites.registry import list_instances

Level = Literal["ok", "optional", "missing"]
TRAINING = ("torch", "transformers", "peft", "trl", "datasets")


class Finding(Frozen):
    """One thing that was looked at."""

    topic: Literal["package", "browser", "site", "model", "disk", "training"]
    name: str
    level: Level
    """`optional`: not there, and not needed for the default run."""
    found: str
    fix: str = ""
    """How to get it; empty when nothing is to be done."""


class Diagnosis(Frozen):
    """All that was looked at."""

    version: str
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Return whether the default run would work."""
        return all(finding.level != "missing" for finding in self.findings)


async def examine(
    config: RunConfig, *, home: Path, environ: Mapping[str, str] = os.environ
) -> Diagnosis:
    """Return what was found for a run with these settings.

    Args:
        config: Its browser and model settings are looked at.
        home: Where sites and runs are kept.
        environ: Holds keys and the variables that outside sites need.
    """
    findings = [
        Finding(
            topic="package",
            name="synthagent",
            level="ok",
            found=f"{__version__} on Python {platform.python_version()}, {platform.system()}",
        ),
        _look_for_browser(config),
        *(_look_at_site(name, home, environ) for name in known_sites(environ)),
        await _look_for_model(config.model, environ),
        _look_at_disk(home),
        _look_for_training(),
    ]
    return Diagnosis(version=__version__, findings=tuple(findings))


def _look_for_browser(config: RunConfig) -> Finding:
    try:
        path = find_chromium(config.browser)
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except BrowserMissing as error:
        return Finding(topic="browser", name="Chromium", level="missing", found="", fix=str(error))
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return Finding(
            topic="browser",
            name="Chromium",
            level="missing",
            found=f"{path} does not start: {reason}",
            fix="install its libraries: `playwright install-deps chromium`, or another Chromium",
        )
    return Finding(
        topic="browser", name="Chromium", level="ok", found=f"{done.stdout.strip()} at {path}"
    )


def _look_at_site(name: str, home: Path, environ: Mapping[str, str]) -> Finding:
    try:
        spec = load_site(name, environ)
    except ConfigError as error:
        return Finding(topic="site", name=name, level="missing", found="", fix=str(error))
    return _look_at_own_site(spec, home) if spec.serve else _look_at_outside_site(spec, environ)


def _look_at_own_site(spec: SiteSpec, home: Path) -> Finding:
    assert spec.serve is not None
    lacking = [package for package in spec.serve.packages if not _is_installed(package)]
    if lacking:
        return Finding(
            topic="site",
            name=spec.name,
            level="missing",
            found=f"not installed: {', '.join(lacking)}",
            fix=f"pip install 'synthagent[{spec.serve.extra}]'",
        )
    running = len(list_instances(home, spec.name))
    state = f"{running} running" if running else "started when a run needs it"
    found = f"{spec.title}; built in, {state}"
    return Finding(topic="site", name=spec.name, level="ok", found=found)


def _look_at_outside_site(spec: SiteSpec, environ: Mapping[str, str]) -> Finding:
    if missing := spec.missing(environ):
        names = ", ".join(" or ".join(item.names) for item in missing)
        return Finding(
            topic="site",
            name=spec.name,
            level="optional",
            found=f"{spec.title}; not set up",
            fix=f"set {names}, then `synthagent env check {spec.name}`",
        )
    found = f"{spec.title}; outside, set up (`synthagent env check {spec.name}` tries it)"
    return Finding(topic="site", name=spec.name, level="ok", found=found)


async def _look_for_model(config: ModelConfig, environ: Mapping[str, str]) -> Finding:
    wanted = config.name or config.base_url or environ.get("OPENAI_BASE_URL")
    if not wanted and not environ.get(config.api_key_env):
        return Finding(
            topic="model",
            name="model server",
            level="optional",
            found="none set up; the grounded teacher needs none",
            fix=f"for --teacher llm: export {config.api_key_env}, or OPENAI_BASE_URL and --model",
        )
    try:
        found = await probe_model(config, environ)
    except ModelError as error:
        url = model_url(config, environ)
        return Finding(topic="model", name=url, level="optional", found="", fix=str(error))
    return Finding(topic="model", name="model server", level="ok", found=found)


def _look_at_disk(home: Path) -> Finding:
    free = free_space(home)
    found = f"{free / 1e9:.1f} GB free at {home.absolute()}"
    if free >= SPACE:
        return Finding(topic="disk", name="disk", level="ok", found=found)
    fix = f"free {SPACE / 1e6:.0f} MB, or set SYNTHAGENT_HOME to a folder on another disk"
    return Finding(topic="disk", name="disk", level="missing", found=found, fix=fix)


def _look_for_training() -> Finding:
    lacking = [name for name in TRAINING if importlib.util.find_spec(name) is None]
    if lacking:
        return Finding(
            topic="training",
            name="training",
            level="optional",
            found=f"not installed: {', '.join(lacking)}",
            fix="pip install 'synthagent[train]'",
        )
    return Finding(topic="training", name="training", level="ok", found="installed")


def _is_installed(package: str) -> bool:
    try:
        version(package.split("=")[0])
    except PackageNotFoundError:
        return False
    return True
