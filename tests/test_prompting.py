"""Prompts: strict, hashed, fenced, and cut by rule."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from synthagent.prompting import (
    FOLDER,
    Prompt,
    clean_text,
    cut_lines,
    cut_text,
    estimate_tokens,
    fence,
    last_steps,
    prompt_hash,
)

NAMES = ["categorize", "decide", "propose", "repair", "review", "rewrite"]


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_names_its_inputs_and_its_reply(name: str):
    header = (FOLDER / f"{name}.md.jinja").read_text("utf-8").split("\n", 1)[0]
    assert re.fullmatch(r"\{# .+ Inputs: .+\. Reply: .+\. #\}", header)


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_value_is_an_error_and_each_input_is_used(name: str):
    source = (FOLDER / f"{name}.md.jinja").read_text("utf-8")
    names = re.search(r"Inputs: (.+?)\. Reply", source)[1].split(", ")
    values = dict.fromkeys(names, "value")
    rendered = Prompt(name).render(**values)
    assert "{{" not in rendered.user + rendered.system
    for missing in names:
        with pytest.raises(UndefinedError):
            Prompt(name).render(**{key: "value" for key in names if key != missing})


def test_hashes_differ_between_prompts_and_cover_included_files():
    hashes = [Prompt(name).hash for name in NAMES]
    assert len(set(hashes)) == len(hashes)
    assert prompt_hash() not in hashes


@given(st.lists(st.sampled_from(["</page>", "<page>", "<PAGE", "</task>", "x", "<b>", "\n"])))
def test_no_text_leaves_its_fence(parts: list[str]):
    text = "".join(parts)
    fenced = fence(text, "page")
    assert fenced.lower().count("<page>") == fenced.lower().count("</page>") == 1
    assert fenced.endswith("\n</page>")
    assert "</task" not in fenced.lower()
    assert fenced.count("<b>") == text.count("<b>")


def test_an_unknown_fence_is_refused():
    with pytest.raises(ValueError, match="known: page"):
        fence("x", "elsewhere")


PAGE = "\n".join(
    f'[{n}] button "Number {n}"' if n % 3 == 0 else f"text number {n} of a long page"
    for n in range(90)
)


@pytest.mark.parametrize("budget", [60, 200, 400, 600])
def test_a_page_is_cut_by_rule_and_says_so(budget: int):
    cut = cut_lines(PAGE, budget)
    assert estimate_tokens(cut) <= budget
    *kept, note = cut.split("\n")
    left = int(re.search(r"\((\d+) lines", note)[1])
    assert left == 90 - len(kept)
    assert kept == [line for line in PAGE.split("\n") if line in kept]
    controls = [line for line in kept if line.startswith("[")]
    texts = [line for line in kept if not line.startswith("[")]
    assert len(controls) == 30 or not texts  # texts go before any control does


def test_a_page_that_fits_stays_as_it_is():
    assert cut_lines(PAGE, 10_000) == PAGE
    assert cut_text("short", 10) == "short"
    assert cut_text("long " * 100, 20).endswith("… (cut)")


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("The quick brown fox jumps over the lazy dog.", 8, 14),
        ("Быстрая коричневая лиса прыгает через собаку", 10, 30),
        ("素早い茶色の狐が怠け者の犬を飛び越える", 10, 30),
        ("a" + " " * 400 + "b", 1, 4),
        ("", 0, 0),
    ],
)
def test_tokens_are_estimated_within_a_factor_of_two(text: str, least: int, most: int):
    assert least <= estimate_tokens(text) <= most


@given(st.text(st.characters() | st.sampled_from("\ud800\udc00\udfff")))
def test_cleaned_text_can_be_encoded(text: str):
    cleaned = clean_text(text)
    cleaned.encode("utf-8")
    assert clean_text(cleaned) == cleaned


def test_the_last_steps_say_how_many_came_before():
    assert last_steps([], 3) == "(none yet)"
    assert last_steps(["a", "b"], 3) == "a\nb"
    assert last_steps(["a", "b", "c"], 1) == "(2 earlier steps not shown)\nc"
    assert last_steps(["a", "b"], 0) == "(2 earlier steps not shown)"
