"""Copies of built-in sites that outlive a command: listed, started, stopped and reset.

What a copy is and how it is reset is in `sites/`.
"""

import time
from pathlib import Path

from synthagent.errors import ConfigError, ResetFailed
from synthagent.records import Frozen
from synthagent.sites import known_sites, load_site
from synthagent.sites.instance import open_instance, start_instance, stop_instance
from synthagent.sites.registry import InstanceRecord, list_instances


class Copy(Frozen):
    """A running copy."""

    id: str
    url: str


class Copies(Frozen):
    """Running copies, or those that were just stopped."""

    copies: tuple[Copy, ...]


class SiteRow(Frozen):
    """A known site."""

    name: str
    title: str
    is_built_in: bool
    missing: tuple[str, ...]
    """Environment variables that an outside site still needs."""
    copies: tuple[Copy, ...]


class SiteListing(Frozen):
    """All known sites."""

    sites: tuple[SiteRow, ...]


class Reset(Frozen):
    """A copy that was reset."""

    id: str
    seconds: float


class Resets(Frozen):
    """Copies that were reset."""

    resets: tuple[Reset, ...]


def list_environments(home: Path) -> SiteListing:
    """Return the known sites and their running copies."""
    rows = []
    for name in known_sites():
        spec = load_site(name)
        rows.append(
            SiteRow(
                name=name,
                title=spec.title,
                is_built_in=spec.serve is not None,
                missing=tuple(" or ".join(item.names) for item in spec.missing()),
                copies=tuple(_copy(record) for record in list_instances(home, name)),
            )
        )
    return SiteListing(sites=tuple(rows))


async def start_copies(site: str, count: int, *, home: Path, port: int = 0) -> Copies:
    """Start `count` copies that run until they are stopped, on `port` and those after it.

    Raises:
        SiteError: one cannot be started; those before it run.
    """
    spec = load_site(site)
    if spec.serve is None:
        raise ConfigError(f"site {site!r} is run by somebody else; nothing to start here")
    copies = []
    for number in range(count):
        instance = await start_instance(spec, home, port=port and port + number, detach=True)
        copies.append(_copy(instance.record))
        await instance.close()
    return Copies(copies=tuple(copies))


def stop_copies(which: str, *, home: Path) -> Copies:
    """Stop the copies of a site, or one copy, and remove their data."""
    records = _find(which, home)
    for record in records:
        stop_instance(record)
    return Copies(copies=tuple(_copy(record) for record in records))


async def reset_copies(which: str, *, home: Path) -> Resets:
    """Bring running copies back to their seeded state.

    Raises:
        ResetFailed: one is in use, or stays busy.
    """
    resets = []
    for record in _find(which, home):
        instance = await open_instance(load_site(record.site), home, record)
        if instance is None:
            raise ResetFailed(
                f"{record.id} is in use by a run, or of an older build of the site; "
                f"wait for the run, or `synthagent env stop {record.id}` and start it anew"
            )
        try:
            begin = time.monotonic()
            await instance.reset()
            resets.append(Reset(id=record.id, seconds=round(time.monotonic() - begin, 3)))
        finally:
            await instance.close()
    return Resets(resets=tuple(resets))


def _find(which: str, home: Path) -> tuple[InstanceRecord, ...]:
    """Return the copies meant by the name of a site or of one copy."""
    running = list_instances(home)
    one = tuple(record for record in running if record.id == which)
    if one:
        return one
    if which not in known_sites():
        names = [*known_sites(), *(record.id for record in running)]
        raise ConfigError(f"unknown site or copy {which!r}; known: {', '.join(names)}")
    return tuple(record for record in running if record.site == which)


def _copy(record: InstanceRecord) -> Copy:
    return Copy(id=record.id, url=record.url)
