"""Who decides: the protocol of a teacher, the LLM teacher and the grounded teacher."""
