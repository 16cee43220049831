"""The run directory and the work-item runner: what makes a run safe to kill and to repeat.

Not responsible for the shape of records (`records/`) or for large files (`blobs.py`).
"""

from synthagent.journal.directory import RunDirectory, StageDone
from synthagent.journal.lines import Damage
from synthagent.journal.lock import WriterLock
from synthagent.journal.log import Log
from synthagent.journal.runner import STOP_ERRORS, WINDOW, run_items, run_stream

__all__ = [
    "STOP_ERRORS",
    "WINDOW",
    "Damage",
    "Log",
    "RunDirectory",
    "StageDone",
    "WriterLock",
    "run_items",
    "run_stream",
]
