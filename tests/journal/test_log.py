"""Logs: what is acknowledged is there, what is damaged is counted, whatever happened in between."""

import os
import random
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthagent.errors import ConfigError, DataError
from synthagent.journal import WriterLock
from synthagent.journal.lines import read_damage
from tests.journal.appending import Line, log_in


def whole(id: str, text: str = "Open the café menu") -> bytes:
    return Line(id=id, text=text).to_json().encode()


def ids(folder: Path) -> list[str]:
    return [line.id for line in log_in(folder)]


TORN = whole("t2")[:25]
T1, T2, T3, T4 = (whole(f"t{number}") for number in (1, 2, 3, 4))
HALF_LETTER = T2.index(b"\xc3") + 1
DAMAGED = {  # what is in the file, the ids to be read, the lines that are damaged
    "torn in json": (T1 + b"\n" + TORN, ["t1"], [2]),
    "torn in a letter": (T1 + b"\n" + T2[:HALF_LETTER], ["t1"], [2]),
    "torn, then appended": (b"\n".join([T1, TORN + T3, T4, b""]), ["t1", "t3", "t4"], [2]),
    "torn twice, then appended": (TORN + TORN + T3 + b"\n", ["t3"], [1]),
    "whole, without a newline": (T1 + b"\n" + T2, ["t1", "t2"], []),
    "zeros at the end": (T1 + b"\n" + bytes(500), ["t1"], [2]),
    "zeros, then appended": (T1 + b"\n" + bytes(500) + T2 + b"\n", ["t1", "t2"], [2]),
    "mixed by two": (b"\n".join([TORN + T1, T2[25:], T3, b"", b""]), ["t1", "t3"], [1, 2]),
    "blank lines only": (b"\n \n\n", [], []),
    "a byte order mark": (b"\xef\xbb\xbf" + T1 + b"\n", ["t1"], [1]),
    "not an object": (b"[1]\n17\nnull\n" + T1 + b"\n", ["t1"], [1, 2, 3]),
    "Windows line ends": (T1 + b"\r\n" + T2 + b"\r\n", ["t1", "t2"], []),
    "empty": (b"", [], []),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_counted_set_aside_and_never_costs_a_whole_record(tmp_path, name):
    found, readable, damaged = DAMAGED[name]
    file = tmp_path / "lines.jsonl"
    file.write_bytes(found)

    reader = log_in(tmp_path)
    assert (list(reader.ids()), reader.damaged) == (readable, len(damaged))
    assert file.read_bytes() == found, "reading changes nothing"

    writer = log_in(tmp_path)
    writer.append(Line(id="t9"))
    assert [line.id for line in writer] == [*readable, "t9"]
    assert writer.damaged == len(damaged), "repairing does not hide it"

    again = log_in(tmp_path)
    assert (list(again.ids()), again.damaged) == ([*readable, "t9"], len(damaged))
    assert file.read_bytes().endswith(b"\n")


@pytest.mark.parametrize("name", [name for name in DAMAGED if DAMAGED[name][2]])
def test_damaged_bytes_are_kept_as_they_were(tmp_path, name):
    found, _, damaged = DAMAGED[name]
    (tmp_path / "lines.jsonl").write_bytes(found)
    log_in(tmp_path).append(Line(id="t9"))

    kept = read_damage(tmp_path / "lines.damaged.jsonl")
    assert [one.line for one in kept] == damaged
    lines = found.split(b"\n")
    assert [one.raw for one in kept] == [lines[number - 1] for number in damaged]
    assert all(one.reason for one in kept)


def test_a_repair_that_was_killed_half_way_adds_nothing_twice(tmp_path):
    file = tmp_path / "lines.jsonl"
    file.write_bytes(whole("t1") + b"\n" + TORN)
    log_in(tmp_path).append(Line(id="t9"))
    file.write_bytes(whole("t1") + b"\n" + TORN)  # as if the second half had not happened

    again = log_in(tmp_path)
    again.append(Line(id="t9"))
    assert again.damaged == 1
    assert len((tmp_path / "lines.damaged.jsonl").read_bytes().splitlines()) == 1


def test_whole_json_that_is_no_such_record_is_an_error_not_damage(tmp_path):
    (tmp_path / "lines.jsonl").write_bytes(whole("t1") + b'\n{"id": "t2", "colour": "red"}\n')
    with pytest.raises(DataError, match=r"lines\.jsonl line 2 is not a Line .*colour"):
        len(log_in(tmp_path))


def test_an_unfinished_line_of_a_writer_at_work_is_no_damage(tmp_path):
    writer = log_in(tmp_path)
    writer.append(Line(id="t1"))
    with (tmp_path / "lines.jsonl").open("ab") as file:
        file.write(TORN)
    assert log_in(tmp_path).damaged == 0
    writer._lock.release()
    assert log_in(tmp_path).damaged == 1


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.text(max_size=3), st.text()), max_size=12))
def test_what_was_appended_is_read_back_in_order_and_once(tmp_path_factory, values):
    folder = tmp_path_factory.mktemp("log")
    log = log_in(folder)
    expected: dict[str, Line] = {}
    for id, text in values:
        log.append(Line(id=id, text=text))
        expected.setdefault(id, Line(id=id, text=text))
    for reader in (log, log_in(folder)):
        assert list(reader) == list(expected.values())
        assert len(reader) == len(expected)
        assert [reader.get(id) for id in expected] == list(expected.values())
        assert all(id in reader for id in expected)
        assert reader.damaged == 0
    assert log.get("absent") is None
    assert "absent" not in log


