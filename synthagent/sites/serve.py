"""Starts and stops the server process of a built-in site.

Knows nothing of snapshots or resets; `wsgi_server.py` is what runs in the other process.
"""

import asyncio
import os
import subprocess
import sys
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
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
        await asyncio.to_thread(end_process, self.pid)
        if self.process is not None:
            self.process.wait()
            if self.process.stdout is not None:
                self.process.stdout.close()


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
    serve = serve_of(spec)
    command = [
        *(sys.executable, "-P", str(Path(__file__).with_name("wsgi_server.py"))),
        *(str(spec.folder / serve.folder), serve.application),
        *("--port", str(port), "--threads", str(serve.threads)),
        *(["--detach"] if detach else []),
    ]
    with log.open("a") as messages:
        process = subprocess.Popen(  # noqa: ASYNC220 - asyncio's own would end a detached one
            command,
            stdin=subprocess.DEVNULL if detach else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=messages,
            env=site_environment(data),
            start_new_session=True,
            text=True,
        )
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(asyncio.to_thread(process.stdout.readline), START_SECONDS)
    except (TimeoutError, asyncio.CancelledError):
        process.kill()
        process.wait()
        raise
    if not line.startswith("ready "):
        process.wait()
        raise SiteUnreachable(f"site {spec.name!r} did not start: {last_lines(log)}")
    _, actual_port, pid = line.split()
    if detach:
        process.wait()
        process.stdout.close()
    return Server(int(actual_port), int(pid), None if detach else process)


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
