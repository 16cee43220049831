"""The teacher that asks a language model; prompts lie in `prompts/`."""

from synthagent.teachers.llm.teacher import LLMTeacher

__all__ = ["LLMTeacher"]