@pytest.mark.parametrize(
    "sign", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1e", "\r", "\n", "\0"]
)
def test_only_a_newline_ends_a_line(tmp_path, sign):
    log_in(tmp_path).append(Line(id="t1", text=f"a{sign}b"))
    assert [line.text for line in log_in(tmp_path)] == [f"a{sign}b"]
    assert (tmp_path / "lines.jsonl").read_bytes().count(b"\n") == 1


def test_of_equal_ids_in_a_file_the_first_counts(tmp_path):
    (tmp_path / "lines.jsonl").write_bytes(
        b"\n".join([whole("t1", "a"), T2, whole("t1", "b"), b""])
    )
    log = log_in(tmp_path)
    assert [line.text for line in log] == ["a", "Open the café menu"]
    assert log.damaged == 0


def test_reading_goes_on_while_the_same_log_is_written(tmp_path):
    log = log_in(tmp_path)
    for number in range(3):
        log.append(Line(id=f"t{number}"))
    seen = []
    for line in log:
        seen.append(line.id)
        log.append(Line(id=f"{line.id} again"))
    assert seen == ["t0", "t1", "t2"]
    assert len(log) == 6


def test_a_second_writer_is_refused_by_name_until_the_first_is_gone(tmp_path):
    first = WriterLock(tmp_path)
    first.acquire()
    first.acquire()  # keeps it
    with pytest.raises(ConfigError, match=f"process {os.getpid()} on"):
        log_in(tmp_path).append(Line(id="t1"))
    assert not (tmp_path / "lines.jsonl").exists()
    first.release()
    log_in(tmp_path).append(Line(id="t1"))
    log_in(tmp_path).append(Line(id="t2"))  # the log before was collected, and its lock with it
    assert ids(tmp_path) == ["t1", "t2"]


def test_a_log_given_back_sees_what_the_next_writer_added(tmp_path):
    first = log_in(tmp_path)
    first.append(Line(id="t1"))
    first._lock.release()
    second = log_in(tmp_path)
    second.append(Line(id="t2"))
    second._lock.release()
    first.append(Line(id="t2"))
    assert first.ids() == ("t1", "t2")
    assert ids(tmp_path) == ["t1", "t2"]


def start_appender(folder: Path, writer: str, count: int, size: int) -> subprocess.Popen[bytes]:
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tests.journal.appending",
            str(folder),
            writer,
            str(count),
            str(size),
        ],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_every_acknowledged_record_outlives_a_kill(tmp_path):
    chance = random.Random(7)
    expected = []
    for round in range(6):
        process = start_appender(tmp_path, f"w{round}", 10_000, 20_000)
        acknowledged = [process.stdout.readline() for _ in range(chance.randrange(1, 30))]
        process.send_signal(signal.SIGKILL)
        count = len(acknowledged) + process.stdout.read().count(b"\n")
        process.communicate()
        found = [id for id in ids(tmp_path) if id.startswith(f"w{round}-")]
        assert found[:count] == [f"w{round}-{number}" for number in range(count)]
        assert len(found) <= count + 1
        expected += found
    assert ids(tmp_path) == expected
    log_in(tmp_path).append(Line(id="last"))
    assert ids(tmp_path) == [*expected, "last"]


def test_four_writers_never_mix_their_lines(tmp_path):
    waiting = ["a", "b", "c", "d"]
    while waiting:
        running = {writer: start_appender(tmp_path, writer, 25, 300_000) for writer in waiting}
        for writer, process in running.items():
            _, errors = process.communicate()
            if process.returncode == 0:
                waiting.remove(writer)
            else:
                assert b"ConfigError" in errors
                assert b"is being written by" in errors
    assert sorted(ids(tmp_path)) == sorted(f"{w}-{n}" for w in "abcd" for n in range(25))
    assert log_in(tmp_path).damaged == 0


def test_a_disk_that_is_full_leaves_whole_lines_and_says_so(tmp_path):
    log = log_in(tmp_path)
    log.append(Line(id="t1"))
    before = (tmp_path / "lines.jsonl").read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 4096, hard))
        with pytest.raises(DataError, match=r"cannot write .*lines\.jsonl: File too large"):
            log.append(Line(id="t2", text="x" * 100_000))
        assert (tmp_path / "lines.jsonl").read_bytes() == before
        assert "t2" not in log
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    log.append(Line(id="t2", text="x" * 100_000))
    assert ids(tmp_path) == ["t1", "t2"]
