"""Logs a role in through the site's own form and proves it with a private page.

Speaks plain HTTP: the recipe in `site.yaml` names the inputs, hidden fields are sent as they come.
"""

import asyncio
from collections.abc import Mapping
from http.cookiejar import Cookie
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx
import lxml.html

from synthagent.errors import LoginFailed, SiteUnreachable
from synthagent.records.origins import Origins
from synthagent.sites.spec import SiteSpec

TIMEOUT = httpx.Timeout(60.0, connect=10.0)
StorageState = dict[str, Any]
"""Cookies in the form that a browser context takes: `{"cookies": […], "origins": []}`."""


async def log_in(spec: SiteSpec, role: str, origins: Origins, **options: Any) -> StorageState:
    """Return the cookies of `role` after a login that its private page confirms.

    Args:
        spec: The site.
        role: One of its roles.
        origins: Where it runs.
        options: Passed on to `SiteSpec.credentials`, as `environ`.

    Raises:
        LoginFailed: no form, wrong password, or the private page leads back to the form.
        SiteUnreachable: the site does not answer.
    """
    recipe = spec.role(role).login
    url = origins.actual(spec.canonical_url(recipe.url, role))
    credentials = spec.credentials(role, **options)
    async with new_client() as client:
        page = await fetch(client, url)
        form = _find_form(page, recipe.fields)
        if form is None:
            names = ", ".join(recipe.fields)
            raise LoginFailed(
                f"no form with the inputs {names} at {url} (HTTP {page.status_code}); "
                f"mend roles.{role}.login in the site file"
            )
        data = _fill(form, recipe.fields, credentials, recipe.submit)
        action = urljoin(str(page.url), form.get("action") or str(page.url))
        await fetch(client, action, data=data, referer=str(page.url))
        await confirm(client, spec, role, origins)
        return {"cookies": [_cookie(cookie) for cookie in client.cookies.jar], "origins": []}


async def is_logged_in(spec: SiteSpec, role: str, origins: Origins, state: StorageState) -> bool:
    """Return whether the cookies of `state` still open the private page of `role`."""
    async with new_client() as client:
        for cookie in state["cookies"]:
            client.cookies.set(cookie["name"], cookie["value"], cookie["domain"], cookie["path"])
        try:
            await confirm(client, spec, role, origins)
        except LoginFailed:
            return False
        return True


async def confirm(client: httpx.AsyncClient, spec: SiteSpec, role: str, origins: Origins) -> None:
    """Raise LoginFailed unless `client` gets to see the private page of `role`."""
    wanted = spec.role(role)
    url = origins.actual(spec.canonical_url(wanted.private_page, role))
    page = await fetch(client, url)
    at, login = urlsplit(str(page.url)).path, wanted.login.url
    fix = f"check roles.{role}.credentials in the site file and the account on the site"
    if at.rstrip("/") == login.split("?")[0].rstrip("/") or _asks_password(
        page, wanted.login.fields
    ):
        raise LoginFailed(
            f"role {role!r} of site {spec.name!r} is not logged in: {url} led to {page.url}; {fix}"
        )
    if page.status_code >= 400:
        raise LoginFailed(
            f"role {role!r} of site {spec.name!r} may not see its private page: {url} answered "
            f"HTTP {page.status_code}; {fix}"
        )
    if wanted.private_text is not None and wanted.private_text not in page.text:
        raise LoginFailed(
            f"role {role!r} of site {spec.name!r}: {url} does not show "
            f"{wanted.private_text!r}; {fix}"
        )


def new_client() -> httpx.AsyncClient:
    """Return a client that follows redirects and ignores proxies."""
    return httpx.AsyncClient(follow_redirects=True, timeout=TIMEOUT, trust_env=False)


async def fetch(
    client: httpx.AsyncClient,
    url: str,
    *,
    data: Mapping[str, str] | None = None,
    referer: str | None = None,
) -> httpx.Response:
    """Return the answer to a GET, or to a POST of `data`; SiteUnreachable when there is none."""
    headers = {"referer": referer} if referer else {}
    try:
        if data is None:
            return await client.get(url, headers=headers)
        return await client.post(url, data=dict(data), headers=headers)
    except (httpx.HTTPError, asyncio.IncompleteReadError) as error:
        reason = str(error) or type(error).__name__
        raise SiteUnreachable(f"{url} does not answer: {reason}; is the site running?") from error


def _find_form(page: httpx.Response, fields: Mapping[str, str]) -> Any:
    for form in _forms(page):
        if set(fields) <= set(form.fields.keys()):
            return form
    return None


def _asks_password(page: httpx.Response, fields: Mapping[str, str]) -> bool:
    return _find_form(page, fields) is not None


def _forms(page: httpx.Response) -> list[Any]:
    if "html" not in page.headers.get("content-type", "") or not page.content.strip():
        return []
    return list(lxml.html.fromstring(page.content, base_url=str(page.url)).forms)


def _fill(
    form: Any, fields: Mapping[str, str], credentials: Mapping[str, str], submit: str | None
) -> dict[str, str]:
    data = dict(form.form_values())
    for name, text in fields.items():
        for key, value in credentials.items():
            text = text.replace("{{" + key + "}}", value)
        data[name] = text
    if submit is not None:
        buttons = form.xpath(".//*[@name=$name]", name=submit)
        data[submit] = buttons[0].get("value", "") if buttons else ""
    return data


def _cookie(cookie: Cookie) -> dict[str, Any]:
    same_site = cookie.get_nonstandard_attr("SameSite") or "Lax"
    return {
        "name": cookie.name,
        "value": cookie.value or "",
        "domain": "localhost" if cookie.domain == "localhost.local" else cookie.domain,
        "path": cookie.path,
        "expires": float(cookie.expires) if cookie.expires else -1.0,
        "httpOnly": cookie.has_nonstandard_attr("HttpOnly"),
        "secure": bool(cookie.secure),
        "sameSite": same_site.capitalize(),
    }
