"""Tells controls that end a session or destroy something from ordinary ones, by what they say.

Only looks at one control (and, for a lost session, one page); who may press what is decided by
the stage that asks. Ordinary writes, as adding to a basket or saving an address, are not named.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal
from urllib.parse import parse_qsl, urlsplit

from synthagent.records.page import Node, Page
from synthagent.sites.danger_words import (
    ACCOUNT_NAMES,
    ADDRESS_FILLERS,
    DELETE_ICONS,
    DELETE_NAMES,
    DELETE_WORDS,
    MONEY_NAMES,
    SIGN_IN_NAMES,
    SIGN_OUT_ICONS,
    SIGN_OUT_NAMES,
    SIGN_OUT_WORDS,
)
from synthagent.sites.spec import SiteSpec

DangerKind = Literal["sign_out", "destructive"]

WRITING_ROLES = frozenset({"textbox", "searchbox", "combobox", "spinbutton", "slider", "listbox"})
"""Filling these does nothing by itself, whatever they are called."""
MAX_NAME = 80
"""Longer names are texts about something, not orders."""


@dataclass(frozen=True, slots=True)
class Danger:
    """What pressing a control would do, and how that is known."""

    kind: DangerKind
    reason: str


def is_destructive(node: Node, spec: SiteSpec) -> str | None:
    """Return why `node` must not be pressed while exploring, or None for an ordinary control."""
    danger = find_danger(node, spec)
    return danger.reason if danger else None


def find_danger(node: Node, spec: SiteSpec) -> Danger | None:
    """Return the danger of pressing `node`; rules of the site win over the general ones."""
    if node.role in WRITING_ROLES:
        return None
    subject = f"{_plain(node.name)} {node.href or ''}".strip()
    if any(re.search(pattern, subject) for pattern in spec.policy.allowed):
        return None
    if any(re.search(pattern, subject) for pattern in spec.policy.destructive):
        return Danger("destructive", f"the site file names {node.name!r} as destructive")
    rules: tuple[Callable[[Node], Danger | None], ...] = (_by_name, _by_address, _by_form, _by_mark)
    for rule in rules:
        if danger := rule(node):
            return danger
    return None


def is_signed_out(page: Page, spec: SiteSpec, role: str) -> bool:
    """Return whether `page` shows that the session of `role` is over.

    True on the login page, and on any page that asks for a password beside a control to sign in.
    """
    login = spec.role(role).login.url if role in spec.roles else None
    if login is not None and urlsplit(page.url).path.rstrip("/") == login.rstrip("/"):
        return True
    asks = [node for node in page.elements if node.input_type == "password"]
    signs_in = any(
        node.role in ("button", "link") and SIGN_IN_NAMES.search(_plain(node.name))
        for node in page.elements
    )
    return len(asks) == 1 and signs_in


def _by_name(node: Node) -> Danger | None:
    bare = node.name.replace("\ufe0f", "").strip()
    if bare in SIGN_OUT_ICONS:
        return Danger("sign_out", f"the icon {node.name!r} signs out")
    if bare in DELETE_ICONS:
        return Danger("destructive", f"the icon {node.name!r} deletes")
    name = _plain(node.name)
    if not name or len(name) > MAX_NAME:
        return None
    if SIGN_OUT_NAMES.search(name):
        return Danger("sign_out", f"{node.name!r} signs out")
    for pattern, doing in (
        (DELETE_NAMES, "deletes"),
        (ACCOUNT_NAMES, "ends something for good"),
        (MONEY_NAMES, "pays or cancels"),
    ):
        if pattern.search(name):
            return Danger("destructive", f"{node.name!r} {doing}")
    return None


def _by_address(node: Node) -> Danger | None:
    if node.href is None or node.role not in ("link", "menuitem", "button", "tab"):
        return None
    return _danger_of_address(node.href)


def _by_form(node: Node) -> Danger | None:
    if node.form is None or node.role not in ("button", "menuitem"):
        return None
    _, method, action = (*node.form.split(" ", 2), "", "", "")[:3]
    return _danger_of_address(action) if method.upper() != "GET" else None


def _by_mark(node: Node) -> Danger | None:
    """Judge controls without a telling name by `id`, `name` and test id in the page's source."""
    if node.fingerprint is None or node.role in ("checkbox", "radio", "switch"):
        return None
    for key, value in node.fingerprint.attributes:
        if key not in ("id", "name", "data-testid"):
            continue
        danger = _danger_of_words(_words(value), f"{key}={value!r}")
        if danger and (danger.kind == "sign_out" or not _plain(node.name)):
            return danger
    return None


def _danger_of_address(address: str) -> Danger | None:
    parts = urlsplit(address)
    segments = [segment for segment in parts.path.casefold().split("/") if segment]
    while segments and re.fullmatch(r"[\d-]+|[0-9a-f-]{16,}", segments[-1]):
        segments.pop()
    values = [value for _, value in parse_qsl(parts.query)]
    for text in [*segments[-1:], *values]:
        words = _words(re.sub(r"\.\w{2,5}$", "", text))
        telling = [word for word in words if word not in ADDRESS_FILLERS and not word.isdigit()]
        for joined in ("".join(words), "".join(telling)):
            if danger := _danger_of_words((joined,), f"the address {address!r}"):
                return danger
    return None


def _danger_of_words(words: tuple[str, ...], where: str) -> Danger | None:
    joined = "".join(words)
    pairs = {a + b for a, b in pairwise(words)}
    if joined in SIGN_OUT_WORDS or pairs & SIGN_OUT_WORDS or set(words) & SIGN_OUT_WORDS:
        return Danger("sign_out", f"{where} signs out")
    if joined in DELETE_WORDS or pairs & DELETE_WORDS or set(words) & DELETE_WORDS:
        return Danger("destructive", f"{where} deletes or ends something")
    return None


def _words(text: str) -> tuple[str, ...]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return tuple(re.findall(r"[^\W_]+", spaced.casefold()))


def _plain(name: str) -> str:
    """Return a name without icons, punctuation at the ends, and case."""
    return re.sub(r"^[\W_]+|[\W_]+$", "", " ".join(name.split())).casefold()
