"""A browser and the corner shop, for tests of the loop and of replay."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from synthagent.blobs import BlobStore
from synthagent.browser import Browser, Session
from synthagent.config import BrowserConfig
from synthagent.records.origins import Origins
from tests.fixtures.corner_shop import ORIGIN, corner_shop

Opens = Callable[[], AbstractAsyncContextManager[Session]]


@pytest.fixture(scope="session")
def corner() -> Iterator[str]:
    with corner_shop() as url:
        yield url


@pytest_asyncio.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with Browser.launch(BrowserConfig()) as running:
        yield running


@pytest.fixture
def opens(corner: str, browser: Browser) -> Opens:
    @asynccontextmanager
    async def open_session() -> AsyncIterator[Session]:
        origins = Origins(pairs=((ORIGIN, corner),))
        async with browser.session(origins=origins) as session:
            yield session

    return open_session


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path / "blobs")
