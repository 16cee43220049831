"""Faults that servers and models put around a reply: text to text, text to response body."""

import json
from collections.abc import Callable
from typing import Any

from tests.llm.shapes import said

FENCE = "```"


def dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def trailing_commas(value: dict[str, Any]) -> str:
    out, inside, escaped = "", False, False
    for char in dumps(value):
        if not inside and char in "}]" and out[-1] not in "{[":
            out += ","
        out += char
        inside ^= char == '"' and not escaped
        escaped = inside and char == "\\" and not escaped
    return out


WRITTEN: dict[str, Callable[[dict[str, Any]], str]] = {
    "plain": dumps,
    "ascii": json.dumps,
    "indented": lambda value: json.dumps(value, indent=2),
    "trailing commas": trailing_commas,
    "python": repr,
    "comment": lambda value: dumps(value).replace("{", "{ // the nearest one\n", 1),
    "encoded twice": lambda value: json.dumps(dumps(value)),
    "in a list": lambda value: dumps([value]),
    "as a call": lambda value: dumps({"name": "decide", "arguments": value}),
    "as a call in text": lambda value: dumps({"name": "decide", "arguments": dumps(value)}),
    "under its name": lambda value: dumps({"DecideReply": value}),
}
AROUND: dict[str, Callable[[str], str]] = {
    "nothing": lambda text: text,
    "fence": lambda text: f"{FENCE}json\n{text}\n{FENCE}",
    "long fence": lambda text: f"{FENCE}`json\n{text}\n{FENCE}`",
    "open fence": lambda text: f"{FENCE}json\n{text}",
    "prose": lambda text: f"Sure, the next step.\n\n{text}\nTell me if you need more.",
    "other block": lambda text: f"First:\n{FENCE}text\n[17] button Search\n{FENCE}\nThen:\n{text}",
    "inline code": lambda text: f"Press `Search`: {text}",
    "thinking": lambda text: (
        f'<think>Maybe {{"action": {{"type": "answer"}}}}? No.</think>\n{text}'
    ),
    "thinking unopened": lambda text: f"The list shows [17]. Fine.\n</think>\n{text}",
    "thinking loud": lambda text: f"<THINKING>short</THINKING>{text}",
    "thinking in brackets": lambda text: f"[THINK]{{ hm [/THINK]{text}",
    "tool call tags": lambda text: f"<tool_call>{text}</tool_call>",
    "mark of order": lambda text: f"\ufeff{text}\n\n",
}


def as_stream(text: str) -> str:
    size = max(1, len(text) // 5)
    events: list[dict[str, Any]] = [{"choices": []}]
    for start in range(0, len(text), size):
        delta = {"content": text[start : start + size]}
        events.append({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    lines = "".join(f"data: {json.dumps(event)}\r\n\r\n" for event in events)
    return f": keep-alive\r\n\r\n{lines}data: [DONE]\r\n\r\n"


def as_call(text: str) -> str:
    call = {"id": "1", "type": "function", "function": {"name": "decide", "arguments": text}}
    return json.dumps(said("", finish="tool_calls", tool_calls=[call]))


BODIES: dict[str, Callable[[str], str]] = {
    "plain": lambda text: json.dumps(said(text)),
    "parts": lambda text: json.dumps(said([{"type": "text", "text": text}])),
    "stream": as_stream,
    "tool call": as_call,
    "deprecated call": lambda text: json.dumps(said("", function_call={"arguments": text})),
    "reasoning beside": lambda text: json.dumps(said(text, reasoning_content='{"action": 1}')),
}
