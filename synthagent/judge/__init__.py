"""Verdicts: facts read off pages and programmatic checks of tasks."""
