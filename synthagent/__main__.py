"""Lets `python -m synthagent` be the command line."""

from synthagent.cli import main

main()
