"""synthagent: from a website to verified tasks, trajectories and an adapted agent."""

__version__ = "0.1.0"
