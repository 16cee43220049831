"""Odd replies and odd servers, met by others, rebuilt in our reply shape, against the teacher."""

import json
from pathlib import Path
from typing import Any

import pytest

from synthagent.errors import ModelAccessDenied, ModelError, ModelReplyMalformed
from synthagent.llm.abilities import Abilities
from synthagent.llm.scripted import Canned, Script, ScriptedServer, play
from synthagent.records import ACTION
from synthagent.teachers.llm import LLMTeacher
from tests.llm.shapes import (
    GOOD,
    GOOD_ACTION,
    canned,
    load_cases,
    opened,
    settings,
    sight,
    task,
)

REPLY_CASES = [
    pytest.param(row, id=f"{number}-{row['name']}")
    for number in (25, 27, 29, 31, 33, 35, 40)
    for row in load_cases(number)
]
CLEARED = "h-empty-type"
"""Typing nothing clears the field: an action that ours has, so it is taken."""


async def decide(path: Path, script: Script, *, more: str = "", **config: Any):
    """Return the decision or the error, the server, the ledger's sums and the notes."""
    notes: list[str] = []
    async with ScriptedServer.start(script) as server:
        values = settings(server.url, **config)
        async with opened(values, path, note=notes.append) as client:
            teacher = LLMTeacher(client, values)
            try:
                outcome = await teacher.decide("item", task(), sight(more=more), ())
            except ModelError as error:
                outcome = error
            return outcome, server, client.ledger.total(), notes


@pytest.mark.parametrize("row", REPLY_CASES)
async def test_a_reply_is_used_asked_for_again_or_refused(row: dict[str, Any], tmp_path: Path):
    usable = row["outcome"] == "ok" or row["name"] == CLEARED
    script = Script(brain=play([canned(row), json.dumps(GOOD)]))
    outcome, server, spent, _ = await decide(tmp_path / "calls.sqlite", script)
    assert spent.requests == len(server.requests) == len(server.keys)
    if row["outcome"] == "config-error":
        assert isinstance(outcome, ModelAccessDenied)
        assert "web page" in str(outcome)
        assert len(server.requests) == 1
    elif usable and row["name"] != CLEARED:
        expected = (
            row["reply"]["action"] if "reply" in row else {"type": "click", "ref": row["ref"]}
        )
        assert outcome.action == ACTION.validate_python(expected)
        assert len(server.requests) == 1
    elif usable:
        assert (outcome.action.type, outcome.action.text) == ("type", "")
    else:
        assert outcome.action == GOOD_ACTION
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    "row",
    [case for case in REPLY_CASES if case.values[0]["outcome"] in ("retry", "blocked", "wait")],
)
async def test_a_bad_reply_again_and_again_ends_in_an_error(row: dict[str, Any], tmp_path: Path):
    if row["name"] == CLEARED:
        return
    script = Script(brain=play([canned(row)]))
    outcome, server, spent, _ = await decide(tmp_path / "calls.sqlite", script)
    assert isinstance(outcome, ModelError)
    assert spent.requests == len(server.requests) <= 4


@pytest.mark.parametrize("row", load_cases(35), ids=lambda row: row["name"])
async def test_the_repair_round_says_what_was_wrong(row: dict[str, Any], tmp_path: Path):
    if row["outcome"] == "ok" or row["name"] == CLEARED:
        return
    script = Script(brain=play([canned(row), json.dumps(GOOD)]))
    _, server, _, _ = await decide(tmp_path / "calls.sqlite", script)
    *_, assistant, user = server.requests[1]["messages"]
    assert assistant["role"] == "assistant"
    hints = {
        "a-unknown-id": ("'99'", "4, 17, 23"),
        "f-type-into-button": ('the button "Search"', "textbox"),
        "g-unknown-verb": ("submit", "click"),
        "i-null-id": ("ref",),
        "j-action-as-string": ("action",),
        "k-goto-foreign-host": ("elsewhere.invalid", "http://site.test"),
    }[row["name"]]
    for hint in hints:
        assert hint in user["content"]


LIMITS = {
    "a-rejects-max_tokens": ("max_tokens", "max_completion_tokens"),
    "b-rejects-max_completion_tokens": ("max_completion_tokens", "max_tokens"),
    "d-rejects-temperature": ("temperature", None),
}


@pytest.mark.parametrize("row", [row for row in load_cases(36) if row["name"] in LIMITS],
                         ids=lambda row: row["name"])  # fmt: skip
async def test_a_rejected_parameter_costs_one_request_and_is_remembered(
    row: dict[str, Any], tmp_path: Path
):
    rejected, other = LIMITS[row["name"]]

    def brain(request: dict[str, Any]):
        return canned(row) if rejected in request else json.dumps(GOOD)

    async with ScriptedServer.start(Script(brain=brain)) as server:
        config = settings(server.url)
        for opening, expected in enumerate((3, 4)):
            async with opened(config, tmp_path / "calls.sqlite") as client:
                if rejected == "max_completion_tokens" and not opening:
                    client.learn(Abilities(limit_name="max_completion_tokens"))
                teacher = LLMTeacher(client, config)
                await teacher.decide(f"a{opening}", task(), sight(), ())
                if not opening:
                    await teacher.decide("b", task(), sight(), ())
                assert len(server.requests) == expected
                assert client.ledger.total().requests == expected
    assert all(not (rejected in request and other in request) for request in server.requests)
    assert other is None or all(other in request for request in server.requests[1:])


async def test_a_ceiling_without_effect_is_told(tmp_path: Path):
    (row,) = [row for row in load_cases(36) if row["name"] == "c-ignores-limit"]
    row["body"]["choices"][0]["message"]["content"] = json.dumps(GOOD)
    script = Script(brain=play([canned(row)]))
    outcome, _, _, notes = await decide(
        tmp_path / "calls.sqlite", script, max_tokens=row["sent"]["max_completion_tokens"]
    )
    assert outcome.action == GOOD_ACTION
    assert any("9000" in note and "256" in note for note in notes)


@pytest.mark.parametrize("row", load_cases(38), ids=lambda row: row["name"])
async def test_a_full_context_shrinks_the_page_and_nothing_else(
    row: dict[str, Any], tmp_path: Path
):
    lines = "".join(f"\nparagraph number {n} with a few words in it" for n in range(1500))
    good = {"choices": [{"finish_reason": "stop", "message": {"content": json.dumps(GOOD)}}]}
    script = Script(brain=play([canned(row), Canned(body=json.dumps(good))]))
    outcome, server, _, notes = await decide(
        tmp_path / "calls.sqlite", script, more=lines, max_tokens=256
    )
    assert outcome.action == GOOD_ACTION
    before, after = ([m["content"] for m in request["messages"]] for request in server.requests)
    assert before[0] == after[0]
    assert len(after[1]) < len(before[1])
    assert "Search for a rain coat" in after[1]
    assert '[17] button "Search"' in after[1]
    assert "left out to fit the model" in after[1]
    if row["outcome"] == "suspect":
        assert any("context length" in note for note in notes)


async def test_a_server_that_always_overflows_is_not_asked_for_ever(tmp_path: Path):
    (row, *_) = load_cases(38)
    row["body"]["error"]["message"] = "Input is too long"
    outcome, server, _, _ = await decide(
        tmp_path / "calls.sqlite", Script(brain=play([canned(row)]))
    )
    assert isinstance(outcome, ModelError)
    assert not isinstance(outcome, ModelReplyMalformed)
    assert len(server.requests) <= 4
