"""Asks for a reply of a given type and takes nothing less: one repair round, then a typed error.

Not responsible for sending (`client.py`) nor for finding JSON in text (`reading.py`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, cast

from pydantic import BaseModel, ValidationError

from synthagent.errors import (
    ModelError,
    ModelRefused,
    ModelReplyMalformed,
    ModelReplyTruncated,
    ModelUnavailable,
)
from synthagent.llm.body import Body, read_body
from synthagent.llm.client import ModelClient
from synthagent.llm.faults import ContextOverflow
from synthagent.llm.messages import Call, Message
from synthagent.llm.reading import Found, find_objects
from synthagent.llm.recorded import StoredReply
from synthagent.llm.schema import wire_schema
from synthagent.prompting import Prompt

T = TypeVar("T", bound=BaseModel)
R = TypeVar("R")

SAME_AGAIN = 2
"""How often the same is asked again when nothing came back that could be answered to."""
_REFUSAL_STARTS = ("i'm sorry", "i’m sorry", "sorry,", "i cannot", "i can't", "i can’t", "as an ai")


class Unfit(Exception):
    """A reply of the right shape that says what cannot be; the model is told and asked again."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Reply(Generic[R]):
    """What a model answered, checked."""

    value: R
    calls: tuple[str, ...]
    """Keys of all calls behind it, also of those that were repaired."""
    notes: tuple[str, ...] = ()
    """What had to be overlooked, such as a second answer in the same reply."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a reply cannot be used."""

    kind: str
    """`empty`, `malformed`, `truncated` or `refused`."""
    message: str
    said: str = ""
    """The model's own words, shown to it in the repair round."""


async def ask(
    client: ModelClient,
    *,
    item: str,
    stage: str,
    messages: Sequence[Message],
    reply: type[T],
    accept: Callable[[T], R] | None = None,
) -> Reply[R]:
    """Return the reply of the model as `reply`, passed through `accept`.

    Args:
        client: Where to ask.
        item: The work item that pays; with the messages it decides what a resumed run replays.
        stage: For the ledger.
        messages: The conversation.
        reply: Type of the reply; its schema is sent along.
        accept: Checks what the type cannot, and may return something else; raises `Unfit`.

    Raises:
        ModelReplyMalformed: it did not fit, also after the repair round.
        ModelReplyTruncated: it was cut, also with twice the room.
        ModelRefused: the model declined.
        ContextOverflow: the messages are too long; cut them and ask again.
        ModelUnavailable, ModelAccessDenied, BudgetExceeded: see `ModelClient.complete`.
    """
    call = Call(
        item=item,
        stage=stage,
        model=client.model,
        messages=tuple(messages),
        schema_name=reply.__name__.lstrip("_"),
        schema=wire_schema(reply),
        temperature=client.config.temperature,
        max_tokens=client.config.max_tokens,
    )
    keys: list[str] = []
    repaired = enlarged = False
    while True:
        stored = await client.complete(call)
        keys.append(stored.key)
        body = read_body(stored.raw)
        _check_room(client, call, body, stored)
        outcome = read_reply(body, reply, accept)
        if not isinstance(outcome, Problem):
            value, notes = outcome
            return Reply(cast(R, value), tuple(keys), notes)
        if outcome.kind == "truncated" and not enlarged:
            enlarged = True
            call = replace(call, max_tokens=call.max_tokens * 2)
        elif outcome.kind == "malformed" and not repaired:
            repaired = True
            call = replace(call, messages=_with_repair(call.messages, outcome), number=0)
        elif outcome.kind == "empty" and call.number < SAME_AGAIN:
            call = replace(call, number=call.number + 1)
        else:
            raise _error(client, stage, item, outcome)


def read_reply(
    body: Body, reply: type[T], accept: Callable[[T], Any] | None = None
) -> tuple[Any, tuple[str, ...]] | Problem:
    """Return the value in a response body with notes on what was overlooked, or the problem."""
    if body.kind != "chat":
        return Problem("empty", f"{body.kind} reply {body.error}".strip())
    if body.refusal or body.finish == "content_filter":
        return Problem("refused", body.refusal or "stopped by the server's content filter")
    cut = body.finish in ("length", "max_tokens")
    first: Problem | None = None
    for text, notes in _sources(body, cut):
        found = find_objects(text, complete=not cut)
        fitting, problems = _fit(found.objects, reply)
        if len(fitting) > 1:
            return Problem("malformed", f"- there are {len(fitting)} different answers", text)
        if fitting and not found.twice:
            mended = ("near-miss JSON was mended",) if found.repaired else ()
            return _accepted(fitting[0], accept, (*notes, *mended), text)
        first = first or _explain(found, problems, cut, text)
    return first or Problem("truncated" if cut else "empty", "the reply holds no answer")


