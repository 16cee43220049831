"""Kinds of failure of a model server, told from status, headers and words.

Pure; what follows from a kind (retry, resend, stop) is decided in `client.py`.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from synthagent.errors import ModelError
from synthagent.prompting import clean_text

FaultKind = Literal[
    "rate_limit",
    "overload",
    "timeout",
    "connection",
    "access",
    "quota",
    "unknown_model",
    "unsupported",
    "overflow",
    "refused",
    "rejected",
]
TRANSIENT: frozenset[FaultKind] = frozenset({"rate_limit", "overload", "timeout", "connection"})
FINAL: frozenset[FaultKind] = frozenset({"access", "quota", "unknown_model"})


class ContextOverflow(ModelError):
    """The prompt is longer than the server takes, or was cut by it without a word."""

    def __init__(self, message: str, limit: int | None = None) -> None:
        super().__init__(message)
        self.limit = limit
        """Tokens that the server takes, prompt and answer together, when it said so."""


class RequestRejected(ModelError):
    """The server does not take the request, for a reason that sending it again cannot mend."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A failed request."""

    kind: FaultKind
    message: str
    status: int | None = None
    retry_after: float | None = None
    """Seconds that the server asks to wait."""
    parameter: str | None = None
    """Of `unsupported`: which parameter of the request."""
    limit: int | None = None
    """Of `overflow`: tokens that the server takes."""


_OVERFLOW = re.compile(
    r"context[ _](?:length|window|size)|maximum context|too (?:long|many tokens)|"
    r"exceeds? the (?:available )?context|prompt is longer|reduce the length",
    re.IGNORECASE,
)
_QUOTA = re.compile(r"insufficient[_ ](?:quota|funds|credits?)|billing|credit balance", re.I)
_NO_MODEL = re.compile(
    r"model.{0,80}(?:not (?:exist|found|available)|unknown|no such)|unknown model", re.I | re.S
)
_REFUSED = re.compile(r"content[_ ](?:filter|policy|management)|responsible ai|safety", re.I)
_LIMIT = re.compile(
    r"(?:context (?:length|window|size)[^\d]{0,24}|[>≥] ?|limit (?:is|of) |at most )(\d{3,8})", re.I
)


def find_fault(
    status: int, headers: Mapping[str, str], text: str, sent: Iterable[str] = ()
) -> Fault:
    """Return the fault behind an answer with an error status.

    Args:
        status: HTTP status, or the code that an error object in a 200 named.
        headers: Response headers, names in lower case.
        text: Response body.
        sent: Names of the request's parameters, of which the server may not take one.
    """
    error = _error_object(text)
    message = f"{status}: {_message(error, text)}"
    words = f"{error.get('code', '')} {error.get('type', '')} {message}"
    wait = read_retry_after(headers)
    kind = _kind(status, words, wait)
    if kind in TRANSIENT:
        return Fault(kind, message, status, retry_after=wait)
    if kind == "overflow":
        return Fault(kind, message, status, limit=_limit(words))
    parameter = _blamed(error, text, sent) if kind == "rejected" else None
    if parameter:
        return Fault("unsupported", message, status, parameter=parameter)
    refused = kind == "rejected" and _REFUSED.search(words)
    return Fault("refused" if refused else kind, message, status)


def _kind(status: int, words: str, wait: float | None) -> FaultKind:
    """Return the kind as far as status and words tell it; `rejected` when they do not."""
    known = _BY_STATUS.get(status)
    if _is_quota(words, status, wait):
        known = "quota"
    elif _OVERFLOW.search(words) and known in (None, "rejected"):
        known = "overflow"
    elif status == 400 and _NO_MODEL.search(words):
        known = "unknown_model"
    return known or ("overload" if status >= 500 else "rejected")


_BY_STATUS: dict[int, FaultKind] = {
    401: "access",
    402: "quota",
    403: "access",
    404: "unknown_model",
    405: "unknown_model",
    408: "timeout",
    409: "overload",
    410: "unknown_model",
    413: "overflow",
    425: "overload",
    429: "rate_limit",
    501: "rejected",
    504: "timeout",
}


def _is_quota(words: str, status: int, wait: float | None) -> bool:
    # Some servers say "quota … billing" for a limit per minute, too; those name a time to wait.
    return status in (400, 429) and wait is None and bool(_QUOTA.search(words))


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait that the headers ask for, if they do."""
    milliseconds = headers.get("retry-after-ms", "")
    if re.fullmatch(r"\d+(\.\d+)?", milliseconds):
        return float(milliseconds) / 1000
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    if text:
        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    return None


def _error_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return {}
    inner = value.get("error")
    return inner if isinstance(inner, dict) else value


def _message(error: dict[str, Any], text: str) -> str:
    for name in ("message", "detail", "error"):
        value = error.get(name)
        if isinstance(value, str) and value:
            return clean_text(value)[:300]
        if isinstance(value, list) and value:
            return clean_text(json.dumps(value))[:300]
    return clean_text(re.sub(r"<[^>]*>|\s+", " ", text)).strip()[:300] or "no words"


def _limit(words: str) -> int | None:
    found = [int(number) for number in _LIMIT.findall(words)]
    return min(found) if found else None


def _blamed(error: dict[str, Any], text: str, sent: Iterable[str]) -> str | None:
    """Return the sent parameter that the server names as the cause, if it names one."""
    names = sorted(sent, key=len, reverse=True)
    named = [str(error.get("param") or "").split(".")[0].split("[")[0]]
    detail = error.get("detail")
    for entry in detail if isinstance(detail, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("loc"), list):
            named += [str(part) for part in entry["loc"]]
    for name in names:
        if name in named:
            return name
    lowered = text.lower()
    for name in names:
        if name not in _PARTS and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", lowered):
            return name
    for name, words in _OTHER_WORDS.items():
        if name in names and any(word in lowered for word in words):
            return name
    return None


_PARTS = ("images", "system")
"""Not parameters but parts of the messages: only told by the phrases below."""

_OTHER_WORDS = {
    "response_format": ("json_schema", "json schema", "json_object", "grammar", "json mode"),
    "images": ("image_url", "image input", "images", "multimodal", "vision"),
    "system": ("system role", "system message", "system prompt", "role system"),
}
