"""Listens to the requests of a session: what is still under way, what may have changed the site.

Not responsible for stopping requests to other hosts; the session's dead proxy does that.
"""

import json
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from urllib.parse import parse_qsl

from playwright.async_api import BrowserContext, Response
from playwright.async_api import Request as PlaywrightRequest

from synthagent.browser.masking import Masker
from synthagent.records import Request
from synthagent.records.origins import Origins

HARMLESS_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
AWAITED_KINDS = frozenset({"document", "script", "stylesheet", "xhr", "fetch"})
STALE_SECONDS = 2.0
MAX_FIELD = 2000
NO_CONTENT = 204


@dataclass(slots=True)
class _Sent:
    request: PlaywrightRequest
    status: int | None = None


@dataclass
class Traffic:
    """The requests of one context since the last `mark`."""

    origins: Origins
    masker: Masker
    document_status: int | None = None
    document_started: bool = False
    blocked: list[str] = field(default_factory=list)
    _sent: list[_Sent] = field(default_factory=list)
    _open: dict[PlaywrightRequest, float] = field(default_factory=dict)
    _started: int = 0

    def listen(self, context: BrowserContext) -> None:
        """Begin to listen to all pages of `context`."""
        context.on("request", self._on_request)
        context.on("response", self._on_response)
        context.on("requestfinished", self._on_end)
        context.on("requestfailed", self._on_failed)

    def mark(self) -> None:
        """Forget what was sent before; an action begins."""
        self.document_status = None
        self.document_started = False
        self.blocked.clear()
        self._sent.clear()
        self._started = 0

    @property
    def has_started(self) -> bool:
        """Return whether anything was asked for since the mark."""
        return self._started > 0

    def is_busy(self) -> bool:
        """Return whether something that the page waits for is under way; not a long poll."""
        now = time.monotonic()
        return any(
            now - since < STALE_SECONDS or request.resource_type == "document"
            for request, since in self._open.items()
        )

    def requests(self) -> tuple[Request, ...]:
        """Return what was sent since the mark with any method but GET, secrets masked."""
        return tuple(
            Request(
                method=sent.request.method,
                url=self.masker.text(self.origins.canonical(sent.request.url)),
                fields=tuple(self._fields(sent.request)),
                status=sent.status,
            )
            for sent in self._sent
        )

    def _on_request(self, request: PlaywrightRequest) -> None:
        if request.resource_type in AWAITED_KINDS:
            self._started += 1
            self._open[request] = time.monotonic()
        if request.is_navigation_request() and request.frame.parent_frame is None:
            self.document_started = True
        if request.method not in HARMLESS_METHODS and self.origins.owns(request.url):
            self._sent.append(_Sent(request))

    def _on_response(self, response: Response) -> None:
        request = response.request
        for sent in self._sent:
            if sent.request is request:
                sent.status = response.status
        if request.is_navigation_request() and request.frame.parent_frame is None:
            self.document_status = response.status
            if response.status == NO_CONTENT:
                self._open.pop(request, None)

    def _on_end(self, request: PlaywrightRequest) -> None:
        self._open.pop(request, None)

    def _on_failed(self, request: PlaywrightRequest) -> None:
        self._open.pop(request, None)
        if request.url.startswith(("http", "ws")) and not self.origins.owns(request.url):
            said = f"{request.method} {request.url.partition('?')[0]}"
            if said not in self.blocked:
                self.blocked.append(said)

    def _fields(self, request: PlaywrightRequest) -> Iterable[tuple[str, str]]:
        body = request.post_data_buffer or b""
        kind = request.headers.get("content-type", "")
        for name, value in _parse(body, kind):
            yield name, self.masker.form_field(name, value)[:MAX_FIELD]


def _parse(body: bytes, kind: str) -> list[tuple[str, str]]:
    """Return the fields of a form or of a flat JSON object; nothing for other bodies."""
    if kind.startswith("application/x-www-form-urlencoded"):
        return parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)
    if kind.startswith("multipart/form-data"):
        return _parse_multipart(body, kind)
    if "json" in kind:
        return _parse_json(body)
    return []


def _parse_multipart(body: bytes, kind: str) -> list[tuple[str, str]]:
    head = f"Content-Type: {kind}\r\n\r\n".encode()
    message = BytesParser(policy=HTTP).parsebytes(head + body)
    fields = []
    for part in message.iter_parts() if message.is_multipart() else ():
        match = re.search(r'name="([^"]*)"', str(part.get("Content-Disposition", "")))
        payload = part.get_payload(decode=True)
        if match and not part.get_filename() and isinstance(payload, bytes):
            fields.append((match[1], payload.decode("utf-8", "replace").rstrip("\r\n")))
    return fields


def _parse_json(body: bytes) -> list[tuple[str, str]]:
    try:
        value = json.loads(body)
    except ValueError:
        return []
    members = value.items() if isinstance(value, dict) else ()
    return [(name, one if isinstance(one, str) else json.dumps(one)) for name, one in members]
