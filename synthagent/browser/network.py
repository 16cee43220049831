"""Decides which requests a session may send, and records those that an action causes.

Not responsible for waiting for them; see `settle.py`.
"""

import json
import re
from collections.abc import Iterator
from email.parser import BytesParser
from email.policy import HTTP
from urllib.parse import parse_qsl, urlsplit

from playwright.async_api import BrowserContext, ProxySettings, Route, WebSocketRoute
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Request as SentRequest

from synthagent.browser.deadlines import is_dead
from synthagent.browser.masking import Masker
from synthagent.browser.record import Recorder
from synthagent.records import Origins, Request

HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})
UNRECORDED = frozenset({"ping", "cspviolationreport"})
FIELD_MAX = 500
FIELDS_MAX = 60


DEAD_PROXY = "http://127.0.0.1:9"
"""The discard port, which nothing answers."""


def fence(origins: Origins) -> ProxySettings:
    """Return the proxy settings that let a context reach its site and nothing else.

    Routes are not asked about redirects and preconnects; whatever gets past them ends here.
    """
    hosts = sorted({urlsplit(origin).netloc for origin in origins.actual_origins})
    # Rules count from the last to the first: loopback is fenced in too, then the site let out.
    return {"server": DEAD_PROXY, "bypass": ",".join(["<-loopback>", *hosts])}


class Network:
    """The network policy of one session."""

    def __init__(self, origins: Origins, masker: Masker, *, read_only: bool) -> None:
        self._origins = origins
        self._masker = masker
        self._read_only = read_only
        self.recorder: Recorder | None = None

    async def guard(self, context: BrowserContext) -> None:
        """Stop what is not allowed in `context`, before it leaves the browser."""
        foreign = re.compile(self._foreign_pattern())
        await context.route(foreign, self._refuse)
        await context.route_web_socket(foreign, _close_socket)
        if self._read_only:
            await context.route(re.compile(self._own_pattern()), self._read_only_route)

    def allows(self, url: str) -> bool:
        """Return whether a page of the session may show the actual address `url`."""
        scheme = urlsplit(url).scheme
        return scheme in {"about", "data", "blob", "chrome-error"} or self._origins.owns(url)

    def note(self, request: SentRequest) -> None:
        """Record `request`, if it may change the site or is one that is stopped."""
        if self.recorder is None or request.resource_type in UNRECORDED:
            return
        changes = request.method not in HARMLESS
        if self.allows(request.url) and not (self._read_only and changes):
            if changes:
                self.recorder.sent.append(request)
            return
        said = self.describe(request)
        self.recorder.blocked.append(said)
        is_page = request.is_navigation_request() and request.frame.parent_frame is None
        if is_page or changes:
            self.recorder.refused_wanted = said

    def describe(self, request: SentRequest) -> str:
        """Return `METHOD address` with canonical origin and without query and secrets."""
        url = self._origins.canonical(request.url).partition("?")[0]
        return self._masker.text(f"{request.method} {url}")

    def record(self, request: SentRequest, status: int | None) -> Request:
        """Return `request` as it is kept: canonical address, fields without secrets."""
        return Request(
            method=request.method,
            url=self._masker.text(self._origins.canonical(request.url)),
            fields=tuple(
                (name, self._masker.form_field(name, value)[:FIELD_MAX])
                for name, value in read_fields(request)
            )[:FIELDS_MAX],
            status=status,
        )

    def _foreign_pattern(self) -> str:
        """Match all foreign addresses; the driver tests it, so that the site is not delayed."""
        return rf"^(?!(?:{self._origin_choice()})(?:[/?#]|$))(?:https?|wss?|ftp):"

    def _own_pattern(self) -> str:
        return rf"^(?:{self._origin_choice()})(?:[/?#]|$)"

    def _origin_choice(self) -> str:
        origins = [*self._origins.actual_origins]
        origins += [re.sub("^http", "ws", origin) for origin in origins]
        return "|".join(re.escape(origin).replace("/", r"\/") for origin in origins)

    async def _refuse(self, route: Route) -> None:
        request = route.request
        try:
            if request.is_navigation_request():
                # An empty answer keeps the page that is shown; an abort would show an error page.
                await route.fulfill(status=204, body="")
            else:
                await route.abort("blockedbyclient")
        except PlaywrightError as error:
            if not is_dead(error):
                raise

    async def _read_only_route(self, route: Route) -> None:
        if route.request.method not in HARMLESS:
            await self._refuse(route)
            return
        try:
            await route.continue_()
        except PlaywrightError as error:
            if not is_dead(error):
                raise


def _close_socket(socket: WebSocketRoute) -> None:
    # Routed and never connected: the page believes in a socket that stays silent.
    del socket


def read_fields(request: SentRequest) -> Iterator[tuple[str, str]]:
    """Yield the form fields, or the flat members of a JSON object, that `request` sends."""
    body = request.post_data_buffer
    if not body:
        return
    kind = request.headers.get("content-type", "")
    if "multipart/form-data" in kind:
        yield from _multipart(body, kind)
        return
    text = body.decode("utf-8", "replace")
    if "json" in kind or text[:1] in "{[":
        yield from _json_members(text)
    elif "urlencoded" in kind:
        yield from parse_qsl(text, keep_blank_values=True)


def _multipart(body: bytes, kind: str) -> Iterator[tuple[str, str]]:
    message = BytesParser(policy=HTTP).parsebytes(f"Content-Type: {kind}\r\n\r\n".encode() + body)
    for part in message.iter_parts() if message.is_multipart() else ():
        name = part.get_param("name", header="content-disposition")
        if isinstance(name, str):
            content = part.get_payload(decode=True)
            text = content.decode("utf-8", "replace") if isinstance(content, bytes) else ""
            yield name, part.get_filename() or text


def _json_members(text: str) -> Iterator[tuple[str, str]]:
    try:
        value = json.loads(text)
    except ValueError:
        return
    if isinstance(value, dict):
        for name, member in value.items():
            plain = member if isinstance(member, str) else json.dumps(member, ensure_ascii=False)
            yield str(name), plain
