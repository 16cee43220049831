"""Programmatic checks: whether the end of a task is what its check asks for.

Pure; not responsible for reaching the end (see `agent/`) or for reading facts (see `facts.py`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from synthagent.judge.facts import read_fact
from synthagent.judge.values import (
    path_fits,
    plain,
    same_money,
    same_number,
    same_text,
    same_value,
    was_accepted,
)
from synthagent.records import (
    AllOf,
    AnswerEquals,
    AnswerShown,
    Page,
    PageShows,
    Request,
    RequestSent,
    TaskCheck,
    UrlMatches,
    Verdict,
)

EQUAL = {"text": same_text, "number": same_number, "money": same_money}


@dataclass(frozen=True, slots=True)
class EndState:
    """What a task left behind: its answer, the last page, and all state-changing requests."""

    answer: str | None
    page: Page
    requests: tuple[Request, ...] = ()


def verify(check: TaskCheck, end: EndState) -> Verdict:
    """Return whether `end` is what `check` asks for; `passed` is None when it cannot be judged."""
    match check:
        case AnswerEquals():
            return _answer_equals(check, end.answer)
        case AnswerShown():
            return _answer_shown(check, end)
        case UrlMatches():
            return _url_matches(check, end.page.url)
        case PageShows():
            return _page_shows(check, end.page)
        case RequestSent():
            return _request_sent(check, end.requests)
        case AllOf():
            return _all_of([verify(part, end) for part in check.checks])


def page_text(page: Page) -> str:
    """Return all that `page` shows, names and values included, in comparable form."""
    parts = [part for node in page.nodes for part in (node.name, node.value) if part]
    return plain(" ".join(parts))


def _answer_equals(check: AnswerEquals, answer: str | None) -> Verdict:
    if not answer:
        return _verdict(False, f"no answer; expected {check.expected!r}")
    passed = EQUAL[check.kind](answer, check.expected)
    return _verdict(passed, f"answered {answer!r}, expected {check.expected!r}")


def _answer_shown(check: AnswerShown, end: EndState) -> Verdict:
    wanted = check.fact.path
    if wanted and not path_fits(wanted, _path(end.page.url)):
        return _verdict(None, f"the fact is on {wanted}, the last page is {_path(end.page.url)}")
    shown = read_fact(end.page, check.fact)
    if shown is None:
        return _verdict(False, f"the last page does not show {check.fact.label or 'a heading'!r}")
    if not end.answer:
        return _verdict(False, f"no answer; the page shows {shown!r}")
    return _verdict(
        same_value(end.answer, shown), f"answered {end.answer!r}, the page shows {shown!r}"
    )


def _url_matches(check: UrlMatches, url: str) -> Verdict:
    if not path_fits(check.path, _path(url)):
        return _verdict(False, f"the last page is {_path(url)}, not {check.path}")
    missing = _missing(check.query, parse_qsl(urlsplit(url).query, keep_blank_values=True))
    if missing:
        return _verdict(False, f"the last address lacks {_pairs(missing)}")
    return _verdict(True, f"the last page is {_path(url)}")


def _page_shows(check: PageShows, page: Page) -> Verdict:
    shown = page_text(page)
    missing = [text for text in check.texts if not _contains(shown, plain(text))]
    if missing:
        return _verdict(False, f"the last page does not show {missing[0]!r}")
    return _verdict(True, f"the last page shows {', '.join(map(repr, check.texts))}")


def _contains(shown: str, text: str) -> bool:
    """Return whether `text` stands in `shown` as whole words: `1` is not in `10`."""
    start = r"(?<!\w)" if text[:1].isalnum() else ""
    end = r"(?!\w)" if text[-1:].isalnum() else ""
    return re.search(start + re.escape(text) + end, shown) is not None


def _request_sent(check: RequestSent, requests: Sequence[Request]) -> Verdict:
    name = f"{check.method} {check.path}"
    sent = [
        request
        for request in requests
        if request.method.upper() == check.method.upper()
        and path_fits(check.path, _path(request.url))
    ]
    if not sent:
        return _verdict(False, f"{name} was not sent")
    taken = [request for request in sent if _was_taken(request, check.redirected)]
    if not taken:
        return _verdict(False, f"{name} was answered with {sent[-1].status}")
    for request in taken:
        if not _missing(check.fields, request.fields):
            return _verdict(True, f"{name} was sent")
    missing = _missing(check.fields, taken[-1].fields)
    return _verdict(False, f"{name} was sent without {_pairs(missing)}")


def _was_taken(request: Request, redirected: bool | None) -> bool:
    if not was_accepted(request):
        return False
    is_redirect = request.status is not None and 300 <= request.status < 400
    return redirected is None or redirected == is_redirect


def _all_of(verdicts: Sequence[Verdict]) -> Verdict:
    for passed in (False, None):
        failing = [verdict for verdict in verdicts if verdict.passed is passed]
        if failing:
            return _verdict(passed, failing[0].reason)
    return _verdict(True, "; ".join(verdict.reason for verdict in verdicts))


def _missing(
    wanted: Iterable[tuple[str, str]], found: Iterable[tuple[str, str]]
) -> list[tuple[str, str]]:
    left = Counter((name, plain(value)) for name, value in found)
    missing = []
    for name, value in wanted:
        if left[name, plain(value)] > 0:
            left[name, plain(value)] -= 1
        else:
            missing.append((name, value))
    return missing


def _pairs(pairs: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in pairs)


def _path(url: str) -> str:
    return unquote(urlsplit(url).path)


def _verdict(passed: bool | None, reason: str) -> Verdict:
    return Verdict(passed=passed, judge="check", reason=reason)
