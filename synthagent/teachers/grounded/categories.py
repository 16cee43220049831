"""Sorts the controls of a page into functional categories by role, landmark, form and address.

Not responsible for choosing among them or for safety; exploration does both.
"""

import re
from collections import Counter
from collections.abc import Iterator
from random import Random
from urllib.parse import parse_qsl, urlsplit

from synthagent.records import Click, Node, Page, Select, TypeText
from synthagent.teachers.grounded.forms import Field, Form, fill_action, forms_of
from synthagent.teachers.grounded.values import other_options, seen_value, value_for
from synthagent.teachers.protocol import Candidate

MAX_FILLS = 9
SEARCH = re.compile(r"\b(search|find|query|q)\b", re.IGNORECASE)
ACCOUNT = re.compile(
    r"\b(account|profile|login|log in|sign in|register|orders?|address(es)?|wish ?lists?"
    r"|settings)\b",
    re.IGNORECASE,
)
PAGE_KEY = re.compile(r"^(p|pg|page|offset|start|from)$", re.IGNORECASE)
PAGER = re.compile(
    r"^(\d{1,4}|next|previous|prev|first|last|older|newer|[«»‹›<>]+)$", re.IGNORECASE
)
STOP_WORDS = frozenset(
    {"the", "and", "with", "for", "black", "white", "blue", "green", "red", "sand"}
)


def categorize(page: Page, random: Random) -> tuple[Candidate, ...]:
    """Return the controls of `page` worth trying, in document order within each kind."""
    templates = Counter(
        path_template(node.href) for node in page.elements if node.href and not is_in_chrome(node)
    )
    forms = forms_of(page)
    candidates = [
        Candidate(_link_category(node, templates, page.url), node, Click(ref=node.ref or ""))
        for node in page.elements
        if node.role == "link" and node.href and _is_usable(node) and _leads_elsewhere(node, page)
    ]
    for form in forms:
        candidates += _form_candidates(form, page, random)
    candidates += _loose_candidates(page, forms)
    return tuple(candidates)


def path_template(url: str) -> str:
    """Return the path of `url` with every segment that holds a digit as `*`."""
    segments = urlsplit(url).path.split("/")
    return "/".join("*" if any(char.isdigit() for char in part) else part for part in segments)


def function_of(form: Form) -> str:
    """Return what a form is for, in words taken from its address: `basket add`."""
    words = [part for part in path_template(form.path).split("/") if part not in {"", "*"}]
    return " ".join(words[-2:]) or "page"


def is_in_chrome(node: Node) -> bool:
    """Return whether `node` belongs to the frame of the site: menus, header, footer, side bar."""
    landmark = node.fingerprint.landmark if node.fingerprint else ""
    return landmark.startswith(("navigation", "banner", "contentinfo", "complementary"))


def is_pager(node: Node) -> bool:
    """Return whether a link turns the pages of a list: by number, or by a word for it."""
    name = node.name.strip()
    query = parse_qsl(urlsplit(node.href or "").query)
    counted = any(PAGE_KEY.match(key) and value.isdigit() for key, value in query)
    return counted or bool(PAGER.match(name) and not name.isdigit())


def _is_usable(node: Node) -> bool:
    return "disabled" not in node.states and not node.covered_by


def _leads_elsewhere(node: Node, page: Page) -> bool:
    href = node.href or ""
    return href.startswith("http") and href.partition("#")[0] != page.url.partition("#")[0]


def _link_category(node: Node, templates: Counter[str], page_url: str) -> str:
    href = node.href or ""
    if is_pager(node):
        return "pagination"
    if urlsplit(href).path == urlsplit(page_url).path and urlsplit(href).query:
        return "filter" if is_in_chrome(node) else "sorting"
    if is_in_chrome(node):
        words = f"{node.name} {urlsplit(href).path.replace('/', ' ')}"
        return "account" if ACCOUNT.search(words) else "navigation"
    template = path_template(href)
    if templates[template] >= 3 and "*" in template:
        return "listing: " + (
            " ".join(p for p in template.split("/") if p not in {"", "*"}) or "item"
        )
    return "link"


