"""What the model is asked to reply with in each stage.

Only shapes: whether a reply fits the page or the trajectory is checked in `fitting.py`.
"""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)

from synthagent.records import (
    Action,
    AnswerEquals,
    Edit,
    PageShows,
    RequestSent,
    TaskType,
    UrlMatches,
)

E = TypeVar("E")


class _Shape(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


def tidy_action(value: Any) -> Any:
    """Return an action with the verb in lower case and refs as text; nothing is made up.

    Members that are null or empty text and not a field of the verb are left out: servers that
    fill in all members of a flat schema send those.
    """
    if not isinstance(value, dict):
        return value
    tidy = dict(value)
    if isinstance(tidy.get("type"), str):
        tidy["type"] = tidy["type"].strip().lower()
    for name in ("ref", "target"):
        if name in tidy:
            tidy[name] = _ref_text(tidy[name])
    known = _fields_of(tidy.get("type"))
    return {name: v for name, v in tidy.items() if name in known or v not in (None, "")}


def _ref_text(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int | float) else value


def _fields_of(verb: Any) -> frozenset[str]:
    return _FIELDS.get(verb, frozenset()) if isinstance(verb, str) else frozenset()


_FIELDS = {
    schema["properties"]["type"]["const"]: frozenset(schema["properties"])
    for schema in TypeAdapter(Action).json_schema()["$defs"].values()
    if "const" in schema.get("properties", {}).get("type", {})
}

ReplyAction = Annotated[Action, BeforeValidator(tidy_action)]
"""An action of the records, as models write them."""

ReplyCheck = Annotated[
    UrlMatches | PageShows | AnswerEquals | RequestSent, Field(discriminator="type")
]
"""The checks that a model may set up; the others need a plan behind them."""


def keep_valid(kind: Any) -> BeforeValidator:
    """Return a validator that drops the entries of a list that are no `kind`, unless all are not.

    One bad entry among twenty must not cost the other nineteen, nor another request.
    """

    def keep(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        kept = []
        for entry in value:
            try:
                kept.append(adapter.validate_python(entry))
            except ValidationError:
                continue
        return kept or value

    return BeforeValidator(keep)


class ControlReply(_Shape):
    """One control worth trying."""

    category: str = Field(min_length=1)
    action: ReplyAction
    fills: list[ReplyAction]


class CategorizeReply(_Shape):
    """The controls of a page."""

    controls: Annotated[list[ControlReply], keep_valid(ControlReply)]


class DraftReply(_Shape):
    """One proposed task."""

    type: TaskType
    intent: str = Field(min_length=1)
    start: Literal["page", "site"]
    check: ReplyCheck | None


class ProposeReply(_Shape):
    """Proposed tasks, may be none."""

    tasks: Annotated[list[DraftReply], keep_valid(DraftReply)]


class DecideReply(_Shape):
    """The next action."""

    observation: str
    reasoning: str
    instruction: str = Field(min_length=1)
    action: ReplyAction


class RewriteReply(_Shape):
    """A new wording."""

    rule: Literal["concrete", "align", "scale_down", "none"]
    reason: str
    intent: str
    check: ReplyCheck | None


class ReviewReply(_Shape):
    """An opinion on a trajectory."""

    reason: str
    decision: Literal["keep", "edit", "drop"]
    score: int = Field(ge=0, le=100)
    edits: list[Edit]
