"""What an agent can do: one frozen record an action, and the outcome of doing it.

The JSON schema that models answer with is generated from the union `Action`.
"""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from synthagent.records.frozen import Frozen

MouseButton = Literal["left", "middle", "right"]
Modifier = Literal["Alt", "Control", "Meta", "Shift"]
DialogAnswer = Literal["accept", "dismiss"]


class Click(Frozen):
    """Click an element."""

    type: Literal["click"] = "click"
    ref: str
    button: MouseButton = "left"
    count: int = Field(default=1, ge=1, le=3)
    modifiers: tuple[Modifier, ...] = ()
    dialog: DialogAnswer | None = None
    """Answer to a confirm or prompt that this click opens; the session's policy when not given."""


class TypeText(Frozen):
    """Write text into a field."""

    type: Literal["type"] = "type"
    ref: str
    text: str
    clear: bool = True
    """Replace what is there; otherwise append."""
    submit: bool = False
    """Press Enter afterwards."""


class Select(Frozen):
    """Choose options of a select by label or value."""

    type: Literal["select"] = "select"
    ref: str
    options: tuple[str, ...] = Field(min_length=1)


class Check(Frozen):
    """Set a checkbox, radio button or switch."""

    type: Literal["check"] = "check"
    ref: str
    on: bool = True


class Hover(Frozen):
    """Move the pointer over an element."""

    type: Literal["hover"] = "hover"
    ref: str


class Press(Frozen):
    """Press keys, such as `Enter` or `Control+a`, on an element or on the page."""

    type: Literal["press"] = "press"
    keys: str
    ref: str | None = None


class Scroll(Frozen):
    """Scroll the page, or the scroller `ref`, by a share of its visible size."""

    type: Literal["scroll"] = "scroll"
    direction: Literal["up", "down", "left", "right"] = "down"
    amount: float = Field(default=0.8, gt=0, le=50)
    ref: str | None = None


class Drag(Frozen):
    """Drag one element onto another."""

    type: Literal["drag"] = "drag"
    ref: str
    target: str


class Upload(Frozen):
    """Give a file of the session's upload folder to a file input."""

    type: Literal["upload"] = "upload"
    ref: str
    file: str


class Goto(Frozen):
    """Open an address of the site."""

    type: Literal["goto"] = "goto"
    url: str


class Back(Frozen):
    """Go one page back."""

    type: Literal["back"] = "back"


class Forward(Frozen):
    """Go one page forward."""

    type: Literal["forward"] = "forward"


class Reload(Frozen):
    """Load the page again."""

    type: Literal["reload"] = "reload"


class NewTab(Frozen):
    """Open an empty tab, or one with an address."""

    type: Literal["new_tab"] = "new_tab"
    url: str | None = None


class SwitchTab(Frozen):
    """Make another tab the active one."""

    type: Literal["switch_tab"] = "switch_tab"
    index: int = Field(ge=0)


class CloseTab(Frozen):
    """Close the active tab."""

    type: Literal["close_tab"] = "close_tab"


class Wait(Frozen):
    """Wait until a text shows, or for some seconds."""

    type: Literal["wait"] = "wait"
    text: str | None = None
    seconds: float = Field(default=5.0, ge=0, le=30)


class Answer(Frozen):
    """End the task as done; with the answer where one is asked for."""

    type: Literal["answer"] = "answer"
    text: str = ""


ConflictKind = Literal["missing_control", "missing_argument", "stall"]


class Infeasible(Frozen):
    """Say that the task, as worded, cannot be done on what the page shows."""

    type: Literal["infeasible"] = "infeasible"
    kind: Literal["missing_control", "missing_argument"]
    evidence: str
    """What the page shows instead, quoted."""


Action = Annotated[
    Click
    | TypeText
    | Select
    | Check
    | Hover
    | Press
    | Scroll
    | Drag
    | Upload
    | Goto
    | Back
    | Forward
    | Reload
    | NewTab
    | SwitchTab
    | CloseTab
    | Wait
    | Answer
    | Infeasible,
    Field(discriminator="type"),
]
ACTION: TypeAdapter[Action] = TypeAdapter(Action)

ActionErrorKind = Literal[
    "unknown_ref",
    "stale_element",
    "wrong_kind",
    "disabled",
    "covered",
    "not_visible",
    "no_such_option",
    "bad_value",
    "value_differs",
    "blocked",
    "navigation_failed",
    "timeout",
    "page_crashed",
]


class ActionError(Frozen):
    """Why an action was rejected or failed, in a sentence that a model can act on."""

    kind: ActionErrorKind
    message: str = Field(max_length=300)


class Request(Frozen):
    """A request that an action caused and that may change the site (any method but GET)."""

    method: str
    url: str
    fields: tuple[tuple[str, str], ...] = ()
    """Form fields or flat JSON members; secrets and one-time tokens are masked."""
    status: int | None = None


class Dialog(Frozen):
    """A native dialog that appeared, and how it was answered."""

    type: str
    message: str
    answer: DialogAnswer


class Outcome(Frozen):
    """What an action did."""

    status: Literal["ok", "rejected", "failed"]
    """`rejected`: nothing was touched. `failed`: tried, without the wanted effect."""
    error: ActionError | None = None
    changed: bool = False
    """The page looks different afterwards."""
    navigated: bool = False
    url: str = ""
    new_tabs: int = 0
    closed_tabs: int = 0
    dialogs: tuple[Dialog, ...] = ()
    downloads: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    """Requests that the network policy stopped: `POST http://host/path`."""
    requests: tuple[Request, ...] = ()
    http_status: int | None = None
    """Of the document, when one was loaded."""
    typed_value: str | None = None
    """What the field shows after typing."""
    note: str = ""
    """What else is worth knowing: `scrolled 576 px, the end is reached`."""
    rebound: bool = False
    """The element had been redrawn and was found again by its fingerprint."""
    settled: str = "quiet"
    """Why waiting ended: `quiet`, `cap:mutations`, `cap:network`."""
    ms: int = Field(default=0, ge=0)


def target_ref(action: Action) -> str | None:
    """Return the ref that `action` points at, if it points at an element."""
    return getattr(action, "ref", None)
