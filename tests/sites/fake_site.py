"""A tiny real web server for tests of what a site may answer; not a stand-in for the shop."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple


class Asked(NamedTuple):
    """One request."""

    method: str
    path: str
    cookie: str
    body: str


class Reply(NamedTuple):
    """What to answer."""

    status: int = 200
    body: str = "<h1>Hello</h1>"
    headers: tuple[tuple[str, str], ...] = ()


def redirect(target: str) -> Reply:
    return Reply(302, "", (("Location", target),))


@asynccontextmanager
async def fake_site(answer: Callable[[Asked], Reply]) -> AsyncIterator[str]:
    """Serve `answer` on a free loopback port; the value is the origin."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = head.split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        method, path, _ = lines[0].split(" ")
        reply = answer(Asked(method, path, headers.get("cookie", ""), body.decode()))
        data = reply.body.encode()
        fields = "".join(f"{name}: {value}\r\n" for name, value in reply.headers)
        writer.write(
            f"HTTP/1.1 {reply.status} Whatever\r\nContent-Type: text/html\r\n{fields}"
            f"Content-Length: {len(data)}\r\nConnection: close\r\n\r\n".encode()
            + data
        )
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
