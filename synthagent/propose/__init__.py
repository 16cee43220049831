"""Proposal: tasks that the site can really answer."""

from synthagent.propose.stage import propose

__all__ = ["propose"]
