"""Plausible values for the fields of a form, chosen by label and type with a seeded random.

Not responsible for which fields are filled; see `categories.py` and `changes.py`.
"""

import re
from collections.abc import Callable, Sequence
from random import Random

from synthagent.judge.facts import list_facts
from synthagent.records import Page
from synthagent.teachers.grounded.forms import Field

Maker = Callable[[Random], str]

FIRST_NAMES = (
    "Alma",
    "Boris",
    "Clara",
    "Dmitri",
    "Elena",
    "Farid",
    "Greta",
    "Hugo",
    "Ines",
    "Jonas",
)
LAST_NAMES = (
    "Abbott",
    "Brandt",
    "Castel",
    "Dorsey",
    "Ekman",
    "Fontaine",
    "Grieve",
    "Holm",
    "Ibsen",
)
STREETS = ("Mill Lane", "Harbor Road", "Linden Street", "Quarry Hill", "Station Road", "Elm Court")
CITIES = ("Fairview", "Dayton", "Salem", "Brookfield", "Ashland", "Milton", "Clayton")
STATES = ("Ohio", "Oregon", "Vermont", "Nevada", "Maine", "Iowa")
POSTCODES = ("45402", "97301", "05401", "89501", "04330", "50309")
POSTCODES_OF = {
    "canada": ("K1A 0B1", "V6B 4Y8"),
    "united kingdom": ("SW1A 1AA", "BS1 4DJ"),
    "germany": ("10115", "80331"),
    "france": ("75001", "69002"),
}
COMPANIES = ("Larkspur Goods", "Granite Supply", "Bluebird Trading", "Northfield Works")
TITLES = ("Well worth it", "Does the job", "Better than expected", "Solid choice", "Not for me")
SENTENCES = (
    "I have used it every day for a month and it still looks new.",
    "It arrived quickly and works just as described.",
    "Good value, although the instructions could be clearer.",
    "Please leave the parcel with the neighbour on the left.",
    "We needed one for the office and everybody likes it.",
)
NAMES = (
    "Weekend plans",
    "Gift ideas",
    "Spring order",
    "Office supplies",
    "Camping trip",
    "New flat",
)
WORDS = ("garden", "winter", "travel", "kitchen", "studio", "harbor", "meadow")
HOME_COUNTRY = frozenset({"United States", "United States of America", "USA", "US"})
"""Where the postcodes and telephone numbers below are from."""
POSTCODE = re.compile(r"post.?code|zip", re.IGNORECASE)
AMOUNT = re.compile(r"quantity|amount|stock|threshold|number of", re.IGNORECASE)
PLACEHOLDER = re.compile(r"^\W*$|^(select|choose|please|any|all|none)\b", re.IGNORECASE)


def value_for(field: Field, page: Page, random: Random) -> str | None:
    """Return a value that a person could give `field`, or None when nothing sensible is known."""
    if field.kind == "select":
        return _option(field, random)
    if field.kind in {"check", "radio"}:
        return "on"
    if field.kind == "number":
        return str(random.randint(2, 6))
    return _text(field, page, random)


def fitting_value(field: Field, page: Page, random: Random, said: str) -> str | None:
    """Return a value for `field` that minds what the site `said` of the last one."""
    if POSTCODE.search(f"{field.label} {field.name}"):
        known = [codes for name, codes in POSTCODES_OF.items() if name in said.casefold()]
        if known:
            return random.choice(known[0])
    return value_for(field, page, random)


def is_amount(field: Field) -> bool:
    """Return whether the field takes a number of things."""
    return field.kind == "number" or bool(AMOUNT.search(f"{field.label} {field.name}"))


def other_options(field: Field) -> tuple[str, ...]:
    """Return the options of a select that are real and not chosen now."""
    return tuple(
        option
        for option in field.node.options
        if option != field.node.value and not PLACEHOLDER.search(option)
    )


def seen_value(field: Field, page: Page, random: Random) -> str | None:
    """Return a value that the page shows in a column of the field's name, for filters."""
    label = field.label.casefold()
    values = [
        value
        for fact, value in list_facts(page)
        if fact.kind == "cell" and _same_thing(fact.label.casefold(), label)
    ]
    rows = [fact.row for fact, _ in list_facts(page) if fact.kind == "cell"]
    if not values and re.search(r"number|title|name|query|search", label):
        values = rows
    return random.choice(sorted(set(values))) if values else None


def _same_thing(column: str, label: str) -> bool:
    return bool(column) and (column == label or column in label or label in column)


def _option(field: Field, random: Random) -> str | None:
    options = other_options(field)
    fitting = [option for option in options if option in HOME_COUNTRY]
    return random.choice(fitting or options) if options else None


def _text(field: Field, page: Page, random: Random) -> str | None:
    maker = BY_TYPE.get(field.node.input_type or "")
    if maker is None:
        label = f"{field.label} {field.name}".casefold()
        maker = next((make for pattern, make in BY_LABEL if re.search(pattern, label)), None)
    if maker is not None:
        return maker(random)
    return seen_value(field, page, random) or random.choice(WORDS)


def _one_of(values: Sequence[str]) -> Maker:
    return lambda random: random.choice(values)


def _amount(random: Random) -> str:
    return str(random.randint(2, 6))


def _price(random: Random) -> str:
    return f"{random.randint(5, 180)}.{random.choice(('00', '50', '95'))}"


def _street(random: Random) -> str:
    return f"{random.randint(2, 180)} {random.choice(STREETS)}"


def _email(random: Random) -> str:
    return f"{random.choice(FIRST_NAMES)}.{random.choice(LAST_NAMES)}@example.com".lower()


def _phone(random: Random) -> str:
    return f"+1 937 555 01{random.randint(10, 99)}"


def _date(random: Random) -> str:
    return f"2026-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}"


BY_TYPE: dict[str, Maker] = {
    "email": _email,
    "tel": _phone,
    "date": _date,
    "time": lambda random: f"{random.randint(8, 18):02d}:30",
    "month": lambda random: f"2026-{random.randint(1, 12):02d}",
    "url": lambda random: f"https://{random.choice(WORDS)}.example.com/",
    "number": _amount,
}
BY_LABEL: tuple[tuple[str, Maker], ...] = (
    (r"e-?mail", _email),
    (r"phone|mobile|\btel", _phone),
    (r"address|street|line.?1", _street),
    (AMOUNT.pattern, _amount),
    (r"price|cost|total", _price),
    (r"\bdate", _date),
    (r"first.?name|given.?name", _one_of(FIRST_NAMES)),
    (r"last.?name|surname|family.?name", _one_of(LAST_NAMES)),
    (POSTCODE.pattern, _one_of(POSTCODES)),
    (r"city|town|line.?4", _one_of(CITIES)),
    (r"state|county|province|region", _one_of(STATES)),
    (r"company|organi[sz]ation|partner", _one_of(COMPANIES)),
    (r"instruction|note|comment|body|message|review|description|text", _one_of(SENTENCES)),
    (r"title|subject|headline|summary", _one_of(TITLES)),
    (r"name", _one_of(NAMES)),
)
