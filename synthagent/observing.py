"""One look at one page, as an agent would get it.

Keeps nothing but the picture that was asked for.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

from PIL import Image

from synthagent.agent.visiting import visit
from synthagent.blobs import write_atomically
from synthagent.browser.marks import draw_marks
from synthagent.browser.session import Session
from synthagent.config import BrowserConfig
from synthagent.errors import ConfigError, SiteUnreachable
from synthagent.records import Frozen, Page
from synthagent.records.origins import Origins
from synthagent.run import BrowserPool
from synthagent.sites import ANONYMOUS, SitePool, load_site

FORMATS = {".webp": "WEBP", ".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}


class Glance(Frozen):
    """A page, and the text form of it that an agent reads."""

    url: str
    title: str
    http_status: int | None
    text: str
    page: Page


async def observe_page(
    url: str,
    config: BrowserConfig,
    *,
    site: str | None,
    role: str = ANONYMOUS,
    home: Path,
    picture: Path | None = None,
) -> Glance:
    """Open a page and return what an agent would see.

    Args:
        url: Its address; a path will do for a page of `site`.
        config: How pages are looked at.
        site: A site to start or to reach first; without it any page of the web will do.
        role: Account of the site to look as.
        home: Where sites are kept.
        picture: Where to write the screenshot with the elements marked.

    Raises:
        SynthError: the page cannot be opened.
    """
    if picture is not None and picture.suffix.lower() not in FORMATS:
        known = ", ".join(FORMATS)
        raise ConfigError(f"--screenshot {str(picture)!r}: the name must end in one of {known}")
    async with _session(url, config, site, role, home) as (session, target):
        outcome = await session.goto(target)
        if outcome.status != "ok":
            reason = outcome.error.message if outcome.error else outcome.status
            raise SiteUnreachable(f"{target} cannot be opened: {reason}")
        look = await session.observe(screenshot=picture is not None)
    if picture is not None and look.screenshot is not None:
        _save(draw_marks(look.screenshot, look.page), picture)
    return Glance(
        url=look.page.url,
        title=look.page.title,
        http_status=outcome.http_status,
        text=look.text,
        page=look.page,
    )


@asynccontextmanager
async def _session(
    url: str, config: BrowserConfig, site: str | None, role: str, home: Path
) -> AsyncIterator[tuple[Session, str]]:
    """Yield a session and the address to open in it."""
    if site is not None:
        spec = load_site(site)
        if role != ANONYMOUS:
            spec.role(role)
        target = spec.canonical_url(url, role) if url.startswith("/") else url
        async with (
            SitePool(spec, 1, home) as pool,
            BrowserPool(config, spec.volatile) as browsers,
            visit(pool, browsers, role) as session,
        ):
            yield session, target
        return
    if role != ANONYMOUS:
        raise ConfigError(f"--role {role!r} needs the --site that it is an account of")
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ConfigError(
            f"{url!r} is no address of a page; write http://…, or a path together with --site"
        )
    origin = f"{parts.scheme}://{parts.netloc}"
    origins = Origins(pairs=((origin, origin),))
    async with BrowserPool(config) as browsers, browsers.session(origins=origins) as session:
        yield session, url


def _save(webp: bytes, path: Path) -> None:
    suffix = path.suffix.lower()
    if suffix != ".webp":
        buffer = BytesIO()
        with Image.open(BytesIO(webp)) as image:
            image.convert("RGB").save(buffer, FORMATS[suffix])
        webp = buffer.getvalue()
    write_atomically(path, webp)
