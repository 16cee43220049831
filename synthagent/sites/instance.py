"""One site to work with: a copy of our own that can be reset, or an outside site as it is.

`pool.py` decides who gets which.
"""

import asyncio
import os
import time
from collections.abc import Mapping
from pathlib import Path

import httpx
import psutil

from synthagent.errors import ResetFailed, SiteUnreachable
from synthagent.records.origins import Origins
from synthagent.sites.login import StorageState
from synthagent.sites.registry import (
    InstanceRecord,
    Lock,
    create_folder,
    lock_instance,
    remove_folder,
    save_record,
)
from synthagent.sites.reset import DataFolder
from synthagent.sites.serve import Server, end_process, serve_of, start_server
from synthagent.sites.snapshot import Snapshot, ensure_snapshot
from synthagent.sites.spec import SiteSpec
from synthagent.sites.wsgi_server import IDLE_PATH

IDLE_SECONDS = 30.0


class SiteInstance:
    """A site at an address, with the cookies of its roles. An outside site cannot be reset."""

    can_reset = False

    def __init__(
        self, spec: SiteSpec, origins: Origins, states: Mapping[str, StorageState]
    ) -> None:
        self.spec = spec
        self.origins = origins
        self._states = states

    def storage_state(self, role: str) -> StorageState | None:
        """Return the cookies that a browser context of `role` begins with; None for anonymous."""
        return self._states.get(role)

    @property
    def is_dirty(self) -> bool:
        """Return whether somebody may have changed the site since it was fresh."""
        return False

    def mark_dirty(self) -> None:
        """Ask for a reset before the next use, whatever the data says."""

    async def reset(self) -> None:
        """Bring the site back to its seeded state.

        Raises:
            ResetFailed: it cannot be done.
        """
        raise ResetFailed(f"site {self.spec.name!r} is run by somebody else and cannot be reset")

    async def close(self) -> None:
        """Give back what the instance holds."""


class LocalInstance(SiteInstance):
    """A running copy of a built-in site, locked for this process."""

    can_reset = True

    def __init__(
        self,
        spec: SiteSpec,
        snapshot: Snapshot,
        record: InstanceRecord,
        server: Server | None,
        lock: Lock,
    ) -> None:
        canonical = next(iter(spec.base_urls.values())).canonical
        states = {role: snapshot.storage_state(role) for role in spec.roles}
        super().__init__(
            spec,
            Origins(pairs=((canonical, record.url),)),
            {role: state for role, state in states.items() if state is not None},
        )
        self.record = record
        self._server = server
        self._lock = lock
        self._data = _data_of(spec, snapshot, Path(record.folder))
        self._is_marked = server is None
        """A copy that ran before us may have been changed by anybody."""
        self._data.watch()

    @property
    def is_dirty(self) -> bool:
        """Return whether it was marked, or any of its data was written since the last reset."""
        return self._is_marked or self._data.has_changed

    def mark_dirty(self) -> None:
        """Ask for a reset before the next use, whatever the data says."""
        self._is_marked = True

    async def reset(self) -> None:
        """Bring the data back to the snapshot; logins stay valid. Takes some 50 ms.

        Raises:
            ResetFailed: the site stays busy, or its files cannot be written.
        """
        await wait_until_idle(self.record)
        await asyncio.to_thread(self._data.restore)
        self._is_marked = False

    async def close(self) -> None:
        """Stop the server if this process started it, and let go of the folder."""
        self._data.close()
        if self._server is not None:
            await self._server.stop()
            await asyncio.to_thread(remove_folder, Path(self.record.folder))
        self._lock.release()


async def start_instance(
    spec: SiteSpec, home: Path, *, port: int = 0, detach: bool = False
) -> LocalInstance:
    """Return a new copy of a built-in site, running; builds the snapshot when there is none.

    Args:
        spec: A site with a `serve` section.
        home: Where sites are kept.
        port: 0 for any free one.
        detach: Keep it running after this process; `stop_instance` ends it.

    Raises:
        SiteError: it cannot be built or started.
    """
    snapshot = await ensure_snapshot(spec, home)
    folder, lock = await asyncio.to_thread(create_folder, home, spec.name)
    try:
        data = _data_of(spec, snapshot, folder)
        await asyncio.to_thread(data.create)
        server = await start_server(
            spec, data.live, folder / "server.log", port=port, detach=detach
        )
    except BaseException:
        remove_folder(folder)
        lock.release()
        raise
    record = InstanceRecord(
        id=folder.name,
        site=spec.name,
        folder=str(folder.resolve()),
        port=server.port,
        pid=server.pid,
        started=psutil.Process(server.pid).create_time(),
        snapshot=snapshot.key,
        detached=detach,
    )
    save_record(record)
    return LocalInstance(spec, snapshot, record, None if detach else server, lock)


async def open_instance(spec: SiteSpec, home: Path, record: InstanceRecord) -> LocalInstance | None:
    """Return a detached copy that runs, or None when it is in use or of another snapshot."""
    snapshot = await ensure_snapshot(spec, home)
    if not record.detached or record.snapshot != snapshot.key:
        return None
    lock = lock_instance(record)
    if lock is None:
        return None
    return LocalInstance(spec, snapshot, record, None, lock)


def stop_instance(record: InstanceRecord) -> None:
    """End a running copy, detached or not, and remove its folder."""
    end_process(record.pid)
    remove_folder(Path(record.folder))


async def wait_until_idle(record: InstanceRecord) -> float:
    """Return after how many seconds the copy had no request at work.

    Raises:
        ResetFailed: it stays busy.
        SiteUnreachable: it does not answer.
    """
    begin = time.monotonic()
    async with httpx.AsyncClient(timeout=IDLE_SECONDS, trust_env=False) as client:
        try:
            answer = await client.get(record.url + IDLE_PATH)
        except httpx.HTTPError as error:
            log = os.path.join(record.folder, "server.log")
            raise SiteUnreachable(f"{record.id} at {record.url} is gone; see {log}") from error
    if answer.status_code != httpx.codes.NO_CONTENT:
        raise ResetFailed(f"{record.id} at {record.url} stays busy; stop and start it")
    return time.monotonic() - begin


def _data_of(spec: SiteSpec, snapshot: Snapshot, folder: Path) -> DataFolder:
    serve = serve_of(spec)
    return DataFolder(folder / "data", snapshot.data, serve.databases, serve.trees)
