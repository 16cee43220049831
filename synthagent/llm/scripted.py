"""A model server without a model: speaks the real protocol, keeps a log, fails on request.

Not for production. `python -m synthagent.llm.scripted --port 0` prints its address; tests and
demonstrations start it in process with `ScriptedServer`.
"""

import argparse
import asyncio
import hashlib
import json
import socket
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TextIO, cast, get_args

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from synthagent.llm import brain
from synthagent.prompting import estimate_tokens

FaultName = Literal["429", "500", "cut", "garbage", "empty", "html"]


@dataclass(frozen=True, slots=True)
class Canned:
    """An HTTP response as it is to be sent."""

    status: int = 200
    body: str = ""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    """Send half of the body, then close the connection."""


Brain = Callable[[dict[str, Any]], "str | Canned"]
"""Answers a request with what the model says, or with a whole response."""


@dataclass(frozen=True, slots=True)
class Script:
    """How the server behaves."""

    brain: Brain = brain.answer
    latency: float = 0.0
    faults: tuple[tuple[FaultName, int], ...] = ()
    """Kind and period: every n-th request fails so."""
    rate: int | None = None
    """Requests that a window of `window` seconds allows."""
    window: float = 60.0
    retry_after: float = 0.05
    """Seconds in the header of an injected 429."""
    model: str = "scripted"


class ScriptedServer:
    """A running server; counts what it was sent."""

    def __init__(self, script: Script, log: Path | None = None) -> None:
        self.url = ""
        self.script = script
        self.requests: list[dict[str, Any]] = []
        """Bodies of all requests, in order of arrival."""
        self.keys: list[str] = []
        """Their idempotency keys."""
        self.outcomes: Counter[str] = Counter()
        """`ok`, `replayed`, `limited`, or the name of a fault."""
        self.busy_seconds = 0.0
        self._log_path = log
        self._log: TextIO | None = None
        self._kept: dict[str, str] = {}
        self._starts: deque[float] = deque()

    @classmethod
    @asynccontextmanager
    async def start(
        cls, script: Script | None = None, *, port: int = 0, log: Path | None = None
    ) -> "AsyncIterator[ScriptedServer]":
        """Serve on 127.0.0.1 in this event loop; port 0 takes a free one."""
        server = cls(script or Script(), log)
        listener = socket.create_server(("127.0.0.1", port))
        server.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        routes = [
            Route("/v1/chat/completions", server._complete, methods=["POST"]),
            Route("/v1/models", server._models),
        ]
        config = uvicorn.Config(
            Starlette(routes=routes), log_level="critical", lifespan="off", ws="none", http="h11",
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        running = _QuietServer(config)
        with server._logging():
            task = asyncio.create_task(running.serve(sockets=[listener]))
            try:
                yield server
            finally:
                running.should_exit = True
                await task
                listener.close()

    @contextmanager
    def _logging(self) -> Iterator[None]:
        if self._log_path is None:
            yield
            return
        self._read_kept(self._log_path)
        with self._log_path.open("a", encoding="utf-8") as self._log:
            yield
        self._log = None

    def _read_kept(self, path: Path) -> None:
        """Know again what was answered before this start, as a server with a database does."""
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                if entry["event"] == "reply" and entry["outcome"] == "ok" and entry["key"]:
                    self._kept[entry["key"]] = entry["said"]

    async def _models(self, _: Request) -> Response:
        entry = {"id": self.script.model, "object": "model", "created": 0, "owned_by": "synthagent"}
        return JSONResponse({"object": "list", "data": [entry]})

    async def _complete(self, request: Request) -> Response:
        body = cast(dict[str, Any], json.loads(await request.body()))
        key = request.headers.get("idempotency-key", "")
        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]
        self.requests.append(body)
        self.keys.append(key)
        number = len(self.requests)
        started = time.monotonic()
        self._write(event="request", number=number, key=key, request_hash=digest)
        outcome, canned = self._refusal(number) or (None, None)
        if canned is None or canned.cut:
            await asyncio.sleep(self.script.latency)
        if canned is None:
            outcome, canned = self._reply(key, body)
        self.busy_seconds += time.monotonic() - started
        self.outcomes[outcome or "ok"] += 1
        said = self._kept.get(key, "") if outcome == "ok" else ""
        self._write(event="reply", number=number, key=key, outcome=outcome, said=said)
        return _response(canned)

    def _refusal(self, number: int) -> tuple[str, Canned] | None:
        now = time.monotonic()
        if self.script.rate is not None:
            while self._starts and self._starts[0] <= now - self.script.window:
                self._starts.popleft()
            if len(self._starts) >= self.script.rate:
                wait = self._starts[0] + self.script.window - now
                return "limited", _limited(wait)
            self._starts.append(now)
        for kind, period in self.script.faults:
            if number % period == 0:
                return kind, _fault(kind, self.script)
        return None

    def _reply(self, key: str, body: dict[str, Any]) -> tuple[str, Canned]:
        outcome = "replayed" if key and key in self._kept else "ok"
        said = self._kept[key] if outcome == "replayed" else self.script.brain(body)
        if isinstance(said, Canned):
            return "ok", said
        if key:
            self._kept[key] = said
        return outcome, Canned(body=json.dumps(completion(said, body, self.script.model)))

    def _write(self, **entry: Any) -> None:
        if self._log is not None:
            self._log.write(json.dumps({"time": round(time.time(), 3), **entry}) + "\n")
            self._log.flush()


