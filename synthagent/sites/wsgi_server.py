"""Serves one WSGI application on a free loopback port; runs as a script of its own.

Knows nothing of synthagent and must not import it: a site starts in a second because of that.
Prints `ready <port> <pid>` once it listens. It ends when its stdin closes, so that no server
outlives the program that started it, whatever way that program ended; `--detach` forks instead.
"""

import argparse
import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

IDLE_PATH = "/-/idle"
"""Answers once no other request is at work; a reset must not race with a late writer."""
IDLE_SECONDS = 20.0

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class CountRequests:
    """Passes requests on and knows how many are at work."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._active = 0
        self._changed = threading.Condition()

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Answer a request, or wait for the others when it asks whether the site is idle."""
        if environ["PATH_INFO"] == IDLE_PATH:
            with self._changed:
                idle = self._changed.wait_for(lambda: self._active == 0, IDLE_SECONDS)
            start_response("204 No Content" if idle else "503 Service Unavailable", [])
            return []
        with self._changed:
            self._active += 1
        try:
            return self._application(environ, start_response)
        finally:
            with self._changed:
                self._active -= 1
                self._changed.notify_all()


def main() -> None:
    """Serve until told otherwise."""
    options = _parse()
    if options.detach and os.fork():
        os._exit(0)
    from waitress.server import create_server

    sys.path.insert(0, options.folder)
    module, _, name = options.application.partition(":")
    application = getattr(importlib.import_module(module), name or "application")
    server = create_server(
        CountRequests(application),
        host="127.0.0.1",
        port=options.port,
        threads=options.threads,
        ident=None,
    )
    print(f"ready {server.effective_port} {os.getpid()}", flush=True)
    if options.detach:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDWR), sys.stdout.fileno())
    else:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    server.run()


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="where the application's modules lie")
    parser.add_argument("application", help="module:name")
    parser.add_argument("--port", type=int, default=0, help="0 for any free one")
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--detach", action="store_true", help="outlive the caller")
    return parser.parse_args()


def _end_with_stdin() -> None:
    while os.read(0, 1024):
        continue
    os._exit(0)


if __name__ == "__main__":
    main()
