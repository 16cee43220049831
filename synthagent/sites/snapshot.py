"""The seeded state of a built-in site, built once and then only copied.

It is taken after every role has logged in, so that a reset does not sign anybody out. Running
copies are `instance.py`'s business.
"""

import asyncio
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import synthagent
from synthagent.errors import SiteError
from synthagent.records.origins import Origins
from synthagent.sites.login import StorageState, log_in
from synthagent.sites.registry import list_instances, site_home, wait_for_lock
from synthagent.sites.serve import (
    last_lines,
    package_versions,
    serve_of,
    site_environment,
    start_server,
)
from synthagent.sites.spec import SiteSpec

BUILD_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A built snapshot: never written to again."""

    key: str
    folder: Path

    @property
    def data(self) -> Path:
        """Return the folder that instances copy."""
        return self.folder / "data"

    def storage_state(self, role: str) -> StorageState | None:
        """Return the cookies of `role`, or None for one that does not log in."""
        file = self.folder / "logins" / f"{role}.json"
        if not file.exists():
            return None
        state: StorageState = json.loads(file.read_text(encoding="utf-8"))
        return state


async def ensure_snapshot(spec: SiteSpec, home: Path) -> Snapshot:
    """Return the snapshot of the site as it is now, building it when there is none.

    Raises:
        SiteError: the build failed; the message holds its last lines.
    """
    key = snapshot_key(spec)
    snapshot = Snapshot(key, site_home(home, spec.name) / "snapshot" / key)
    if not snapshot.folder.exists():
        lock = await wait_for_lock(site_home(home, spec.name) / "build.lock")
        try:
            if not snapshot.folder.exists():
                await _build(spec, home, snapshot)
        finally:
            lock.release()
    return snapshot


def snapshot_key(spec: SiteSpec) -> str:
    """Return a hash of all that decides what the snapshot holds."""
    digest = hashlib.sha256()
    for file in sorted(spec.folder.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(file.relative_to(spec.folder).as_posix().encode() + b"\0")
            digest.update(file.read_bytes() + b"\0")
    versions = package_versions(serve_of(spec)) | {"synthagent": synthagent.__version__}
    digest.update(json.dumps(versions, sort_keys=True).encode())
    return digest.hexdigest()[:16]


async def _build(spec: SiteSpec, home: Path, snapshot: Snapshot) -> None:
    snapshot.folder.parent.mkdir(parents=True, exist_ok=True)
    _remove_unused(spec, home, snapshot)
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=snapshot.folder.parent))
    try:
        data = draft / "data"
        data.mkdir()
        await _run_build_script(spec, data, draft / "build.log")
        await _log_everybody_in(spec, draft)
        for name in serve_of(spec).databases:
            _fold_journal(data / name)
        os.rename(draft, snapshot.folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _remove_unused(spec: SiteSpec, home: Path, snapshot: Snapshot) -> None:
    used = {record.snapshot for record in list_instances(home, spec.name)}
    for folder in snapshot.folder.parent.iterdir():
        if folder.name not in used:
            shutil.rmtree(folder, ignore_errors=True)


async def _run_build_script(spec: SiteSpec, data: Path, log: Path) -> None:
    serve = serve_of(spec)
    folder = spec.folder / serve.folder
    with log.open("w") as messages:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(folder / serve.build),
            stdin=subprocess.DEVNULL,
            stdout=messages,
            stderr=messages,
            env=site_environment(data),
            cwd=folder,
        )
        try:
            code = await asyncio.wait_for(process.wait(), BUILD_SECONDS)
        except (TimeoutError, asyncio.CancelledError):
            process.kill()
            await process.wait()
            raise
    if code != 0:
        raise SiteError(f"site {spec.name!r} could not be built: {last_lines(log)}")


async def _log_everybody_in(spec: SiteSpec, draft: Path) -> None:
    (draft / "logins").mkdir()
    server = await start_server(spec, draft / "data", draft / "server.log")
    try:
        canonical = next(iter(spec.base_urls.values())).canonical
        origins = Origins(pairs=((canonical, f"http://127.0.0.1:{server.port}"),))
        for role in spec.roles:
            state = await log_in(spec, role, origins)
            file = draft / "logins" / f"{role}.json"
            file.write_text(json.dumps(state), encoding="utf-8")
    finally:
        await server.stop()


def _fold_journal(database: Path) -> None:
    """Bring everything into the one file, so that it can be copied and read as it is.

    The journal mode stays: changing it back at the first request would look like a change of data.
    """
    connection = sqlite3.connect(database)
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()
