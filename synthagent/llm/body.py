"""What a server sent, whatever its form: one chat completion read from JSON or an event stream.

Not responsible for making sense of the model's words; see `reading.py`.
"""

import json
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from synthagent.prompting import clean_text

BodyKind = Literal["chat", "error", "web_page", "empty", "unreadable"]


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a reply was metered at; `estimated` when the server did not say."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0
    reasoning: int = 0
    estimated: bool = False

    @property
    def total(self) -> int:
        """Return all tokens that are paid for."""
        return self.prompt + self.completion


@dataclass(frozen=True, slots=True)
class Body:
    """A response body with status 200, taken apart."""

    kind: BodyKind
    text: str = ""
    """What the model said."""
    tool_arguments: tuple[str, ...] = ()
    """Arguments of tool calls, though none were offered."""
    reasoning: str = ""
    refusal: str = ""
    finish: str = ""
    tokens: Tokens | None = None
    """None when the server gave no numbers."""
    served_model: str = ""
    error: str = ""
    """The server's own words, of kind `error`."""
    error_code: int | None = None
    notes: tuple[str, ...] = field(default=())


def read_body(raw: str) -> Body:
    """Return what is in the response body `raw`; never raises."""
    text = raw.lstrip("\ufeff \t\r\n")
    if not text:
        return Body("empty")
    if text.startswith("<"):
        return Body("web_page", error=text[:200])
    if text.startswith(("data:", "event:", ":", "id:", "retry:")):
        return _read_stream(text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Body("unreadable", error=text[:200])
    return _read_completion(value) if isinstance(value, dict) else Body("unreadable")


def _read_completion(value: dict[str, Any]) -> Body:
    choices = value.get("choices")
    tokens = _read_tokens(value.get("usage"))
    served = _text(value.get("model"))
    choice = choices[0] if isinstance(choices, list) and choices else None
    if choice is None and value.get("error"):
        return replace(_read_error(value["error"]), tokens=tokens, served_model=served)
    if not isinstance(choice, dict):
        return Body("empty", tokens=tokens, served_model=served)
    message = choice.get("message")
    if not isinstance(message, dict):
        text = _text(choice.get("text"))  # the older completions protocol
        return Body("chat" if text else "empty", text=text, tokens=tokens, served_model=served)
    return Body(
        "chat",
        text=_content(message.get("content")),
        tool_arguments=_tool_arguments(message),
        reasoning=_text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        refusal=_text(message.get("refusal")),
        finish=_text(choice.get("finish_reason")),
        tokens=tokens,
        served_model=served,
    )


def _read_error(error: Any) -> Body:
    if not isinstance(error, dict):
        return Body("error", error=_text(error)[:300] or "the server gave an error without words")
    code = error.get("code", error.get("status"))
    number = int(str(code)) if str(code).isdigit() else None
    message = _text(error.get("message")) or json.dumps(error)
    return Body("error", error=clean_text(message)[:300], error_code=number)


def _read_stream(text: str) -> Body:
    """Put an event stream together; an error in it, or a cut, is not an answer."""
    message: dict[str, Any] = {"content": "", "reasoning_content": "", "refusal": ""}
    calls: dict[int, str] = {}
    finish, served, usage, ended = "", "", None, False
    for line in text.replace("\r\n", "\n").split("\n"):
        if not line.startswith("data:"):
            continue
        data = line[5:].strip()
        if data == "[DONE]":
            ended = True
            break
        try:
            event = json.loads(data)
        except ValueError:
            return Body("unreadable", error=data[:200])
        if not isinstance(event, dict):
            continue
        if event.get("error"):
            return replace(_read_error(event["error"]), tokens=_read_tokens(event.get("usage")))
        usage = event.get("usage") or usage
        served = _text(event.get("model")) or served
        choices = event.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            finish = _text(choices[0].get("finish_reason")) or finish
            _add_delta(message, calls, choices[0])
    if not (ended or finish):
        return Body("error", error="the event stream broke off", tokens=_read_tokens(usage))
    message["tool_calls"] = [{"function": {"arguments": calls[i]}} for i in sorted(calls)]
    choice = {"message": message, "finish_reason": finish}
    return _read_completion({"choices": [choice], "usage": usage, "model": served})


def _add_delta(message: dict[str, Any], calls: dict[int, str], choice: dict[str, Any]) -> None:
    delta = choice.get("delta") or choice.get("message")
    if not isinstance(delta, dict):
        return
    message["content"] += _content(delta.get("content"))
    message["refusal"] += _text(delta.get("refusal"))
    message["reasoning_content"] += _text(delta.get("reasoning_content") or delta.get("reasoning"))
    for place, call in enumerate(delta.get("tool_calls") or ()):
        if isinstance(call, dict):
            index = call.get("index", place)
            arguments = _text((call.get("function") or {}).get("arguments"))
            calls[index] = calls.get(index, "") + arguments


def _content(content: Any) -> str:
    """Return the text of a content field: a string, or a list of parts."""
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict)]
        kept = [p for p in parts if p.get("type", "text") in ("text", "output_text")]
        return "".join(_text(part.get("text")) for part in kept)
    if isinstance(content, dict):
        return json.dumps(content, ensure_ascii=False)
    return _text(content)


def _tool_arguments(message: dict[str, Any]) -> tuple[str, ...]:
    found: list[str] = []
    calls = message.get("tool_calls")
    functions = [call.get("function") for call in calls or () if isinstance(call, dict)]
    for function in [*functions, message.get("function_call")]:
        if isinstance(function, dict) and function.get("arguments"):
            arguments = function["arguments"]
            found.append(arguments if isinstance(arguments, str) else json.dumps(arguments))
    return tuple(clean_text(arguments) for arguments in found)


def _read_tokens(usage: Any) -> Tokens | None:
    if not isinstance(usage, dict):
        return None
    prompt_details = usage.get("prompt_tokens_details") or {}
    completion_details = usage.get("completion_tokens_details") or {}
    prompt = _count(usage, "prompt_tokens", "input_tokens")
    cached = _count(prompt_details, "cached_tokens") or _count(
        usage, "prompt_cache_hit_tokens", "cache_read_input_tokens"
    )
    return Tokens(
        prompt=prompt,
        cached=min(cached, prompt),
        completion=_count(usage, "completion_tokens", "output_tokens"),
        reasoning=_count(completion_details, "reasoning_tokens"),
    )


def _count(values: Any, *names: str) -> int:
    for name in names:
        value = values.get(name) if isinstance(values, dict) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return int(value)
    return 0


def _text(value: Any) -> str:
    return clean_text(value) if isinstance(value, str) else ""
