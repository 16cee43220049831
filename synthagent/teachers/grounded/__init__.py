"""The teacher without a model: rules over what exploration saw."""

from synthagent.teachers.grounded.teacher import GroundedTeacher

__all__ = ["GroundedTeacher"]
