"""The run directory: settings that fit, one writer, and nothing overwritten."""

import pytest
import yaml

from synthagent.config import ModelConfig, RunConfig
from synthagent.errors import ConfigError, DataError
from synthagent.journal import RunDirectory

CONFIG = RunConfig(site="shop")


def test_a_run_is_made_once_and_opened_again_with_the_same_settings(tmp_path):
    with RunDirectory.open(tmp_path / "runs" / "demo", CONFIG) as run:
        run.seal("explore", 12)
        run.seal("explore", 12)
    with RunDirectory.open(tmp_path / "runs" / "demo", CONFIG) as run:
        assert (run.is_complete("explore"), run.is_complete("propose")) == (True, False)
        assert [done.count for done in run.stages] == [12]
    loaded = RunDirectory.load(tmp_path / "runs" / "demo")
    assert loaded.config == CONFIG
    assert loaded.is_complete("explore")
    assert loaded.damaged == {}


@pytest.mark.parametrize(
    ("now", "named"),
    [
        (CONFIG.with_(seed=3), ["seed was 0, now 3"]),
        (CONFIG.with_(site="blog", teacher="llm"), ["'shop', now 'blog'", "'grounded', now 'llm'"]),
        (CONFIG.with_(model=ModelConfig(name="m", max_usd=1)), ["model.name was None, now 'm'"]),
    ],
)
def test_other_settings_are_refused_with_both_values_and_the_way_out(tmp_path, now, named):
    RunDirectory.open(tmp_path / "demo", CONFIG).close()
    before = (tmp_path / "demo" / "config.yaml").read_bytes()
    with pytest.raises(ConfigError) as caught:
        RunDirectory.open(tmp_path / "demo", now)
    assert all(text in str(caught.value) for text in [*named, "--run"])
    assert "max_usd" not in str(caught.value)
    assert (tmp_path / "demo" / "config.yaml").read_bytes() == before
    RunDirectory.open(tmp_path / "demo", CONFIG).close()  # the lock was given back


def test_a_larger_budget_goes_on_with_the_run(tmp_path):
    RunDirectory.open(tmp_path / "demo", CONFIG).close()
    more = CONFIG.with_(contexts=4, model=ModelConfig(max_usd=5))
    RunDirectory.open(tmp_path / "demo", more).close()
    assert RunDirectory.load(tmp_path / "demo").config == more


def test_one_writer_at_a_time_and_any_number_of_readers(tmp_path):
    run = RunDirectory.open(tmp_path / "demo", CONFIG)
    with pytest.raises(ConfigError, match="is being written by process"):
        RunDirectory.open(tmp_path / "demo", CONFIG)
    reader = RunDirectory.load(tmp_path / "demo")
    assert len(reader.tasks) == 0
    with pytest.raises(ConfigError, match="is being written by process"):
        reader.seal("explore", 1)
    run.close()
    reader.seal("explore", 1)


def test_damage_in_any_file_shows(tmp_path):
    RunDirectory.open(tmp_path / "demo", CONFIG).close()
    (tmp_path / "demo" / "tasks.jsonl").write_bytes(b'{"id": "torn')
    assert RunDirectory.load(tmp_path / "demo").damaged == {"tasks.jsonl": 1}


@pytest.mark.parametrize("content", ["site: [", "- 1", "", "site: shop\ncolour: red", "site: \xff"])
def test_settings_that_cannot_be_read_are_named_and_left_alone(tmp_path, content):
    file = tmp_path / "demo" / "config.yaml"
    file.parent.mkdir()
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(ConfigError, match=r"config\.yaml"):
        RunDirectory.open(file.parent, CONFIG)
    with pytest.raises(ConfigError, match=r"config\.yaml"):
        RunDirectory.load(file.parent)
    assert file.read_bytes() == content.encode("latin-1")


def test_a_folder_with_something_else_in_it_is_not_taken_for_a_run(tmp_path):
    (tmp_path / "holiday.jpg").write_bytes(b"x")
    with pytest.raises(ConfigError, match=r"not a run: it holds holiday\.jpg"):
        RunDirectory.open(tmp_path, CONFIG)
    assert not (tmp_path / "config.yaml").exists()


def test_a_folder_left_by_a_kill_before_the_first_write_is_used(tmp_path):
    (tmp_path / ".lock").touch()
    (tmp_path / ".config.yaml.17.part").touch()
    RunDirectory.open(tmp_path, CONFIG).close()
    assert RunDirectory.load(tmp_path).config == CONFIG


def test_a_run_that_is_not_there_is_named_with_those_that_are(tmp_path):
    RunDirectory.open(tmp_path / "demo", CONFIG).close()
    with pytest.raises(ConfigError, match="runs there: demo"):
        RunDirectory.load(tmp_path / "dmeo")


def test_a_path_through_a_file_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot write"):
        RunDirectory.open(tmp_path / "file" / "demo", CONFIG)


def test_the_stored_settings_are_all_of_them_and_readable(tmp_path):
    RunDirectory.open(tmp_path / "demo", CONFIG).close()
    stored = yaml.safe_load((tmp_path / "demo" / "config.yaml").read_text(encoding="utf-8"))
    assert stored == CONFIG.model_dump(mode="json")
