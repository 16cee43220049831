"""Collection: doing the tasks, and mending them when the page says otherwise."""

from synthagent.collect.stage import collect

__all__ = ["collect"]
