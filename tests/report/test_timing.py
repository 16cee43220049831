"""Clock times of stages: added up over sittings, written also when stopped, torn lines ignored."""

from pathlib import Path

import pytest

from synthagent.report.timing import FILE, StageTime, read_times, time_stage


def test_sittings_add_up_and_torn_lines_are_passed_over(tmp_path: Path) -> None:
    assert read_times(tmp_path) == {}
    with time_stage(tmp_path, "explore"):
        pass
    with pytest.raises(KeyboardInterrupt), time_stage(tmp_path, "explore"):
        raise KeyboardInterrupt
    assert len((tmp_path / FILE).read_bytes().splitlines()) == 2
    lines = [StageTime(stage="collect", seconds=2.5), StageTime(stage="collect", seconds=1.5)]
    (tmp_path / FILE).write_text("\n".join(line.to_json() for line in lines) + '\n{"stage": "ref')
    assert read_times(tmp_path) == {"collect": 4.0}
