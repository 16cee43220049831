"""Settings: where they come from, which wins, and what a wrong one says."""

from pathlib import Path

import pytest

from synthagent.config import LOCAL_KEYS, RunConfig, differences, load_config
from synthagent.errors import ConfigError

STEPS = "SYNTHAGENT_COLLECT__MAX_STEPS"


def load(tmp_path, text=None, **sources):
    file = None
    if text is not None:
        file = tmp_path / "settings.yaml"
        file.write_text(text, encoding="utf-8")
    return load_config(
        sources.pop("base", {"site": "shop"}),
        file=file,
        environ=sources.pop("environ", {}),
        **sources,
    )


def at(config, key):
    for name in key.split("."):
        config = getattr(config, name)
    return config


@pytest.mark.parametrize(
    ("key", "expected", "sources"),
    [
        ("seed", 0, {}),
        ("seed", 3, {"text": "seed: 3"}),
        ("seed", 4, {"text": "seed: 3", "environ": {"SYNTHAGENT_SEED": "4"}}),
        ("seed", 5, {"environ": {"SYNTHAGENT_SEED": "4"}, "base": {"site": "shop", "seed": 5}}),
        ("seed", 6, {"base": {"site": "shop", "seed": 5}, "settings": ["seed=6"]}),
        ("seed", 4, {"environ": {"SYNTHAGENT_SEED": "4"}, "base": {"site": "shop", "seed": None}}),
        ("collect.max_steps", 20, {"text": "collect:\n  max_steps: 20"}),
        ("collect.history", 3, {"text": "collect:\n  max_steps: 20"}),
        ("collect.max_steps", 21, {"text": "collect:\n", "environ": {STEPS: "21"}}),
        ("collect.max_steps", 22, {"environ": {STEPS: "21"}, "settings": ["collect.max_steps=22"]}),
        ("collect.max_steps", 24, {"settings": ["collect.max_steps=23", "collect.max_steps=24"]}),
        ("model.name", "qwen", {"base": {"site": "shop", "model": {"name": "qwen"}}}),
        ("model.name", "a=b", {"settings": ["model.name=a=b"]}),
        ("model.name", None, {"text": "model: {name: x}", "settings": ["model.name=null"]}),
        ("explore.roles", ("a", "b"), {"settings": ['explore.roles=["a", "b"]']}),
        ("refine.replay", False, {"settings": ["refine.replay=false"]}),
        ("site", "shop", {"environ": {"SYNTHAGENT_SHOP_PASSWORD": "x", "PATH": "z"}}),
        ("site", "café", {"text": "site: café", "base": {}}),
    ],
)  # fmt: skip
def test_later_sources_win(tmp_path, key, expected, sources):
    assert at(load(tmp_path, **sources), key) == expected


@pytest.mark.parametrize(
    ("sources", "named"),
    [
        ({"base": {}}, "site is required"),
        ({"settings": ["collect.max_step=3"]}, "collect.max_step = 3: is not a setting"),
        ({"environ": {"SYNTHAGENT_COLECT__MAX_STEPS": "3"}}, "colect"),
        ({"text": "colour: red"}, "colour = 'red': is not a setting"),
        ({"settings": ["collect.max_steps=many"]}, "collect.max_steps = 'many'"),
        ({"settings": ["collect.max_steps=0"]}, "collect.max_steps = 0"),
        ({"settings": ["propose.similarity=NaN"]}, "propose.similarity"),
        ({"settings": ["teacher=clever"]}, "'grounded' or 'llm'"),
        ({"settings": ["collect"]}, "--set 'collect': write it as section.key=value"),
        ({"settings": ["=3"]}, "section.key=value"),
        ({"settings": ["collect..max_steps=3"]}, "section.key=value"),
        ({"settings": ["seed=1", "seed.x=3"]}, "seed = 1: is one setting"),
        ({"text": "collect: 3", "settings": ["collect.max_steps=3"]}, "collect = 3"),
        ({"text": "- a list"}, "expected settings as `key: value`"),
        ({"text": "a: [1"}, "settings.yaml"),
        ({"settings": ["model.base_url=http://user:hidden@host/v1"]}, "environment"),
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named(tmp_path, sources, named):
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, **sources)
    assert named in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "settings",
    [
        "model.api_key=hidden",
        "model.api_key_env=sk-hidden",
        "model.base_url=http://user:hidden@host/v1",
        "model.base_url=http://host/v1?key=hidden",
        "password=hidden",
        "api_key.=hidden",
    ],
)
def test_a_secret_put_into_a_setting_is_refused_and_not_repeated(tmp_path, settings):
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, settings=[settings])
    assert "hidden" not in str(caught.value)


def test_a_missing_file_is_named():
    with pytest.raises(ConfigError, match=r"nowhere\.yaml"):
        load_config({"site": "shop"}, file=Path("nowhere.yaml"), environ={})


@pytest.mark.parametrize("key", sorted(LOCAL_KEYS))
def test_where_and_how_fast_do_not_change_the_hash(key):
    values = {
        "browser.executable": "chromium",
        "browser.headless": "false",
        "model.base_url": "http://127.0.0.1:1",
        "model.api_key_env": "KEY",
    }
    config = load_config({"site": "shop"}, environ={}, settings=[f"{key}={values.get(key, '7')}"])
    assert at(config, key) != at(RunConfig(site="shop"), key)
    assert config.hash == RunConfig(site="shop").hash


def test_what_changes_the_product_changes_the_hash_and_is_told():
    before = RunConfig(site="shop")
    now = load_config(
        {"site": "shop"}, environ={}, settings=["model.name=m", "contexts=4", "seed=2"]
    )
    assert now.hash != before.hash
    assert differences(before, now) == (("seed", 0, 2), ("model.name", None, "m"))
