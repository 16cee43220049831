"""What one server can do with one model, and the request written accordingly.

Learned when a request is turned down for a parameter, and remembered; nothing is sent from here.
"""

import json
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal
from urllib.parse import urlsplit

from synthagent.llm.messages import Call, Message

ReplyMode = Literal["json_schema", "json_object", "text"]
LimitName = Literal["max_tokens", "max_completion_tokens"]
_OTHER_LIMIT: dict[LimitName, LimitName] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a server takes; the best is assumed until it says otherwise."""

    limit_name: LimitName | None = "max_tokens"
    limit_tried: bool = False
    """The other name was turned down before."""
    temperature: bool = True
    reply_mode: ReplyMode = "json_schema"
    pictures: bool = True
    system: bool = True
    context_tokens: int | None = None

    @classmethod
    def assumed(cls, endpoint: str) -> "Abilities":
        """Return what to try first at `endpoint`; only OpenAI itself prefers the newer name."""
        host = urlsplit(endpoint).hostname or ""
        newer = host.endswith(("openai.com", "azure.com"))
        return cls(limit_name="max_completion_tokens" if newer else "max_tokens")

    @classmethod
    def from_json(cls, text: str) -> "Abilities":
        """Return what was remembered by `to_json`."""
        return cls(**json.loads(text))

    def to_json(self) -> str:
        """Return one line that `from_json` reads."""
        return json.dumps(asdict(self), sort_keys=True)

    def without(self, parameter: str) -> "Abilities | None":
        """Return what is left when `parameter` is not taken, or None when nothing else is left."""
        if parameter == self.limit_name and self.limit_name:
            if self.limit_tried:
                return None
            return replace(self, limit_name=_OTHER_LIMIT[self.limit_name], limit_tried=True)
        if parameter == "response_format" and self.reply_mode != "text":
            lesser: ReplyMode = "json_object" if self.reply_mode == "json_schema" else "text"
            return replace(self, reply_mode=lesser)
        if parameter == "temperature" and self.temperature:
            return replace(self, temperature=False)
        if parameter == "images" and self.pictures:
            return replace(self, pictures=False)
        return replace(self, system=False) if parameter == "system" and self.system else None

    def parameters(self, call: Call) -> tuple[str, ...]:
        """Return the names under which the server may complain about the request of `call`."""
        names = [self.limit_name] if self.limit_name else []
        optional = {
            "temperature": self.temperature,
            "response_format": self.reply_mode != "text",
            "images": self.pictures and call.images > 0,
            "system": self.system,
        }
        return (*names, *(name for name, used in optional.items() if used))

    def wire(self, call: Call) -> dict[str, Any]:
        """Return the body of the request for `call`."""
        messages = call.messages if self.system else _without_system(call.messages)
        body: dict[str, Any] = {
            "model": call.model,
            "messages": [message.wire(pictures=self.pictures) for message in messages],
        }
        if self.limit_name:
            body[self.limit_name] = call.max_tokens
        if self.temperature:
            body["temperature"] = call.temperature
        if self.reply_mode == "json_schema":
            schema = {"name": call.schema_name, "schema": call.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif self.reply_mode == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body


def _without_system(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Put the system text in front of the first user message, never in place of it."""
    texts = [message.text for message in messages if message.role == "system"]
    rest = [message for message in messages if message.role != "system"]
    if texts and rest:
        rest[0] = replace(rest[0], text="\n\n".join([*texts, rest[0].text]))
    return tuple(rest)
