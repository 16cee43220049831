"""The client against a server that fails: what is sent is counted, nothing is paid twice."""

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from synthagent.errors import (
    ConfigError,
    ModelAccessDenied,
    ModelError,
    ModelRefused,
    ModelReplyMalformed,
    ModelReplyTruncated,
    ModelUnavailable,
)
from synthagent.llm import Image, Message, ask
from synthagent.llm.client import Patience
from synthagent.llm.faults import RequestRejected, find_fault
from synthagent.llm.scripted import Canned, Script, ScriptedServer, play
from tests.llm.shapes import opened, said, settings


class Word(BaseModel):
    word: str


GOOD = '{"word": "yes"}'


async def ask_word(client, item: str = "item", text: str = "Say yes.", **more: Any) -> str:
    messages = (Message("system", "Be brief."), Message("user", text, **more))
    reply = await ask(client, item=item, stage="explore", messages=messages, reply=Word)
    return reply.value.word


def error(status: int, message: str, code: str = "", **headers: str) -> Canned:
    body = {"error": {"message": message, "code": code}}
    return Canned(status, json.dumps(body), headers=headers)


@pytest.mark.parametrize(
    "first",
    [
        error(429, "slow down", **{"retry-after": "0.01"}),
        error(429, "You exceeded your current quota, billing …", **{"retry-after": "0"}),
        error(500, "worker lost"),
        error(503, "overloaded"),
        error(529, "overloaded"),
        Canned(502, "<html>502 Bad Gateway</html>", "text/html"),
        Canned(200, json.dumps(said(GOOD)), cut=True),
        Canned(200, '{"error": {"message": "Upstream model is loading", "code": 503}}'),
        Canned(200, json.dumps(said(GOOD))[:60]),
        Canned(200, ""),
    ],
    ids=lambda canned: f"{canned.status}-{canned.body[:20]}",
)
async def test_a_passing_failure_is_retried_and_counted(first: Canned, tmp_path: Path):
    async with ScriptedServer.start(Script(brain=play([first, GOOD]))) as server:
        async with opened(settings(server.url), tmp_path / "calls.sqlite") as client:
            assert await ask_word(client) == "yes"
            spent = client.ledger.total()
        assert len(server.requests) == spent.requests == 2
        assert spent.unsettled == first.cut  # whether a lost reply was billed is not known


FINAL = [
    (error(401, "Incorrect API key"), ModelAccessDenied, "THE_KEY"),
    (error(403, "no access"), ModelAccessDenied, "THE_KEY"),
    (error(402, "pay first"), ModelAccessDenied, "credit"),
    (error(429, "You exceeded your quota", "insufficient_quota"), ModelAccessDenied, "credit"),
    (error(404, "The model `x` does not exist"), ModelAccessDenied, "model.name"),
    (error(400, "model x not found, try pulling it"), ModelAccessDenied, "model.base_url"),
    (error(400, "blocked by content_filter", "content_filter"), ModelRefused, "content_filter"),
    (error(400, "messages must alternate"), RequestRejected, "alternate"),
]


@pytest.mark.parametrize(("answer", "kind", "hint"), FINAL)
async def test_a_lasting_failure_is_told_at_once(answer: Canned, kind: type, hint: str, tmp_path):
    async with ScriptedServer.start(Script(brain=play([answer, GOOD]))) as server:
        config = settings(server.url, api_key_env="THE_KEY")
        environ = {"THE_KEY": "sk-secret-value"}
        async with opened(config, tmp_path / "calls.sqlite", environ=environ) as client:
            with pytest.raises(kind) as caught:
                await ask_word(client)
        assert hint in str(caught.value)
        assert "scripted" in str(caught.value)
        assert server.url in str(caught.value)
        assert "sk-secret-value" not in str(caught.value)
        assert len(server.requests) == 1


async def test_a_server_that_never_recovers_is_given_up(tmp_path: Path):
    script = Script(brain=play([error(500, "worker lost")]))
    async with (
        ScriptedServer.start(script) as server,
        opened(settings(server.url), tmp_path / "calls.sqlite") as client,
    ):
        with pytest.raises(ModelUnavailable, match="worker lost"):
            await ask_word(client)
        assert client.ledger.total().requests == len(server.requests) == 4