class _QuietServer(uvicorn.Server):
    """Leaves the signals to the program that it runs in."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def completion(said: str, request: Mapping[str, Any], model: str) -> dict[str, Any]:
    """Return the response body of a model that says `said`, metered by our estimate."""
    prompt = estimate_tokens(json.dumps(request.get("messages", ()), ensure_ascii=False))
    tokens = estimate_tokens(said)
    usage = {"prompt_tokens": prompt, "completion_tokens": tokens, "total_tokens": prompt + tokens}
    message = {"role": "assistant", "content": said}
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": usage,
    }


def _limited(wait: float) -> Canned:
    body = json.dumps({"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}})
    return Canned(429, body, headers={"retry-after": f"{wait:.3f}"})


def _fault(kind: FaultName, script: Script) -> Canned:
    whole = json.dumps(completion('{"half": true}', {}, script.model))
    return {
        "429": _limited(script.retry_after),
        "500": Canned(500, json.dumps({"error": {"message": "the worker was lost"}})),
        "cut": Canned(200, whole, cut=True),
        "garbage": Canned(200, whole[: len(whole) // 2]),
        "empty": Canned(200, json.dumps({"choices": [], "usage": None})),
        "html": Canned(502, "<html><h1>502 Bad Gateway</h1></html>", "text/html"),
    }[kind]


def _response(canned: Canned) -> Response:
    data = canned.body.encode("utf-8", errors="surrogatepass")
    headers = dict(canned.headers)
    if not canned.cut:
        return Response(data, canned.status, headers, media_type=canned.content_type)
    headers["content-length"] = str(len(data))

    async def half() -> AsyncIterator[bytes]:
        # Less than was announced: the server has to close the connection.
        yield data[: len(data) // 2]

    return StreamingResponse(half(), canned.status, headers, media_type=canned.content_type)


def play(responses: Sequence["str | Canned"]) -> Brain:
    """Return a brain that gives `responses` in order, the last one again and again."""
    left = list(responses)

    def give(_: dict[str, Any]) -> "str | Canned":
        return left.pop(0) if len(left) > 1 else left[0]

    return give


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m synthagent.llm.scripted")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, help="JSONL file of all requests and replies")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before a reply")
    parser.add_argument("--rate", type=int, help="requests a minute")
    parser.add_argument(
        "--fault", action="append", default=[], metavar="KIND:N",
        help=f"every N-th request fails; kinds: {', '.join(get_args(FaultName))}",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    try:
        pairs = [fault.split(":") for fault in options.fault]
        faults = tuple((cast(FaultName, kind), int(period)) for kind, period in pairs)
        if any(kind not in get_args(FaultName) or period < 1 for kind, period in faults):
            raise ValueError(faults)
    except ValueError:
        parser.error(f"--fault: write it as 429:10, not {options.fault}")
    script = Script(latency=options.latency, rate=options.rate, faults=faults)
    try:
        asyncio.run(_serve(script, options.port, options.log))
    except KeyboardInterrupt:
        return


async def _serve(script: Script, port: int, log: Path | None) -> None:
    async with ScriptedServer.start(script, port=port, log=log) as server:
        print(server.url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    main()
