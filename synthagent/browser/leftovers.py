"""Remembers which browsers are running, so that none outlives its owner, whatever ends it.

Not responsible for starting browsers. A sweep ends only browsers whose recorded owner is dead and
whose start time is the recorded one: a number used again by the system is left alone.
"""

import json
import os
import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

MARKER = "--synthagent-browser="
PROFILE = "--user-data-dir="
END_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Remembered:
    """A browser process, its owner, and the folder of its profile."""

    token: str
    owner: int
    owner_started: float
    browser: int
    browser_started: float
    profile: str


def remember(token: str, folder: Path | None = None) -> Remembered | None:
    """Write down the browser that this process has just started with `MARKER` and `token`."""
    owner = psutil.Process()
    marked = [one for one in owner.children(recursive=True) if _is_marked(one, token)]
    parents = {one.ppid() for one in marked}
    # A wrapper script around the browser has the same arguments; the innermost is the browser.
    process = next((one for one in marked if one.pid not in parents), None)
    if process is None:
        return None
    found = Remembered(
        token,
        owner.pid,
        owner.create_time(),
        process.pid,
        process.create_time(),
        next((one[len(PROFILE) :] for one in _arguments(process) if one.startswith(PROFILE)), ""),
    )
    write(found, folder)
    return found


def _is_marked(process: psutil.Process, token: str) -> bool:
    arguments = _arguments(process)
    is_part = any(one.startswith("--type=") for one in arguments)
    return MARKER + token in arguments and not is_part


def write(found: Remembered, folder: Path | None = None) -> None:
    """Write down a running browser."""
    path = (folder or records_folder()) / f"{found.token}.json"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_text(json.dumps(asdict(found)), encoding="utf-8")


def remembered(folder: Path | None = None) -> list[Remembered]:
    """Return the browsers that are written down; records that cannot be read are removed."""
    found = []
    for path in sorted((folder or records_folder()).glob("*.json")):
        try:
            found.append(Remembered(**json.loads(path.read_text(encoding="utf-8"))))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, TypeError):
            path.unlink(missing_ok=True)
    return found


def sweep(folder: Path | None = None) -> int:
    """End browsers whose owner is dead, remove their profiles, and return how many there were."""
    orphans = [one for one in remembered(folder) if not _is_running(one.owner, one.owner_started)]
    for one in orphans:
        end(one, folder)
    return len(orphans)


def end(found: Remembered, folder: Path | None = None) -> None:
    """End a browser that is still running, and remove what it leaves behind."""
    if _is_running(found.browser, found.browser_started):
        process = psutil.Process(found.browser)
        if MARKER + found.token in _arguments(process):
            _end_tree(process)
    if found.profile and "playwright" in Path(found.profile).name:
        shutil.rmtree(found.profile, ignore_errors=True)
    ((folder or records_folder()) / f"{found.token}.json").unlink(missing_ok=True)


def records_folder() -> Path:
    """Return where running browsers are written down, one folder a user."""
    return Path(tempfile.gettempdir()) / f"synthagent-browsers-{os.getuid()}"


def _end_tree(process: psutil.Process) -> None:
    try:
        processes = [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for one in processes:
        try:
            one.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(processes, timeout=END_SECONDS)


def _is_running(pid: int, started: float) -> bool:
    try:
        process = psutil.Process(pid)
        is_same = abs(process.create_time() - started) < 1
        return is_same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _arguments(process: psutil.Process) -> list[str]:
    try:
        arguments = process.cmdline()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return []
    # Chromium overwrites its own command line with one text.
    return arguments if len(arguments) != 1 else arguments[0].split(" ")
