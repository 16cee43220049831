"""`site.yaml`: what is accepted, and how what is not is explained."""

from pathlib import Path

import pytest
import yaml

from synthagent.errors import ConfigError
from synthagent.sites import known_sites, load_site
from synthagent.sites.variables import expand

GOOD = """\
name: notes
title: Notes
base_urls:
  notes: {canonical: http://notes.test, url: "${NOTES_URL|WA_NOTES}/app"}
roles:
  writer:
    start: /mine
    private_page: /mine
    credentials: {username: ann, password: "${NOTES_PASSWORD:-secret}"}
    login:
      url: /login
      fields: {user: "{{username}}", pass: "{{password}}"}
volatile:
  query: [sid]
  text: ['\\d+ seconds ago']
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    file = tmp_path / "notes" / "site.yaml"
    file.parent.mkdir()
    file.write_text(GOOD)
    return file


def test_a_good_file_becomes_a_spec(notes):
    spec = load_site("notes", {"SYNTHAGENT_ENVIRONMENTS": str(notes.parent.parent)})
    assert spec.start_url("writer") == "http://notes.test/mine"
    assert spec.start_url("anonymous") == "http://notes.test/"
    assert spec.secrets("writer", {}) == {"password": "secret"}
    assert spec.secrets("writer", {"NOTES_PASSWORD": "other"}) == {"password": "other"}
    assert spec.secrets("anonymous", {}) == {}
    assert spec.credentials("writer", {})["username"] == "ann"
    origins = spec.outside_origins({"WA_NOTES": "http://10.0.0.5:8080"})
    assert origins.pairs == (("http://notes.test", "http://10.0.0.5:8080"),)
    assert spec.folder == notes.parent
    assert "folder" not in spec.model_dump()


def test_missing_variables_are_listed_with_their_places(notes):
    spec = load_site(str(notes))
    assert [item.names for item in spec.missing({})] == [("NOTES_URL", "WA_NOTES")]
    with pytest.raises(ConfigError, match=r"NOTES_URL or WA_NOTES +base_urls\.notes\.url"):
        spec.outside_origins({})


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("title: Notes", "titel: Notes"), 2, "titel is not a key"),
        (("title: Notes\n", ""), 1, "title is missing"),
        (("name: notes", "name: My Notes"), 1, "lower-case letters, digits and dashes"),
        (("http://notes.test", "http://notes.test/"), 4, "without a path"),
        (("http://notes.test", "notes.test"), 4, "'notes.test': expected `http://host`"),
        (("start: /mine", "start: mine"), 7, "roles.writer.start = 'mine': expected a path"),
        (("url: /login", "url: //login"), 11, "begins with one `/`"),
        (("['\\d+", "['(\\d+"), 15, "not a regular expression"),
        (("writer:", "anonymous:"), 1, "roles.anonymous: every site has it"),
        (("start: /mine", "base: shop"), 1, "'shop' is not in base_urls (notes)"),
        (('url: "${NOTES_URL|WA_NOTES}/app"', 'url: ""'), 1, "needs a `url` for each"),
        (("name: notes", "folder: /tmp"), 1, "folder is not a key"),
        (("name: notes", "- name"), 1, "cannot read"),
        (("password: ", "pasword: "), 9, "pasword is not a key"),
    ],
)
def test_mistakes_are_named_with_file_line_and_fix(notes, change, line, message):
    notes.write_text(GOOD.replace(*change))
    with pytest.raises(ConfigError) as error:
        load_site(str(notes))
    text = str(error.value)
    assert str(notes) in text
    assert message in text
    if "cannot read" not in message:
        assert f"{notes}:{line}:" in text


@pytest.mark.parametrize("content", ["", "just a text", "- a\n- list"])
def test_a_file_that_is_no_mapping_is_refused(notes, content):
    notes.write_text(content)
    with pytest.raises(ConfigError, match="expected `key: value` lines"):
        load_site(str(notes))


def test_unknown_names_are_answered_with_the_known_ones(shop):
    with pytest.raises(ConfigError, match=r"unknown site 'shopp'; known: .*shop"):
        load_site("shopp")
    with pytest.raises(ConfigError, match="unknown role 'admin' of site 'shop'; known: customer"):
        shop.start_url("admin")


def test_a_folder_with_another_name_is_refused(notes):
    notes.write_text(GOOD.replace("name: notes", "name: other"))
    with pytest.raises(ConfigError, match="name is 'other' but its folder is 'notes'"):
        load_site("notes", {"SYNTHAGENT_ENVIRONMENTS": str(notes.parent.parent)})


def test_own_environments_come_before_the_bundled_ones(tmp_path, shop):
    own = tmp_path / "shop"
    own.mkdir()
    text = (shop.folder / "site.yaml").read_text()
    (own / "site.yaml").write_text(text.replace("title: Larkspur Supply", "title: Mine"))
    environ = {"SYNTHAGENT_ENVIRONMENTS": str(tmp_path)}
    assert load_site("shop", environ).title == "Mine"
    assert "shop" in known_sites(environ)


@pytest.mark.parametrize("name", known_sites())
def test_every_site_that_comes_along_is_valid(name):
    spec = load_site(name)
    assert spec.title
    assert spec.licence
    assert yaml.safe_load((spec.folder / "site.yaml").read_text())["name"] == name


@pytest.mark.parametrize(
    ("text", "environ", "filled"),
    [
        ("${A}", {"A": "x"}, "x"),
        ("${A|B}", {"B": "y"}, "y"),
        ("${A|B}", {"A": "x", "B": "y"}, "x"),
        ("${A}", {}, ""),
        ("${A:-z}", {}, "z"),
        ("${A:-z}", {"A": ""}, "z"),
        ("${A}/${B:-c}", {"A": "x"}, "x/c"),
        ("$A {A} plain", {"A": "x"}, "$A {A} plain"),
    ],
)
def test_variables(text, environ, filled):
    assert expand(text, environ) == filled