async def test_a_slow_server_is_not_waited_for_longer_than_the_deadline(tmp_path: Path):
    async with ScriptedServer.start(Script(brain=play([GOOD]), latency=0.4)) as server:
        config = settings(server.url, timeout_seconds=0.1)
        patience = Patience(retries=1, first_seconds=0.001)
        async with opened(config, tmp_path / "calls.sqlite", patience=patience) as client:
            with pytest.raises(ModelUnavailable, match=r"0\.1 s"):
                await ask_word(client)


async def test_no_server_at_all(tmp_path: Path):
    config = settings("http://127.0.0.1:9/v1")
    async with opened(config, tmp_path / "calls.sqlite") as client:
        with pytest.raises(ModelUnavailable, match="connection"):
            await ask_word(client)


@pytest.mark.parametrize(
    ("replies", "outcome", "requests"),
    [
        (["no JSON", GOOD], "yes", 2),
        (["no JSON", "no JSON"], ModelReplyMalformed, 2),
        (["I'm sorry, I can't help.", "I'm sorry, I can't help."], ModelRefused, 2),
        ([Canned(body=json.dumps(said("", refusal="No.")))], ModelRefused, 1),
        ([Canned(body=json.dumps(said('{"wo', finish="length"))), GOOD], "yes", 2),
        ([Canned(body=json.dumps(said('{"wo', finish="length")))], ModelReplyTruncated, 2),
        ([Canned(body='{"choices": []}'), GOOD], "yes", 2),
        ([Canned(body='{"choices": []}')], ModelUnavailable, 3),
    ],
)
async def test_unusable_replies(replies: list, outcome: Any, requests: int, tmp_path: Path):
    async with ScriptedServer.start(Script(brain=play(replies))) as server:
        async with opened(settings(server.url), tmp_path / "calls.sqlite") as client:
            if isinstance(outcome, str):
                assert await ask_word(client) == outcome
            else:
                with pytest.raises(outcome):
                    await ask_word(client)
            assert client.ledger.total().requests == len(server.requests) == requests
        assert len(set(server.keys)) == requests


async def test_a_cut_reply_gets_twice_the_room(tmp_path: Path):
    replies = [Canned(body=json.dumps(said('{"wo', finish="length"))), GOOD]
    async with ScriptedServer.start(Script(brain=play(replies))) as server:
        config = settings(server.url, max_tokens=100)
        async with opened(config, tmp_path / "calls.sqlite") as client:
            await ask_word(client)
        assert [request["max_tokens"] for request in server.requests] == [100, 200]


async def test_a_lesser_server_is_asked_in_its_own_way(tmp_path: Path):
    def brain(request: dict[str, Any]):
        if request.get("response_format", {}).get("type") == "json_schema":
            return error(400, "response_format.type must be text or json_object")
        if any(isinstance(m["content"], list) for m in request["messages"]):
            return error(400, "this model does not support image input")
        if request["messages"][0]["role"] == "system":
            return error(400, "System role not supported")
        return GOOD

    async with ScriptedServer.start(Script(brain=brain)) as server:
        async with opened(settings(server.url), tmp_path / "calls.sqlite") as client:
            assert await ask_word(client, "a", images=(Image(b"x"),)) == "yes"
            assert await ask_word(client, "b", images=(Image(b"x"),)) == "yes"
        assert len(server.requests) == 5
        *_, last = server.requests
        assert last["response_format"] == {"type": "json_object"}
        assert last["messages"] == [{"role": "user", "content": "Be brief.\n\nSay yes."}]


@pytest.mark.parametrize("faults", [(("500", 3),), (("cut", 4), ("429", 5)), (("garbage", 3),)])
async def test_sixteen_at_once_with_faults_are_all_counted(faults, tmp_path: Path):
    script = Script(brain=play([GOOD]), faults=faults, retry_after=0.01)
    async with ScriptedServer.start(script) as server:
        patience = Patience(retries=8, first_seconds=0.001, most_seconds=0.01)
        async with opened(
            settings(server.url), tmp_path / "calls.sqlite", patience=patience
        ) as client:
            async with asyncio.TaskGroup() as group:
                for number in range(40):
                    group.create_task(ask_word(client, f"item-{number}"))
            spent = client.ledger.total()
            by_item = client.ledger.by("item")
        assert spent.requests == len(server.requests) == sum(s.requests for s in by_item.values())
        assert spent.replies - spent.requests <= 0 < server.outcomes[faults[0][0]]
        assert len(by_item) == 40


