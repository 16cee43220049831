"""The command line: what a person types and reads."""

from synthagent.cli.app import main

__all__ = ["main"]
