"""Calls the command line in this process, as a shell would."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from synthagent.cli import main


@dataclass(frozen=True, slots=True)
class Told:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one object on stdout; fails when there is anything else."""
        assert len(self.out.splitlines()) == 1, self.out
        return json.loads(self.out)


Call = Callable[..., Told]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Run `synthagent` with the given words."""

    def run(*words: str) -> Told:
        with pytest.raises(SystemExit) as ended:
            main(words)
        told = capsys.readouterr()
        return Told(int(ended.value.code or 0), told.out, told.err)

    return run
