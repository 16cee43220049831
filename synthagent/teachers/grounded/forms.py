"""Forms of a page as the grounded teacher sees them: fields with labels, and submit buttons.

Not responsible for what to write into them; see `values.py`.
"""

import re
from dataclasses import dataclass
from typing import Literal

from synthagent.records import Action, Check, Node, Page, Select, TypeText

FieldKind = Literal["text", "number", "select", "check", "radio"]
TEXT_ROLES = frozenset({"textbox", "searchbox"})
UNFILLABLE_TYPES = frozenset({"file", "password", "hidden", "image", "submit", "button", "reset"})
CHOICE_KINDS: dict[str, FieldKind] = {
    "checkbox": "check",
    "switch": "check",
    "radio": "radio",
    "spinbutton": "number",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One fillable control of a form."""

    node: Node
    kind: FieldKind
    name: str
    """The name under which the browser sends it; empty when it has none."""

    @property
    def label(self) -> str:
        """Return what a person would call the field."""
        label = clean_label(self.node.name or self.node.placeholder or self.name)
        # Fields of a repeated form are called `form-0-quantity`, and named so without a label.
        return (
            re.sub(r"^.*\d[-_.\]]+", "", label).replace("_", " ") if label == self.name else label
        )

    @property
    def is_required(self) -> bool:
        """Return whether the page marks the field as required."""
        return "required" in self.node.states or self.node.name.rstrip().endswith("*")

    @property
    def is_empty(self) -> bool:
        """Return whether nothing has been written or chosen yet."""
        value = (self.node.value or "").strip()
        return not value or (self.kind == "select" and not value.strip("-–—. "))


@dataclass(frozen=True, slots=True)
class Form:
    """The controls of one form element."""

    key: str
    method: str
    path: str
    fields: tuple[Field, ...]
    submits: tuple[Node, ...]
    has_secret: bool
    """A password or a file is asked for; such forms are left alone."""


def forms_of(page: Page) -> tuple[Form, ...]:
    """Return the forms of `page` in document order, those without a button included."""
    members: dict[str, list[Node]] = {}
    for node in page.elements:
        if node.form is not None:
            members.setdefault(node.form, []).append(node)
    return tuple(_form(key, nodes) for key, nodes in members.items())


def form_with(page: Page, node: Node) -> Form | None:
    """Return the form that `node` belongs to."""
    return next((form for form in forms_of(page) if form.key == node.form), None)


def fill_action(field: Field, value: str) -> Action:
    """Return the action that gives `field` the value."""
    ref = field.node.ref or ""
    match field.kind:
        case "select":
            return Select(ref=ref, options=(value,))
        case "check" | "radio":
            return Check(ref=ref, on=value == "on")
        case _:
            return TypeText(ref=ref, text=value)


def clean_label(text: str) -> str:
    """Return a label without the marks that pages put around it."""
    return " ".join(text.replace("*", " ").split()).rstrip(": ")


def is_button(node: Node) -> bool:
    """Return whether `node` is something to press."""
    return node.role == "button" or (node.role == "link" and not node.href)


def _form(key: str, nodes: list[Node]) -> Form:
    method, path = _method_and_path(key)
    fields = tuple(field for node in nodes if (field := _field(node)) is not None)
    return Form(
        key=key,
        method=method,
        path=path,
        fields=fields,
        submits=tuple(node for node in nodes if _is_submit(node)),
        has_secret=any(node.input_type in {"password", "file"} for node in nodes),
    )


def _is_submit(node: Node) -> bool:
    return node.role == "button" and node.input_type not in {"button", "reset"}


def _method_and_path(key: str) -> tuple[str, str]:
    _, _, rest = key.partition(" ")
    method, _, path = rest.partition(" ")
    return (method or "GET").upper(), path


def _field(node: Node) -> Field | None:
    kind = _kind(node)
    if kind is None or {"disabled", "readonly"} & set(node.states):
        return None
    attributes = dict(node.fingerprint.attributes) if node.fingerprint else {}
    return Field(node=node, kind=kind, name=attributes.get("name", ""))


def _kind(node: Node) -> FieldKind | None:
    if node.input_type in UNFILLABLE_TYPES:
        return None
    if node.options:
        return "select"
    if node.role in CHOICE_KINDS:
        return CHOICE_KINDS[node.role]
    if node.input_type == "number":
        return "number"
    return "text" if node.role in TEXT_ROLES else None
