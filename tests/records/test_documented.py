"""docs/data.md names every field of the records that it describes."""

import re
from pathlib import Path

import pytest

from synthagent.export import MessagesRow
from synthagent.records import (
    Observation,
    Outcome,
    RefinedTrajectory,
    ReplayReport,
    Step,
    Task,
    TaskVersion,
    Usage,
    Verdict,
)

NAMED = set(
    re.findall(
        r"`(\w+)`", (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
    )
)
KINDS = [
    RefinedTrajectory,
    Task,
    TaskVersion,
    Step,
    Observation,
    Outcome,
    Verdict,
    ReplayReport,
    Usage,
    MessagesRow,
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_field_is_documented(kind):
    fields = {field.alias or name for name, field in kind.model_fields.items()}
    assert fields - NAMED - {"messages"} == set()
