"""Opens a session on a fresh copy of the site, as every work item begins.

Not responsible for what the session is used for.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

from synthagent.browser.session import Session
from synthagent.records.origins import Origins
from synthagent.sites.pool import SitePool


class Sessions(Protocol):
    """Hands out browser sessions."""

    def session(
        self,
        *,
        origins: Origins,
        storage_state: dict[str, Any] | None = None,
        secrets: Mapping[str, str] | None = None,
        read_only: bool = False,
    ) -> AbstractAsyncContextManager[Session]:
        """Open a session that is closed at the end of the context."""


@asynccontextmanager
async def visit(site: SitePool, browsers: Sessions, role: str) -> AsyncIterator[Session]:
    """Open a session as `role` on a copy of the site that nobody else uses and nobody changed."""
    async with site.lease() as instance:
        try:
            async with browsers.session(
                origins=instance.origins,
                storage_state=instance.storage_state(role),
                secrets=site.spec.secrets(role),
                read_only=site.spec.read_only,
            ) as session:
                yield session
        except BaseException:
            instance.mark_dirty()
            raise
