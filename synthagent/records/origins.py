"""Canonical and actual addresses of a site.

A built-in site runs on whatever port is free, a WebArena install lies anywhere; records, prompts
and training data must not depend on it. So `http://shop.test/…` is what is written and shown, and
`http://127.0.0.1:8101/…` is what the browser opens.
"""

from urllib.parse import urlsplit

from synthagent.records.frozen import Frozen


class Origins(Frozen):
    """Pairs of canonical and actual origins, `scheme://host[:port]` without a trailing slash."""

    pairs: tuple[tuple[str, str], ...]

    @property
    def actual_origins(self) -> tuple[str, ...]:
        """Return the origins that the browser may talk to."""
        return tuple(actual for _, actual in self.pairs)

    def actual(self, url: str) -> str:
        """Return `url` as the browser must open it; foreign addresses stay as they are."""
        return _swap(url, self.pairs)

    def canonical(self, url: str) -> str:
        """Return `url` as it is written into records."""
        return _swap(url, tuple((actual, canonical) for canonical, actual in self.pairs))

    def canonical_text(self, text: str) -> str:
        """Return `text` with every actual origin in it replaced."""
        for canonical, actual in self.pairs:
            text = text.replace(actual, canonical)
        return text

    def owns(self, url: str) -> bool:
        """Return whether the canonical or actual `url` belongs to the site."""
        origin = _origin(url)
        return any(origin in pair for pair in self.pairs)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _swap(url: str, pairs: tuple[tuple[str, str], ...]) -> str:
    origin = _origin(url)
    for source, target in pairs:
        if origin == source:
            return target + url[len(source) :]
    return url
