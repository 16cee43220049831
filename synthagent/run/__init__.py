"""Everything a stage needs, in one frozen object, and how it is opened and closed."""

from synthagent.run.browsers import BrowserPool
from synthagent.run.opening import Run, open_run

__all__ = ["BrowserPool", "Run", "open_run"]
