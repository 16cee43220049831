"""Refinement: keep, edit or drop each trajectory with the whole of it in view, and replay it."""

from synthagent.refine.stage import refine

__all__ = ["refine"]
