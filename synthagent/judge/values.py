"""Compares texts, numbers and amounts of money as a person would.

Not responsible for where a value comes from; see `facts.py` and `checks.py`.
"""

import re
import unicodedata
from decimal import Decimal
from typing import NamedTuple

from synthagent.records import Request

NUMBER = re.compile(r"(?<![\w.,])[-\u2212+]?\d+(?:[.,'\u00a0\u202f]\d+)*(?![\w])")
CURRENCY_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB"}
CURRENCY = re.compile(r"[$€£¥₹₽]|\b(?:USD|EUR|GBP|JPY|INR|RUB|CHF|CAD|AUD|SEK|NOK|DKK|PLN)\b")
AMOUNT = re.compile(
    rf"(?P<before>{CURRENCY.pattern})?\s*(?P<number>[-\u2212]?\d+(?:[.,'\u00a0\u202f]\d+)*)\s*"
    rf"(?P<after>{CURRENCY.pattern})?"
)
QUOTES = "\"'“”\u2018\u2019«»`"


class Money(NamedTuple):
    """An amount; `currency` is None when the text names none."""

    amount: Decimal
    currency: str | None


def plain(text: str) -> str:
    """Return `text` in composed form, case-folded, with single spaces and straight quotes."""
    text = unicodedata.normalize("NFC", text).replace("\u2019", "'").replace("\u2018", "'")
    text = text.replace("“", '"').replace("”", '"')
    return " ".join(unicodedata.normalize("NFC", text.casefold()).split())


def plain_answer(text: str) -> str:
    """Return an answer as `plain` does, without enclosing quotes and a closing full stop."""
    text = plain(text)
    while len(text) > 1 and text.endswith((".", "!")) and not text.endswith(".."):
        text = text[:-1].rstrip()
    if len(text) > 1 and text[0] in QUOTES and text[-1] in QUOTES:
        text = text[1:-1].strip()
    return text


def same_text(one: str, other: str) -> bool:
    """Return whether two answers say the same in words."""
    return plain_answer(one) == plain_answer(other)


def same_number(one: str, other: str) -> bool:
    """Return whether both texts hold one number, and the same."""
    first, second = numbers_in(one), numbers_in(other)
    return len(first) == 1 and first == second


def same_money(one: str, other: str) -> bool:
    """Return whether both texts hold one amount, and the same; a currency left out fits any."""
    first, second = amounts_in(one), amounts_in(other)
    if len(first) != 1 or len(second) != 1:
        return False
    (left,), (right,) = first, second
    same_currency = left.currency == right.currency or None in (left.currency, right.currency)
    return left.amount == right.amount and same_currency


def same_value(one: str, other: str) -> bool:
    """Return whether two texts are the same value, whatever its kind."""
    if same_text(one, other):
        return True
    if CURRENCY.search(one) or CURRENCY.search(other):
        return same_money(one, other)
    bare = NUMBER.fullmatch(plain_answer(one)) or NUMBER.fullmatch(plain_answer(other))
    return bare is not None and same_number(one, other)


def numbers_in(text: str) -> set[Decimal]:
    """Return the different numbers that `text` holds."""
    return {_decimal(found.group()) for found in NUMBER.finditer(text)}


def amounts_in(text: str) -> set[Money]:
    """Return the amounts that carry a currency, or all numbers when none does."""
    found = [
        Money(_decimal(match["number"]), _currency(match["before"] or match["after"]))
        for match in AMOUNT.finditer(text)
    ]
    marked = {money for money in found if money.currency is not None}
    return marked or set(found)


def path_fits(pattern: str, path: str) -> bool:
    """Return whether `path` is `pattern`, where `*` stands for one segment."""
    wanted, found = pattern.strip("/").split("/"), path.strip("/").split("/")
    return len(wanted) == len(found) and all(
        part in ("*", seen) for part, seen in zip(wanted, found, strict=True)
    )


def was_accepted(request: Request) -> bool:
    """Return whether the site answered `request` without an error status."""
    return request.status is not None and request.status < 400


def _decimal(text: str) -> Decimal:
    """Return the number in `text`; `1,234` and `1.234.567` are thousands, `12,99` is not."""
    digits = re.sub(r"['\u00a0\u202f]", "", text.replace("\u2212", "-"))
    marks = [char for char in digits if char in ".,"]
    if len(set(marks)) == 2:
        decimal = marks[-1]
    elif marks and (len(marks) > 1 or (marks[0] == "," and re.search(r",\d{3}$", digits))):
        decimal = ""
    else:
        decimal = marks[0] if marks else ""
    for mark in ".,":
        if mark != decimal:
            digits = digits.replace(mark, "")
    return Decimal(digits.replace(decimal, ".") if decimal else digits).normalize()


def _currency(sign: str | None) -> str | None:
    return None if sign is None else CURRENCY_SIGNS.get(sign, sign)
