"""Starts and stops the server process of a built-in site.

Knows nothing of snapshots or resets; `wsgi_server.py` is what runs in the other process.
"""

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

from synthagent.errors import SiteError, SiteUnreachable
from synthagent.sites.spec import Serve, SiteSpec

START_SECONDS = 60.0
STOP_SECONDS = 5.0
PASSED_ON = ("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH")
"""A site gets these variables only: it has no business with anybody's keys."""


@dataclass(slots=True)
class Server:
    """A server that runs; `process` is None when it is detached."""

    port: int
    pid: int
    process: "subprocess.Popen[str] | None"

    async def stop(self) -> None:
        """End it, kindly first."""
        await asyncio.to_thread(end_process, self.pid)
        if self.process is not None:
            await asyncio.to_thread(_abandon, self.process, kill=False)


def serve_of(spec: SiteSpec) -> Serve:
    """Return how a built-in site is served; SiteError when it is not ours or cannot run here."""
    if spec.serve is None:
        raise SiteError(f"site {spec.name!r} is run by somebody else; it has no `serve` section")
    package_versions(spec.serve)
    return spec.serve


def package_versions(serve: Serve) -> dict[str, str]:
    """Return the installed versions of the packages that a site needs.

    Raises:
        SiteError: one is not installed; the message says how to get it.
    """
    versions = {}
    for package in serve.packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError as error:
            raise SiteError(
                f"package {package!r} of the site is not installed; "
                f"run: pip install 'synthagent[{serve.extra}]'"
            ) from error
    return versions


async def start_server(
    spec: SiteSpec, data: Path, log: Path, *, port: int = 0, detach: bool = False
) -> Server:
    """Return a server that listens, with its data in `data` and its messages in `log`.

    Raises:
        SiteUnreachable: it did not come up; the message holds the end of `log`.
    """
    process = _launch(spec, data, log, port, detach)
    assert process.stdout is not None
    is_up = False
    try:
        line = await asyncio.wait_for(asyncio.to_thread(process.stdout.readline), START_SECONDS)
        is_up = line.startswith("ready ")
        if not is_up:
            raise SiteUnreachable(f"site {spec.name!r} did not start: {last_lines(log)}")
    except TimeoutError as error:
        raise SiteUnreachable(
            f"site {spec.name!r} did not start in {START_SECONDS:.0f} s: {last_lines(log)}"
        ) from error
    finally:
        if detach or not is_up:
            _abandon(process, kill=not is_up)
    _, actual_port, pid = line.split()
    return Server(int(actual_port), int(pid), None if detach else process)


def _launch(
    spec: SiteSpec, data: Path, log: Path, port: int, detach: bool
) -> "subprocess.Popen[str]":
    serve = serve_of(spec)
    command = [
        *(sys.executable, "-P", str(Path(__file__).with_name("wsgi_server.py"))),
        *(str(spec.folder / serve.folder), serve.application),
        *("--port", str(port), "--threads", str(serve.threads)),
        *(["--detach"] if detach else []),
    ]
    with log.open("a") as messages:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL if detach else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=messages,
            env=site_environment(data),
            start_new_session=True,
            text=True,
        )


def _abandon(process: "subprocess.Popen[str]", *, kill: bool) -> None:
    """Close the pipes to a process that ends by itself, or is made to."""
    if kill:
        # The whole group: a detached server is a child of the process that we started.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    process.wait()


def site_environment(data: Path) -> dict[str, str]:
    """Return the environment variables of a site's processes."""
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return kept | {"SITE_DATA": str(data.resolve()), "PYTHONWARNINGS": "ignore"}


def end_process(pid: int) -> None:
    """End a server by its pid: asked first, killed after a few seconds; one gone is fine."""
    try:
        process = psutil.Process(pid)
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(STOP_SECONDS)
    except psutil.NoSuchProcess:
        return


def last_lines(log: Path) -> str:
    """Return the end of a log on one line, for an error message."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return " | ".join(lines[-3:]) or f"it ended without a word; see {log}"
