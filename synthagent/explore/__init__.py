"""Exploration: what can be done on a site, and what comes of it."""

from synthagent.explore.stage import explore

__all__ = ["explore"]
