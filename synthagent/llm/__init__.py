"""Talking to models: client, structured replies, ledger, stored calls, scripted server."""

from synthagent.llm.client import ModelClient
from synthagent.llm.faults import ContextOverflow
from synthagent.llm.ledger import Ledger, Limits
from synthagent.llm.messages import Image, Message
from synthagent.llm.structured import Reply, Unfit, ask

__all__ = [
    "ContextOverflow",
    "Image",
    "Ledger",
    "Limits",
    "Message",
    "ModelClient",
    "Reply",
    "Unfit",
    "ask",
]
