"""Keeps what happens in a session while one action is under way.

Not responsible for deciding anything; the outcome is made of it at the end.
"""

from dataclasses import dataclass, field

from playwright.async_api import Request as SentRequest

from synthagent.records import Dialog


@dataclass(slots=True)
class Recorder:
    """Events since the action began."""

    blocked: list[str] = field(default_factory=list)
    sent: list[SentRequest] = field(default_factory=list)
    refused_wanted: str = ""
    """A stopped request without which the action cannot have its effect."""
    statuses: dict[SentRequest, int] = field(default_factory=dict)
    dialogs: list[Dialog] = field(default_factory=list)
    downloads: list[str] = field(default_factory=list)
    new_tabs: int = 0
    closed_tabs: int = 0
    committed: int = 0
    """New documents, and changes of address inside one, in the active tab."""
    document_status: int | None = None
