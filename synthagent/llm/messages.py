"""What is asked of a model, independent of the server: messages, the call, its key.

Not responsible for the wire parameters that a server takes; see `abilities.py`.
"""

import base64
import hashlib
from dataclasses import dataclass
from typing import Any, Literal

from synthagent.prompting import clean_text, estimate_tokens
from synthagent.records.frozen import content_id

IMAGE_TOKENS = 800
"""Rough share of one screenshot in the prompt, for estimates only."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that goes along with a message."""

    data: bytes
    media_type: str = "image/webp"

    @property
    def sha(self) -> str:
        """Return the hash that stands for the picture in keys and stored calls."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def url(self) -> str:
        """Return the picture as a `data:` address."""
        return f"data:{self.media_type};base64,{base64.b64encode(self.data).decode()}"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    text: str
    images: tuple[Image, ...] = ()

    def stored(self) -> dict[str, Any]:
        """Return the message as it is hashed and stored: pictures by their hash."""
        value: dict[str, Any] = {"role": self.role, "content": clean_text(self.text)}
        if self.images:
            value["images"] = [image.sha for image in self.images]
        return value

    def wire(self, *, pictures: bool) -> dict[str, Any]:
        """Return the message as the chat protocol wants it."""
        text = clean_text(self.text)
        if not (self.images and pictures):
            return {"role": self.role, "content": text}
        parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
        parts += [{"type": "image_url", "image_url": {"url": i.url}} for i in self.images]
        return {"role": self.role, "content": parts}


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a model: equal calls have equal keys, on any server and in any process."""

    item: str
    """The work item that pays, such as the id of a transition or of an attempt at a task."""
    stage: str
    model: str
    messages: tuple[Message, ...]
    schema_name: str
    schema: dict[str, Any]
    temperature: float
    max_tokens: int
    number: int = 0
    """How often the same was asked before, because the reply could not be used."""

    @property
    def request_hash(self) -> str:
        """Return a hash of what is asked."""
        messages = [message.stored() for message in self.messages]
        return content_id(self.model, messages, self.schema, self.temperature, self.max_tokens)

    @property
    def key(self) -> str:
        """Return the key of the stored reply; sent along, so that a server can know it too."""
        return content_id(self.item, self.request_hash, self.number)

    @property
    def images(self) -> int:
        """Return the number of pictures."""
        return sum(len(message.images) for message in self.messages)

    @property
    def estimated_tokens(self) -> int:
        """Return about how many tokens the messages are, pictures left out."""
        return sum(estimate_tokens(message.text) for message in self.messages)
