"""Serves the small pages on a free port, with the few dynamic answers that they need.

Not responsible for what is tested on them.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

PAGES = Path(__file__).parents[1] / "fixtures" / "pages"
HTML = "text/html; charset=utf-8"
BIG_ROWS = "".join(
    f"<tr><td>{k}</td><td><a href='/item/{k}'>Item {k}</a></td><td><input type=checkbox "
    f"aria-label='Pick {k}'></td><td><span><b>in</b> stock</span></td><td><button>Buy</button></td>"
    "<td><i>new</i></td></tr>"
    for k in range(1000)
)
BIG = f"<!doctype html><title>Big</title><h1>Big</h1><table>{BIG_ROWS}</table>"


class Handler(BaseHTTPRequestHandler):
    """Answers from the folder of pages; `/slow`, `/form` and others by rule."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        path = urlsplit(self.path)
        answers = {
            "/slow": self._slow,
            "/download": self._download,
            "/nothing": lambda: self._send(204),
            "/leaves": lambda: self._send(302, location="http://elsewhere.invalid/y"),
            "/hop": lambda: self._send(302, location="/hop2"),
            "/hop2": lambda: self._send(302, location="/plain.html"),
            "/refresh": lambda: self._page(
                '<meta http-equiv="refresh" content="0;url=/plain.html">Going on'
            ),
            "/big": lambda: self._page(BIG),
            "/broken": lambda: self._send(500, b"broken", HTML),
            "/strict": self._strict,
        }
        if answer := answers.get(path.path):
            answer()
        elif (file := PAGES / path.path.lstrip("/")).is_file():
            self._page(file.read_text(encoding="utf-8"))
        elif path.path.startswith("/app"):
            self._page((PAGES / "routes.html").read_text(encoding="utf-8"))
        else:
            self._send(404, b"<h1>Not found</h1>", HTML)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._send(303, location="/plain.html")

    def _slow(self) -> None:
        wait = int(parse_qs(urlsplit(self.path).query)["ms"][0]) / 1000
        until = time.monotonic() + wait
        while time.monotonic() < until and not self.server.closing:  # type: ignore[attr-defined]
            time.sleep(0.02)
        self._send(200, b"{}", "application/json")

    def _download(self) -> None:
        self._send(200, b"a;b", "text/csv", disposition='attachment; filename="list.csv"')

    def _strict(self) -> None:
        body = (PAGES / "calm.html").read_text(encoding="utf-8")
        self._page(body, policy="default-src 'none'; require-trusted-types-for 'script'")

    def _page(self, body: str, policy: str = "") -> None:
        self._send(200, body.encode(), HTML, policy=policy)

    def _send(
        self,
        status: int,
        body: bytes = b"",
        kind: str = "",
        *,
        location: str = "",
        disposition: str = "",
        policy: str = "",
    ) -> None:
        headers = {
            "Content-Type": kind,
            "Location": location,
            "Content-Disposition": disposition,
            "Content-Security-Policy": policy,
        }
        with suppress(BrokenPipeError, ConnectionResetError):
            self.send_response(status)
            for name, value in headers.items():
                if value:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)


class Server(ThreadingHTTPServer):
    """A server whose slow answers end with it."""

    daemon_threads = True
    closing = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Leave it: browsers hang up in the middle of answers."""


@contextmanager
def serve_pages() -> Iterator[int]:
    """Serve the pages and yield the port."""
    server = Server(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server.server_port
    finally:
        server.closing = True
        server.shutdown()
        thread.join()
        server.server_close()
