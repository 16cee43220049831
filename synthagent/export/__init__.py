"""Data sets for training, made from the refined trajectories of a run.

Not responsible for training on them; see `train/`.
"""

from synthagent.export.dataset import ExportReport, export_messages, export_prompt_completion
from synthagent.export.rows import MessagesRow, PromptCompletionRow, StepRow, step_rows
from synthagent.export.stage import export_run

__all__ = [
    "ExportReport",
    "MessagesRow",
    "PromptCompletionRow",
    "StepRow",
    "export_messages",
    "export_prompt_completion",
    "export_run",
    "step_rows",
]