def _form_candidates(form: Form, page: Page, random: Random) -> Iterator[Candidate]:
    if form.has_secret:
        return
    if form.method == "GET":
        yield from _query_candidates(form, page, random)
        return
    for submit in form.submits:
        if _is_usable(submit):
            fills = tuple(
                (field.node, fill_action(field, value))
                for field in fields_to_fill(form)
                if (value := value_for(field, page, random)) is not None
            )
            category = f"form: {function_of(form)}"
            yield Candidate(category, submit, Click(ref=submit.ref or ""), fills)


def fields_to_fill(form: Form) -> tuple[Field, ...]:
    """Return the empty fields that must be filled: the required ones, or all if none is marked."""
    empty = [
        field for field in form.fields if field.is_empty and field.kind not in {"check", "radio"}
    ]
    required = [field for field in empty if field.is_required]
    return (*(required or empty)[:MAX_FILLS], *_unanswered_choices(form))


def _unanswered_choices(form: Form) -> tuple[Field, ...]:
    """Return the last button of each group of radio buttons in which none is pressed."""
    groups: dict[str, list[Field]] = {}
    for field in form.fields:
        if field.kind == "radio":
            groups.setdefault(field.name, []).append(field)
    return tuple(
        group[-1]
        for group in groups.values()
        if not any("checked" in field.node.states for field in group)
    )


def _query_candidates(form: Form, page: Page, random: Random) -> Iterator[Candidate]:
    """Yield a search with words from the page, or a filter set to a value that the page shows."""
    texts = [field for field in form.fields if field.kind == "text" and _is_usable(field.node)]
    if len(texts) == 1 and len(form.fields) <= 2 and _is_search(form, texts[0]):
        for word in search_words(page, random)[:2]:
            action = TypeText(ref=texts[0].node.ref or "", text=word, submit=True)
            yield Candidate("search", texts[0].node, action)
        return
    for field in texts:
        value = seen_value(field, page, random)
        if value is not None and form.submits:
            fill = (field.node, fill_action(field, value))
            yield Candidate(
                "filter", form.submits[0], Click(ref=form.submits[0].ref or ""), (fill,)
            )
    for field in form.fields:
        if field.kind == "select":
            yield from _sort_candidates(field)


def _is_search(form: Form, field: Field) -> bool:
    words = f"{field.label} {field.name} {form.path.replace('/', ' ')}"
    return field.node.role == "searchbox" or bool(SEARCH.search(words))


def search_words(page: Page, random: Random) -> list[str]:
    """Return words of item names on the page, most telling first, in a seeded order."""
    names = [
        node.name
        for node in page.elements
        if node.role == "link" and node.href and not is_in_chrome(node)
    ]
    words = sorted(
        {
            word.lower()
            for name in names
            for word in re.findall(r"[^\W\d_]{4,}", name)
            if word.lower() not in STOP_WORDS
        }
    )
    random.shuffle(words)
    return words


def _sort_candidates(field: Field) -> Iterator[Candidate]:
    for option in other_options(field)[:2]:
        action = Select(ref=field.node.ref or "", options=(option,))
        yield Candidate("sorting", field.node, action)


def _loose_candidates(page: Page, forms: tuple[Form, ...]) -> Iterator[Candidate]:
    """Yield controls that no form holds: menus, tabs, plain buttons, lists that sort at once."""
    in_forms = {node.ref for form in forms for node in form.submits}
    for node in page.elements:
        if node.ref in in_forms or not _is_usable(node):
            continue
        if node.role in {"tab", "menuitem"} or {"expanded", "collapsed"} & set(node.states):
            yield Candidate("menu", node, Click(ref=node.ref or ""))
        elif node.role in {"button", "generic", "img"} and node.form is None and node.name:
            yield Candidate("action", node, Click(ref=node.ref or ""))
        elif node.options and node.form is None:
            yield from _sort_candidates(Field(node=node, kind="select", name=""))
