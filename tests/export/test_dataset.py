"""Exported files: they load where training loads them, and say what is missing."""

import json

import pyarrow.json
import pytest

from synthagent.config import RunConfig
from synthagent.errors import DataError
from synthagent.export import (
    ExportReport,
    MessagesRow,
    PromptCompletionRow,
    export_messages,
    export_prompt_completion,
    export_run,
)
from synthagent.export.dataset import read_rows
from synthagent.journal import RunDirectory
from synthagent.records import Answer, Click
from tests.export.refined import refined, shopping, step

MANY = tuple(shopping(str(number)) for number in range(12))


@pytest.fixture
def run(tmp_path):
    with RunDirectory.open(tmp_path / "demo", RunConfig(site="shop")) as directory:
        for trajectory in MANY:
            directory.refined.append(trajectory)
        yield directory


def test_a_run_is_exported_whole_and_counted(run):
    report = export_run(run)
    assert report == ExportReport(
        trajectories=12,
        rows=48,
        skipped=(("the action failed", 12),),
        files=("export/messages.jsonl", "export/prompt_completion.jsonl", "export/card.md"),
    )
    assert all((run.path / name).is_file() for name in report.files)
    assert len(list((run.path / "export").iterdir())) == 3, "nothing half-written is left"
    first = [(run.path / name).read_bytes() for name in report.files]
    assert export_run(run) == report
    assert [(run.path / name).read_bytes() for name in report.files] == first


def test_both_forms_say_the_same(run):
    export_run(run)
    chats = list(read_rows(run.path / "export/messages.jsonl", MessagesRow))
    pairs = list(read_rows(run.path / "export/prompt_completion.jsonl", PromptCompletionRow))
    assert [chat.messages for chat in chats] == [(*pair.prompt, *pair.completion) for pair in pairs]
    assert [(c.trajectory, c.step) for c in chats] == [(p.trajectory, p.step) for p in pairs]
    assert [[m.role for m in chat.messages] for chat in chats] == [
        ["system", "user", "assistant"]
    ] * 48
    by_id = {trajectory.id: trajectory for trajectory in MANY}
    for chat in chats:
        taken = by_id[chat.trajectory].steps[chat.step]
        assert taken.observation.text in chat.messages[1].content
        assert taken.reasoning == json.loads(chat.messages[2].content)["reasoning"]


@pytest.mark.parametrize("block", [4_000, 16_000, 1_000_000])
@pytest.mark.parametrize("name", ["messages", "prompt_completion"])
def test_types_are_the_same_however_few_rows_they_are_guessed_from(run, name, block):
    export_run(run)
    file = run.path / "export" / f"{name}.jsonl"
    table = pyarrow.json.read_json(file, read_options=pyarrow.json.ReadOptions(block_size=block))
    assert table.num_rows == 48
    chat = "list<item: struct<role: string, content: string>>"
    columns = {column.name: str(column.type) for column in table.schema}
    assert columns == {
        "trajectory": "string",
        "step": "int64",
        "task": "string",
        "task_type": "string",
        "site": "string",
    } | ({"messages": chat} if name == "messages" else {"prompt": chat, "completion": chat})
    assert all(column.null_count == 0 for column in table.columns)


def test_a_moved_export_is_read_as_before_and_names_no_place(run, tmp_path):
    export_run(run)
    moved = (run.path / "export").rename(tmp_path / "elsewhere")
    assert sum(1 for _ in read_rows(moved / "messages.jsonl", MessagesRow)) == 48
    assert not any(str(tmp_path) in file.read_text(encoding="utf-8") for file in moved.iterdir())


def test_damage_in_the_run_shows_in_the_report_and_on_the_card(run):
    path = run.path
    run.close()
    with (path / "refined.jsonl").open("ab") as file:
        file.write(b'{"id": "torn')
    report = export_run(RunDirectory.load(path))
    assert (report.trajectories, report.damaged) == (12, 1)
    assert "1 damaged lines of `refined.jsonl`" in (path / "export/card.md").read_text()


def test_a_run_that_kept_nothing_exports_nothing_and_says_so(tmp_path):
    with RunDirectory.open(tmp_path / "demo", RunConfig(site="shop")) as directory:
        report = export_run(directory)
    assert (report.trajectories, report.rows) == (0, 0)
    assert (tmp_path / "demo/export/messages.jsonl").read_bytes() == b""


def test_the_card_counts_and_names_its_sources(run):
    export_run(run)
    card = (run.path / "export/card.md").read_text(encoding="utf-8")
    for line in (
        "# Data card: demo",
        "48 rows of 12 trajectories",
        "| site | shop 12 |",
        "| task type | modification 12 |",
        "| teacher | grounded 12 |",
        "| code version | 0.1.0 12 |",
        "| replay | replayed 12 |",
        "| steps | 5 12 |",
        "- 12 steps left out: the action failed.",
        "licence",
    ):
        assert line in card


def test_an_export_that_fails_leaves_the_one_before(tmp_path):
    out = tmp_path / "messages.jsonl"
    export_messages(MANY[:1], out)
    before = out.read_bytes()

    def broken():
        yield MANY[0]
        raise DataError("blob is missing")

    with pytest.raises(DataError, match="blob is missing"):
        export_messages(broken(), out)
    assert out.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["messages.jsonl"]


SPOILS = {
    "cut": lambda line: line[: len(line) // 2],
    "not UTF-8": lambda line: line.replace(b"Saved", b"Sav\xe9d"),
    "another role": lambda line: line.replace(b'"role":"user"', b'"role":"human"'),
    "an answer that is no JSON": lambda line: line.replace(b'{\\"reasoning\\"', b"{'reasoning'"),
    "a number as text": lambda line: line.replace(b'"step":0', b'"step":"0"'),
    "one more column": lambda line: line.replace(b'{"trajectory"', b'{"images":[],"trajectory"'),
}


@pytest.mark.parametrize("kind", SPOILS)
def test_a_row_that_is_not_one_is_named(tmp_path, kind):
    out = tmp_path / "messages.jsonl"
    export_messages([refined(step(Click(ref="1"), text="Saved"), step(Answer()))], out)
    good, _, rest = out.read_bytes().partition(b"\n")
    spoiled = SPOILS[kind](good)
    assert spoiled != good
    out.write_bytes(rest + spoiled + b"\n")
    with pytest.raises(DataError, match=r"messages\.jsonl line 2 is not a MessagesRow"):
        list(read_rows(out, MessagesRow))


def test_separators_inside_text_end_no_line(tmp_path):
    out = tmp_path / "rows.jsonl"
    text = "a\u2028b\u2029c\x85d\x0be"
    report = export_prompt_completion([refined(step(Answer(text=text), text=text))], out)
    assert report.rows == 1
    assert out.read_bytes().count(b"\n") == 1
    row = next(read_rows(out, PromptCompletionRow))
    assert json.loads(row.completion[0].content)["action"]["text"] == text
    assert text in row.prompt[1].content
