"""A run with all that its stages need, opened in the order in which things are cheap to refuse.

Not responsible for the stages; see `pipeline.py`.
"""

import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from synthagent import __version__
from synthagent.browser.chromium import find_chromium
from synthagent.config import RunConfig
from synthagent.journal import RunDirectory
from synthagent.llm import Ledger, ModelClient
from synthagent.records import Provenance, StageName, Usage
from synthagent.records.origins import Origins
from synthagent.run.browsers import BrowserPool
from synthagent.run.metering import MeteredTracker
from synthagent.run.probing import probe_model, require_space
from synthagent.sites import SitePool, SiteSpec, load_site
from synthagent.teachers.grounded import GroundedTeacher
from synthagent.teachers.llm import LLMTeacher
from synthagent.teachers.protocol import Teacher
from synthagent.tracker import Tracker


@dataclass(frozen=True, slots=True)
class Run:
    """Everything a stage needs."""

    directory: RunDirectory
    config: RunConfig
    site: SitePool
    browsers: BrowserPool
    teacher: Teacher
    tracker: Tracker
    code_version: str
    ledger: Ledger | None = None
    """What model calls cost; None for a teacher without a model."""

    def provenance(self, stage: StageName, prompt_hash: str | None = None) -> Provenance:
        """Return where a record that `stage` makes comes from."""
        if prompt_hash is None and isinstance(self.teacher, LLMTeacher):
            prompt_hash = self.teacher.prompt_hash
        return Provenance(
            stage=stage,
            code_version=self.code_version,
            teacher=self.teacher.name,
            config_hash=self.config.hash,
            seed=self.config.seed,
            prompt_hash=prompt_hash,
        )

    def usage(self, item: str) -> Usage:
        """Return what the model calls of a work item have cost so far."""
        return self.ledger.usage(item) if self.ledger is not None else Usage()


@asynccontextmanager
async def open_run(
    path: Path,
    config: RunConfig,
    *,
    home: Path,
    tracker: Tracker,
    world: bool = True,
    environ: Mapping[str, str] = os.environ,
) -> AsyncIterator[Run]:
    """Open the run at `path`, new or not; everything is closed again whatever happens.

    Args:
        path: The run directory.
        config: Settings; for an existing run those it was made with.
        home: Where sites are kept.
        tracker: Listens to the progress.
        world: Start the site and a browser; a stage that only thinks needs neither.
        environ: Holds keys and the variables that outside sites need.

    Raises:
        SynthError: something is missing or wrong. A run that did not exist before is not begun.
    """
    spec = load_site(config.site, environ)
    if world:
        find_chromium(config.browser)
    require_space(path)
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(_open_directory(path, config))
        opening = stack.enter_context(_undo_when_new(directory))
        teacher, ledger = await _open_teacher(stack, spec, directory, tracker, environ)
        site = SitePool(spec, config.contexts, home)
        browsers = BrowserPool(config.browser, spec.volatile)
        if world:
            await stack.enter_async_context(site)
            await stack.enter_async_context(browsers)
        opening.succeeded = True
        yield Run(
            directory=directory,
            config=config,
            site=site,
            browsers=browsers,
            teacher=teacher,
            tracker=MeteredTracker(tracker, ledger) if ledger else tracker,
            code_version=code_version(),
            ledger=ledger,
        )


@contextmanager
def _open_directory(path: Path, config: RunConfig) -> Iterator[RunDirectory]:
    with RunDirectory.open(path, config) as directory:
        yield directory


@dataclass(slots=True)
class _Opening:
    succeeded: bool = False


@contextmanager
def _undo_when_new(directory: RunDirectory) -> Iterator[_Opening]:
    """Leave no run behind that could not even be opened, so that its name is free again."""
    opening = _Opening()
    is_new = not any(directory.path.glob("*.jsonl")) and not directory.calls_path.exists()
    try:
        yield opening
    finally:
        if is_new and not opening.succeeded:
            shutil.rmtree(directory.path)


async def _open_teacher(
    stack: AsyncExitStack,
    spec: SiteSpec,
    directory: RunDirectory,
    tracker: Tracker,
    environ: Mapping[str, str],
) -> tuple[Teacher, Ledger | None]:
    config = directory.config
    if config.teacher == "grounded":
        return GroundedTeacher(config.seed), None
    client = await stack.enter_async_context(
        ModelClient.open(
            config.model,
            directory.calls_path,
            seed=config.seed,
            note=tracker.note,
            environ=environ,
        )
    )
    await probe_model(config.model, environ)
    canonical = [base.canonical for base in spec.base_urls.values()]
    origins = Origins(pairs=tuple((origin, origin) for origin in canonical))
    teacher = LLMTeacher(client, config.model, origins=origins, history=config.collect.history)
    return teacher, client.ledger


def code_version() -> str:
    """Return the version of the package, with the commit when it runs from a checkout."""
    checkout = Path(__file__).resolve().parents[2]
    git = shutil.which("git")
    if git is None or not (checkout / ".git").exists():
        return __version__
    done = subprocess.run(
        [git, "-C", str(checkout), "rev-parse", "--short=10", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
        timeout=10,
    )
    return f"{__version__}+{done.stdout.strip()}" if done.returncode == 0 else __version__