def _sources(body: Body, cut: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Give the texts that may hold the answer: said, called, or by mistake in the reasoning."""
    if body.text.strip():
        yield body.text, ()
    if body.tool_arguments:
        more = len(body.tool_arguments) - 1
        dropped = (f"{more} more tool calls were dropped",) if more else ()
        yield body.tool_arguments[0], ("answered by a tool call", *dropped)
    reasoning = body.reasoning.strip()
    whole = reasoning.startswith("{") and reasoning.endswith("}") and not cut
    if whole and not body.text.strip() and not body.tool_arguments:
        yield reasoning, ("the answer was in the reasoning field",)


def _fit(objects: Sequence[dict[str, Any]], reply: type[T]) -> tuple[list[T], list[str]]:
    """Return the objects that are a `reply`, as they stand or unwrapped, and what is wrong."""
    fitting: list[T] = []
    problems: list[str] = []
    for value in objects:
        for form in _forms(value):
            try:
                fitted = reply.model_validate(form)
            except ValidationError as error:
                if form is value:
                    problems += _sentences(error)
                continue
            if fitted not in fitting:
                fitting.append(fitted)
            break
    return fitting, problems


def _forms(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return `value` and what it may be a wrapper of: a tool call, or one named member."""
    forms = [value]
    function = value.get("function")
    for holder in (value, function if isinstance(function, dict) else {}):
        for name in ("arguments", "parameters", "input"):
            inner = holder.get(name)
            if isinstance(inner, str):
                objects = find_objects(inner).objects
                inner = objects[0] if len(objects) == 1 else None
            if isinstance(inner, dict):
                forms.append(inner)
    if len(value) == 1:
        (inner,) = value.values()
        forms += [inner] if isinstance(inner, dict) else []
    return forms


def _accepted(
    value: T, accept: Callable[[T], Any] | None, notes: tuple[str, ...], text: str
) -> tuple[Any, tuple[str, ...]] | Problem:
    if accept is None:
        return value, notes
    try:
        return accept(value), notes
    except Unfit as unfit:
        return Problem("malformed", "\n".join(f"- {p}" for p in unfit.problems), text)


def _explain(found: Found, problems: list[str], cut: bool, text: str) -> Problem:
    if cut:
        return Problem("truncated", "the reply was cut at the token limit", text)
    if found.only_thinking or not text.strip("`~ \njson"):
        return Problem("empty", "the reply holds no answer, only thinking or an empty block")
    if found.twice:
        names = ", ".join(found.twice)
        problems = [f"the object has {names} twice, with different values"]
    elif found.torn and not problems:
        problems = ["the JSON object is not closed"]
    elif not problems:
        problems = ["the reply holds no JSON object"]
    return Problem("malformed", "\n".join(f"- {problem}" for problem in problems[:8]), text)


def _sentences(error: ValidationError) -> list[str]:
    lines = []
    for entry in error.errors(include_url=False, include_context=False):
        place = ".".join(str(part) for part in entry["loc"]) or "the reply"
        lines.append(f"{place}: {entry['msg']} (got {str(entry['input'])[:60]!r})")
    return lines


def _with_repair(messages: tuple[Message, ...], problem: Problem) -> tuple[Message, ...]:
    rendered = Prompt("repair").render(problems=problem.message)
    said = problem.said[:4000] or "(nothing)"
    return (*messages, Message("assistant", said), Message("user", rendered.user))


def _check_room(client: ModelClient, call: Call, body: Body, stored: StoredReply) -> None:
    """Notice a prompt that the server cut without a word, and a ceiling that it ignored.

    A reply to half a prompt is not data, so it is treated like a refusal for its length.
    """
    tokens = body.tokens
    if tokens is None:
        return
    if tokens.completion > 2 * call.max_tokens:
        client.warn(
            f"the ceiling had no effect at {client.endpoint}: {tokens.completion} tokens came,"
            f" {call.max_tokens} were asked for"
        )
    expected = call.estimated_tokens
    # The second sign of a cut: prompt and answer fill a context of a round size to the token.
    full = tokens.total >= 2048 and tokens.total.bit_count() == 1
    filled = full and tokens.prompt < 0.8 * expected
    if (expected > 1000 and 0 < tokens.prompt < expected / 2) or filled:
        limit = tokens.total if full else tokens.prompt
        message = (
            f"{client.model} at {client.endpoint} read {tokens.prompt} of about {expected} prompt"
            " tokens: raise the context length of the server (num_ctx, --ctx-size, max-model-len)"
        )
        client.warn(message)
        raise ContextOverflow(message, limit)


def _error(client: ModelClient, stage: str, item: str, problem: Problem) -> ModelError:
    said = f"; it said {problem.said[:200]!r}" if problem.said else ""
    message = f"{stage} of {item}: {client.model} gave no usable reply: {problem.message}{said}"
    opening = problem.said.strip().lower()
    if problem.kind == "refused" or opening.startswith(_REFUSAL_STARTS):
        return ModelRefused(message)
    if problem.kind == "truncated":
        return ModelReplyTruncated(message)
    if problem.kind == "empty" and problem.message.startswith(("error", "empty", "unreadable")):
        return ModelUnavailable(message)
    return ModelReplyMalformed(message)
