"""One browser and one server of small pages for all tests of the browser layer."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from synthagent.browser import Browser, Look, Session
from synthagent.config import BrowserConfig
from synthagent.records import Node, Origins, Ref
from tests.browser.server import serve_pages

SITE = "http://pages.test"
OTHER = "http://other.test"

Opens = Callable[..., AbstractAsyncContextManager[Session]]


@pytest.fixture(scope="session")
def port() -> Iterator[int]:
    with serve_pages() as port:
        yield port


@pytest.fixture(scope="session")
def origins(port: int) -> Origins:
    return Origins(pairs=((SITE, f"http://127.0.0.1:{port}"), (OTHER, f"http://localhost:{port}")))


@pytest_asyncio.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with Browser.launch(BrowserConfig()) as running:
        yield running


@pytest.fixture
def opens(browser: Browser, origins: Origins) -> Opens:
    """Open a session, on a page when one is named."""

    @asynccontextmanager
    async def open_session(page: str = "", **options: Any) -> AsyncIterator[Session]:
        async with browser.session(origins=origins, **options) as session:
            if page:
                outcome = await session.goto(f"{SITE}/{page}")
                assert outcome.status == "ok", outcome
                await session.observe(screenshot=False)
            yield session

    return open_session


@pytest.fixture
def upload_folder(tmp_path: Path) -> Path:
    (tmp_path / "photo.png").write_bytes(b"png")
    return tmp_path


class Eyes:
    """Finds things on what a session shows."""

    def __init__(self, session: Session) -> None:
        self.session = session

    async def look(self) -> Look:
        return await self.session.observe(screenshot=False)

    async def node(self, role: str, name: str, at: int = 0) -> Node:
        look = await self.look()
        found = [node for node in look.page.nodes if (node.role, node.name) == (role, name)]
        assert found, f"no {role} {name!r} in\n{look.text}"
        return found[at]

    async def ref(self, role: str, name: str, at: int = 0) -> Ref:
        node = await self.node(role, name, at)
        assert node.ref is not None, node
        return node.ref

    async def texts(self) -> list[str]:
        return [node.name for node in (await self.look()).page.nodes if node.role == "text"]


@pytest.fixture
def eyes() -> type[Eyes]:
    return Eyes
