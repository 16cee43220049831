"""Says whether a site can be worked with, row by row, and what to do where it cannot.

Mends nothing.
"""

import os
import time
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from synthagent.errors import ConfigError, LoginFailed, ResetFailed, SiteError, SiteUnreachable
from synthagent.records.frozen import Frozen
from synthagent.records.origins import Origins
from synthagent.sites.instance import LocalInstance, SiteInstance, start_instance
from synthagent.sites.login import TIMEOUT, confirm, log_in, new_client
from synthagent.sites.spec import SiteSpec

RESET_SECONDS = 2.0


class HealthRow(Frozen):
    """One thing that was tried."""

    check: str
    """`variables`, `start`, `reachable shop`, `login customer`, `reset`."""
    ok: bool
    detail: str
    """What was found, with the URL; for a failure also the fix."""
    seconds: float


class HealthReport(Frozen):
    """All that was tried with a site, in order."""

    site: str
    rows: tuple[HealthRow, ...]

    @property
    def ok(self) -> bool:
        """Return whether nothing failed."""
        return all(row.ok for row in self.rows)


async def check_site(
    spec: SiteSpec,
    *,
    home: Path,
    instance: SiteInstance | None = None,
    environ: Mapping[str, str] = os.environ,
) -> HealthReport:
    """Return how the site is; a built-in one without `instance` is started for it and stopped.

    Args:
        spec: The site.
        home: Where sites are kept.
        instance: A copy that already runs; left running, and fresh afterwards.
        environ: Holds the variables that an outside site needs.
    """
    rows: list[HealthRow] = []
    own: LocalInstance | None = None

    async def open_site() -> str:
        nonlocal own
        own = await start_instance(spec, home)
        return f"started at {own.record.url}"

    if spec.serve is not None and instance is None:
        rows.append(await _try("start", open_site))
        instance = own
    try:
        if spec.serve is None:
            origins = await _outside(spec, environ, rows)
        else:
            origins = instance.origins if instance else None
        if origins is not None:
            await _check_running(spec, origins, instance, environ, rows)
    finally:
        if own is not None:
            await own.close()
    return HealthReport(site=spec.name, rows=tuple(rows))


async def reach(url: str) -> httpx.Response:
    """Return the answer of a site's page.

    Raises:
        SiteUnreachable: no answer, an error status, or a redirect to another host.
    """
    try:
        async with httpx.AsyncClient(timeout=TIMEOUT, trust_env=False) as client:
            answer = await client.get(url)
            for _ in range(10):
                if answer.next_request is None:
                    break
                _refuse_other_host(url, str(answer.next_request.url))
                answer = await client.send(answer.next_request)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        reason = str(error) or type(error).__name__
        raise SiteUnreachable(
            f"{url} does not answer ({reason}); start the site or correct its base URL"
        ) from error
    if answer.status_code >= HTTPStatus.BAD_REQUEST:
        raise SiteUnreachable(
            f"{answer.url} answered HTTP {answer.status_code} {answer.reason_phrase}; "
            "look into the log of the site"
        )
    if answer.next_request is not None:
        raise SiteUnreachable(f"{url} redirects in a circle; correct the site's own base URL")
    return answer


async def reach_site(spec: SiteSpec, origins: Origins, canonical: str) -> httpx.Response:
    """Return the answer of the health page of a site, at one of its base URLs.

    Raises:
        SiteUnreachable: as `reach` does.
        LoginFailed: it sends everybody to a login form, and the site file has no role.
    """
    url = origins.actual(canonical + spec.health)
    answer = await reach(url)
    if not spec.roles and str(answer.url) != url and 'type="password"' in answer.text.lower():
        raise LoginFailed(
            f"{url} leads to the login form {answer.url}; "
            "add a role with a `login` section to the site file"
        )
    return answer


def _refuse_other_host(url: str, target: str) -> None:
    if urlsplit(url).netloc != urlsplit(target).netloc:
        raise SiteUnreachable(
            f"{url} redirects to another host, {target}; set the site's own base URL "
            f"to {urlsplit(url).scheme}://{urlsplit(url).netloc}, or correct the one in use"
        )


async def _outside(
    spec: SiteSpec, environ: Mapping[str, str], rows: list[HealthRow]
) -> Origins | None:
    origins: Origins | None = None

    async def resolve() -> str:
        nonlocal origins
        origins = spec.outside_origins(environ)
        return ", ".join(origins.actual_origins)

    rows.append(await _try("variables", resolve))
    return origins


async def _check_running(
    spec: SiteSpec,
    origins: Origins,
    instance: SiteInstance | None,
    environ: Mapping[str, str],
    rows: list[HealthRow],
) -> None:
    for alias, base in spec.base_urls.items():
        rows.append(await _try(f"reachable {alias}", _reachable(spec, origins, base.canonical)))
    if not all(row.ok for row in rows):
        return
    for role in spec.roles:
        rows.append(await _try(f"login {role}", _login(spec, role, origins, instance, environ)))
    if instance is not None and instance.can_reset:
        rows.append(await _try("reset", _reset(instance)))


def _reachable(spec: SiteSpec, origins: Origins, canonical: str) -> Callable[[], Awaitable[str]]:
    async def check() -> str:
        answer = await reach_site(spec, origins, canonical)
        return f"{answer.url} answered HTTP {answer.status_code}"

    return check


def _login(
    spec: SiteSpec,
    role: str,
    origins: Origins,
    instance: SiteInstance | None,
    environ: Mapping[str, str],
) -> Callable[[], Awaitable[str]]:
    async def check() -> str:
        state = instance.storage_state(role) if instance is not None else None
        if state is None:
            await log_in(spec, role, origins, environ=environ)
            return f"logged in, {spec.role(role).private_page} is shown"
        async with new_client() as client:
            for cookie in state["cookies"]:
                client.cookies.set(
                    cookie["name"], cookie["value"], cookie["domain"], cookie["path"]
                )
            await confirm(client, spec, role, origins)
        return f"the kept login opens {spec.role(role).private_page}"

    return check


def _reset(instance: SiteInstance) -> Callable[[], Awaitable[str]]:
    async def check() -> str:
        begin = time.monotonic()
        await instance.reset()
        seconds = time.monotonic() - begin
        if seconds > RESET_SECONDS:
            raise ResetFailed(
                f"took {seconds:.1f} s, more than {RESET_SECONDS:.0f} s; is the disk full?"
            )
        return f"took {seconds * 1000:.0f} ms"

    return check


async def _try(check: str, act: Callable[[], Awaitable[str]]) -> HealthRow:
    begin = time.monotonic()
    try:
        ok, detail = True, await act()
    except (TimeoutError, SiteError, ConfigError) as error:
        ok, detail = False, str(error) or type(error).__name__
    return HealthRow(check=check, ok=ok, detail=detail, seconds=round(time.monotonic() - begin, 3))