async def test_a_rate_limit_is_kept_to(tmp_path: Path):
    script = Script(brain=play([GOOD]), rate=8, window=0.4)
    async with ScriptedServer.start(script) as server:
        async with opened(settings(server.url), tmp_path / "calls.sqlite") as client:
            async with asyncio.TaskGroup() as group:
                for number in range(40):
                    group.create_task(ask_word(client, f"item-{number}"))
            assert client.ledger.total().requests == len(server.requests)
        assert server.outcomes["ok"] == 40
        assert server.outcomes["limited"] <= 20


async def test_equal_calls_are_sent_once_and_replayed_when_run_again(tmp_path: Path):
    async with ScriptedServer.start(Script(brain=play([GOOD]))) as server:
        config = settings(server.url)
        for _ in range(2):
            async with opened(config, tmp_path / "calls.sqlite") as client:
                words = await asyncio.gather(*(ask_word(client) for _ in range(5)))
                assert words == ["yes"] * 5
                assert client.ledger.total().requests == 1
        assert len(server.requests) == 1
        async with opened(settings("http://127.0.0.1:9/v1"), tmp_path / "calls.sqlite",
                          offline=True) as client:  # fmt: skip
            assert await ask_word(client) == "yes"
            with pytest.raises(ModelUnavailable, match="offline"):
                await ask_word(client, "another item")


async def test_the_first_calls_find_out_together_what_the_server_takes(tmp_path: Path):
    def brain(request: dict[str, Any]):
        return error(400, "temperature is fixed") if "temperature" in request else GOOD

    async with ScriptedServer.start(Script(brain=brain)) as server:
        async with opened(settings(server.url), tmp_path / "calls.sqlite") as client:
            await asyncio.gather(*(ask_word(client, f"item-{n}") for n in range(10)))
        assert len(server.requests) == 11


def test_another_event_loop_is_refused(tmp_path: Path):
    async def use(client) -> None:
        with pytest.raises(RuntimeError, match="event loop"):
            await ask_word(client)

    async def main() -> Any:
        async with opened(settings("http://127.0.0.1:9/v1"), tmp_path / "calls.sqlite") as client:
            return client

    client = asyncio.run(main())
    asyncio.run(use(client))


@pytest.mark.parametrize(
    ("config", "kind", "hint"),
    [
        ({"name": None}, ConfigError, "model.name"),
        ({"base_url": None}, ModelAccessDenied, "OPENAI_API_KEY"),
        ({"max_usd": 1.0}, ConfigError, "price"),
    ],
)
async def test_settings_that_cannot_work_are_refused_before_any_call(config, kind, hint, tmp_path):
    with pytest.raises(kind, match=hint):
        async with opened(settings("http://127.0.0.1:9/v1", **config), tmp_path / "calls.sqlite"):
            pass


async def test_odd_signs_pass_through(tmp_path: Path):
    async with ScriptedServer.start(Script(brain=play([r'{"word": "a\ud800b"}']))) as server:
        async with opened(settings(server.url), tmp_path / "calls.sqlite") as client:
            assert await ask_word(client, text="lone \ud800 sign") == "a\ufffdb"
        assert server.requests[0]["messages"][1]["content"] == "lone \ufffd sign"


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("This model's maximum context length is 8192 tokens. However, you requested 9001", 8192),
        ("Input is too long for the model: 9000 > 8192", 8192),
        ("the request exceeds the available context size (4096 tokens)", 4096),
        ("prompt is too long", None),
    ],
)
def test_context_limits_are_read_from_the_words_of_servers(text: str, limit: int | None):
    fault = find_fault(400, {}, json.dumps({"error": {"message": text}}), ("max_tokens",))
    assert (fault.kind, fault.limit) == ("overflow", limit)


def test_every_model_error_is_infrastructure():
    kinds = Counter(kind for _, kind, _ in FINAL)
    assert all(issubclass(kind, ModelError) for kind in kinds)
