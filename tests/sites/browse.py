"""Looks at the shop over plain HTTP, as some role; for tests that need no browser."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import lxml.html

from synthagent.sites import SiteInstance


class Visitor:
    """A client with the cookies of a role."""

    def __init__(self, instance: SiteInstance, client: httpx.AsyncClient) -> None:
        self._instance = instance
        self._client = client

    async def get(self, path: str) -> httpx.Response:
        return await self._client.get(self._instance.origins.actual(f"http://shop.test{path}"))

    async def text(self, path: str) -> str:
        """Return the visible words of a page that must answer 200."""
        answer = await self.get(path)
        assert answer.status_code == 200, (path, answer.status_code)
        page = lxml.html.fromstring(answer.text)
        for element in page.xpath("//script|//style|//head"):
            element.drop_tree()
        return " ".join(page.text_content().split())

    async def submit(self, path: str, target: str, /, **values: str) -> httpx.Response:
        """Fill in and send the form of the page at `path` that goes to an address with `target`."""
        answer = await self.get(path)
        page = lxml.html.fromstring(answer.text, base_url=str(answer.url))
        form = next(form for form in page.forms if target in (form.action or str(answer.url)))
        data = dict(form.form_values()) | values
        url = httpx.URL(str(answer.url)).join(form.action or "")
        return await self._client.post(url, data=data, headers={"referer": str(answer.url)})


@asynccontextmanager
async def visit(instance: SiteInstance, role: str | None = None) -> AsyncIterator[Visitor]:
    """Be `role` on an instance for a while; anonymous without one."""
    async with httpx.AsyncClient(follow_redirects=True, timeout=60, trust_env=False) as client:
        for cookie in (instance.storage_state(role) or {})["cookies"] if role else ():
            client.cookies.set(cookie["name"], cookie["value"], cookie["domain"], cookie["path"])
        yield Visitor(instance, client)
