"""One HTML file that shows a person what a run produced."""

from synthagent.report.render import write_report

__all__ = ["write_report"]
