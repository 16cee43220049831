"""Replaces secrets by their placeholders in everything that leaves the browser.

Not responsible for fields that hide what is typed; the walker masks those before it answers.
"""

import html
import json
import re
from collections.abc import Mapping
from functools import cached_property
from urllib.parse import quote, quote_plus

MASK = "•••"
TOKEN_NAMES = re.compile(
    r"csrf|xsrf|authenticity|nonce|form_key|^_?token$|[_-]token$|__requestverification|captcha",
    re.IGNORECASE,
)
SECRET_NAMES = re.compile(r"passw|passwd|\botp\b|one.?time|secret|cvc|cvv", re.IGNORECASE)
SHORTEST = 6
PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}")


class Masker:
    """Knows the secrets of one session, by the name of their placeholder."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._secrets = {name: value for name, value in secrets.items() if value}

    def reveal(self, text: str) -> str:
        """Return `text` with `{{name}}` replaced by the secret; unknown names stay as they are."""
        return PLACEHOLDER.sub(lambda match: self._secrets.get(match[1], match[0]), text)

    def holds_secret(self, text: str) -> bool:
        """Return whether `text` has a placeholder of this session in it."""
        return any(match[1] in self._secrets for match in PLACEHOLDER.finditer(text))

    def text(self, text: str) -> str:
        """Return `text` without any spelling of any secret.

        A short or all-digit secret is left alone here, since it would also hide every equal
        number; `field` replaces it where it was typed.
        """
        if self._pattern is None or not text:
            return text
        return self._pattern.sub(lambda match: self._names[match[0]], text)

    def field(self, value: str) -> str:
        """Return the value of a field without secrets, short ones included."""
        for name, secret in self._secrets.items():
            if value == secret:
                return f"{{{{{name}}}}}"
        return self.text(value)

    def form_field(self, name: str, value: str) -> str:
        """Return the value of a sent form field; one-time tokens and passwords are masked."""
        if TOKEN_NAMES.search(name):
            return MASK
        masked = self.field(value)
        return MASK if masked == value and value and SECRET_NAMES.search(name) else masked

    @cached_property
    def _names(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for name, secret in self._secrets.items():
            if len(secret) >= SHORTEST and not secret.isdigit():
                for spelling in _spellings(secret):
                    names.setdefault(spelling, f"{{{{{name}}}}}")
        return names

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        if not self._names:
            return None
        longest_first = sorted(self._names, key=len, reverse=True)
        return re.compile("|".join(map(re.escape, longest_first)))


def _spellings(secret: str) -> set[str]:
    return {
        secret,
        " ".join(secret.split()),
        html.escape(secret),
        html.escape(secret, quote=False),
        html.escape(secret).replace("&#x27;", "&#39;"),
        quote(secret),
        quote(secret, safe=""),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
    }
