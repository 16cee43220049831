"""Hands out sites to work with: N copies of a built-in site, or the one outside site.

Does not know what is done with them.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from synthagent.errors import SiteUnreachable
from synthagent.records.origins import Origins
from synthagent.sites.health import reach_site
from synthagent.sites.instance import SiteInstance, open_instance, start_instance
from synthagent.sites.login import StorageState, is_logged_in, log_in
from synthagent.sites.registry import list_instances, site_home, wait_for_lock
from synthagent.sites.spec import SiteSpec


class SitePool:
    """Sites for `size` workers at once; use it as an async context manager.

    Copies that `env start` left running are used first, the rest is started and stopped here. An
    outside site is shared: by one worker, or by all when it is read-only.
    """

    def __init__(self, spec: SiteSpec, size: int, home: Path) -> None:
        self.spec = spec
        self.home = home
        self.size = size if spec.serve is not None or spec.read_only else 1
        self._all: list[SiteInstance] = []
        self._idle: asyncio.LifoQueue[SiteInstance] = asyncio.LifoQueue()

    async def __aenter__(self) -> Self:
        try:
            if self.spec.serve is None:
                await self._open_outside()
            else:
                await self._open_running()
                async with asyncio.TaskGroup() as group:
                    for _ in range(self.size - len(self._all)):
                        group.create_task(self._start())
        except BaseException as error:
            await self._close()
            if isinstance(error, BaseExceptionGroup):
                raise error.exceptions[0] from error
            raise
        for instance in reversed(self._all):
            self._idle.put_nowait(instance)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._close()

    @property
    def instances(self) -> tuple[SiteInstance, ...]:
        """Return all of them, idle or not."""
        return tuple(self._all)

    @asynccontextmanager
    async def lease(self, *, fresh: bool = True) -> AsyncIterator[SiteInstance]:
        """Hand out an idle instance, waiting for one if need be.

        Args:
            fresh: Reset it first if anything was changed; an outside site comes as it is.

        Raises:
            SiteError: it is gone and could not be replaced, or the reset failed.
        """
        instance = await self._idle.get()
        try:
            if fresh and instance.can_reset and instance.is_dirty:
                instance = await self._freshen(instance)
            yield instance
        finally:
            self._idle.put_nowait(instance)

    async def _freshen(self, instance: SiteInstance) -> SiteInstance:
        """Reset the instance; one that has died is replaced."""
        try:
            await instance.reset()
        except SiteUnreachable:
            replacement = await start_instance(self.spec, self.home)
            self._all[self._all.index(instance)] = replacement
            await instance.close()
            return replacement
        return instance

    async def _open_running(self) -> None:
        for record in list_instances(self.home, self.spec.name):
            if len(self._all) < self.size:
                instance = await open_instance(self.spec, self.home, record)
                if instance is not None:
                    self._all.append(instance)

    async def _start(self) -> None:
        self._all.append(await start_instance(self.spec, self.home))

    async def _open_outside(self) -> None:
        origins = self.spec.outside_origins()
        for base in self.spec.base_urls.values():
            await reach_site(self.spec, origins, base.canonical)
        states = {
            role: await renew_login(self.spec, role, origins, self.home) for role in self.spec.roles
        }
        self._all += [SiteInstance(self.spec, origins, states) for _ in range(self.size)]

    async def _close(self) -> None:
        instances, self._all = self._all, []
        await asyncio.gather(*(instance.close() for instance in instances))


async def renew_login(spec: SiteSpec, role: str, origins: Origins, home: Path) -> StorageState:
    """Return cookies of `role` on an outside site: those kept if still good, else new ones.

    Raises:
        LoginFailed: the login does not work.
    """
    folder = site_home(home, spec.name) / "logins"
    lock = await wait_for_lock(folder / f"{role}.lock")
    try:
        file = folder / f"{role}.json"
        if file.exists():
            kept: StorageState = json.loads(file.read_text(encoding="utf-8"))
            if kept["pairs"] == [list(pair) for pair in origins.pairs] and await is_logged_in(
                spec, role, origins, kept["state"]
            ):
                state: StorageState = kept["state"]
                return state
        state = await log_in(spec, role, origins)
        file.touch(mode=0o600)
        file.write_text(json.dumps({"pairs": origins.pairs, "state": state}), encoding="utf-8")
        return state
    finally:
        lock.release()
