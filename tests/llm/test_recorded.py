"""`calls.sqlite` and the ledger: nothing is lost by a kill, nothing is paid twice, limits hold."""

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from synthagent.errors import BudgetExceeded, ConfigError, DataError
from synthagent.llm.body import Tokens
from synthagent.llm.ledger import PRICE_VARIABLE, PriceTable
from synthagent.llm.recorded import CallStore
from synthagent.llm.scripted import Script, ScriptedServer, play
from tests.llm.shapes import opened, said, settings
from tests.llm.test_client import GOOD, ask_word

COUNT = 40
ROOT = Path(__file__).parents[2]


async def start_asker(url: str, store: Path) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.llm.asker", url, str(store), str(COUNT), cwd=ROOT
    )


@pytest.mark.parametrize("killed_at", [3, 17])
async def test_a_killed_process_goes_on_without_paying_twice(killed_at: int, tmp_path: Path):
    reached = asyncio.Event()
    seen = 0

    def brain(_: dict[str, Any]) -> str:
        nonlocal seen
        seen += 1
        if seen == killed_at:
            reached.set()
        return GOOD

    store, log = tmp_path / "calls.sqlite", tmp_path / "log.jsonl"
    async with ScriptedServer.start(Script(brain=brain, latency=0.02), log=log) as server:
        first = await start_asker(server.url, store)
        await asyncio.wait_for(reached.wait(), 60)
        first.send_signal(signal.SIGKILL)
        await first.wait()
        before = len(server.requests)
        with CallStore.open(store) as calls:
            assert before <= calls.spent().requests <= before + 16
            kept = calls.spent().replies
        second = await start_asker(server.url, store)
        assert await asyncio.wait_for(second.wait(), 60) == 0
        with CallStore.open(store) as calls:
            spent = calls.spent()
        assert spent.replies == COUNT
        assert len(server.requests) - before == COUNT - kept
        # The server knows the keys again: what it had answered before the kill is not billed anew.
        assert server.outcomes["ok"] == COUNT
        assert len(set(server.keys)) == COUNT
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert sum(line["event"] == "request" for line in lines) == len(server.requests)


async def test_a_limit_in_calls_stops_and_a_larger_one_goes_on(tmp_path: Path):
    async with ScriptedServer.start(Script(brain=play([GOOD]))) as server:
        store = tmp_path / "calls.sqlite"
        async with opened(settings(server.url, max_calls=3), store) as client:
            for number in range(3):
                await ask_word(client, f"item-{number}")
            with pytest.raises(BudgetExceeded, match=r"max_calls = 3") as caught:
                await ask_word(client, "item-3")
            assert caught.value.exit_code == 3
        assert len(server.requests) == 3
        async with opened(settings(server.url, max_calls=3), store) as client:
            assert await ask_word(client, "item-0") == "yes"  # stored replies cost nothing
            with pytest.raises(BudgetExceeded):
                await ask_word(client, "item-4")
        async with opened(settings(server.url, max_calls=5), store) as client:
            await ask_word(client, "item-3")
            assert client.ledger.total().requests == len(server.requests) == 4


@pytest.fixture
def priced(tmp_path: Path) -> dict[str, str]:
    file = tmp_path / "prices.yaml"
    file.write_text(
        "as_of: '2025-01-01'\nmodels: {scripted: {input: 100, cached: 10, output: 1000}}\n"
    )
    return {PRICE_VARIABLE: str(file)}


async def test_a_limit_in_money_holds_but_for_what_is_in_flight(tmp_path: Path, priced: dict):
    async with ScriptedServer.start(Script(brain=play([GOOD]), latency=0.01)) as server:
        config = settings(server.url, max_usd=0.05, concurrency=4)
        async with opened(config, tmp_path / "calls.sqlite", environ=priced) as client:
            replies = await asyncio.gather(
                *(ask_word(client, f"item-{n}") for n in range(60)), return_exceptions=True
            )
            spent = client.ledger.total()
        assert any(isinstance(reply, BudgetExceeded) for reply in replies)
        one = spent.known_usd / spent.replies
        assert 0.05 <= spent.known_usd <= 0.05 + 4 * one
        assert spent.requests == len(server.requests)


def reply_with(usage: Any) -> str:
    return json.dumps(said(GOOD) | {"usage": usage})


@pytest.mark.parametrize(
    ("usage", "expected", "estimated"),
    [
        (
            {
                "prompt_tokens": 90,
                "completion_tokens": 9,
                "prompt_tokens_details": {"cached_tokens": 60},
                "completion_tokens_details": {"reasoning_tokens": 5},
            },
            (90, 60, 9, 5),
            0,
        ),
        ({"prompt_tokens": 12, "prompt_tokens_details": None}, (12, 0, 0, 0), 0),
        ({"input_tokens": 7, "output_tokens": 3, "cache_read_input_tokens": 2}, (7, 2, 3, 0), 0),
        (None, None, 1),
    ],
)  # fmt: skip
async def test_tokens_are_metered_as_servers_tell_them(
    usage, expected, estimated, tmp_path, priced
):
    from synthagent.llm.scripted import Canned

    script = Script(brain=play([Canned(body=reply_with(usage))]))
    async with (
        ScriptedServer.start(script) as server,
        opened(settings(server.url), tmp_path / "calls.sqlite", environ=priced) as client,
    ):
        await ask_word(client)
        spent = client.ledger.total()
    counted = (
        spent.prompt_tokens,
        spent.cached_tokens,
        spent.completion_tokens,
        spent.reasoning_tokens,
    )
    assert spent.estimated == estimated
    assert expected is None or counted == expected
    assert counted[0] > 0
    prompt, cached, completion, _ = counted
    assert spent.usd == pytest.approx(
        ((prompt - cached) * 100 + cached * 10 + completion * 1000) / 1e6
    )


async def test_costs_are_told_by_stage_item_and_key(tmp_path: Path):
    notes: list[str] = []
    async with (
        ScriptedServer.start(Script(brain=play([GOOD]))) as server,
        opened(settings(server.url), tmp_path / "calls.sqlite", note=notes.append) as client,
    ):
        await ask_word(client, "a")
        await ask_word(client, "b")
        usage = client.ledger.usage("a")
        assert (usage.calls, usage.usd) == (1, None)
        assert client.ledger.usage_of(server.keys[:1]).prompt_tokens == usage.prompt_tokens
        assert client.ledger.by("stage")["explore"].requests == 2
        assert client.ledger.by("model")["scripted"].unpriced == 2
        assert client.ledger.usage("nothing").usd == 0.0
    assert notes == ["the price of scripted is not known: its calls are counted, not priced"]


@pytest.mark.parametrize(
    ("model", "priced_as"),
    [
        ("gpt-4o-mini", "gpt-4o-mini"),
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-05-13"),
        ("openai/gpt-4.1-nano", "gpt-4.1-nano"),
        ("gpt-4o-audio-preview", None),
        ("some-gateway/gpt-4o:free", None),
        ("my-gpt-4o", None),
    ],
)
def test_prices_are_found_by_whole_names_only(model: str, priced_as: str | None):
    table = PriceTable.load()
    assert table.find(model) == (table.models[priced_as] if priced_as else None)


def test_an_unreadable_price_file_is_a_config_error(tmp_path: Path):
    file = tmp_path / "prices.yaml"
    file.write_text("models: {x: {input: cheap}}")
    with pytest.raises(ConfigError, match=r"prices\.yaml"):
        PriceTable.load(file)


def test_a_foreign_file_is_not_taken_for_a_store(tmp_path: Path):
    file = tmp_path / "calls.sqlite"
    file.write_text("this is not a database " * 100)
    with pytest.raises(DataError, match=r"calls\.sqlite"), CallStore.open(file):
        pass


def test_what_was_asked_can_be_looked_up(tmp_path: Path):
    from synthagent.llm.messages import Call, Image, Message

    call = Call(
        "item", "collect", "m", (Message("user", "Hi", (Image(b"png"),)),), "Word", {}, 0, 9
    )
    with CallStore.open(tmp_path / "calls.sqlite") as store:
        row = store.begin(call, "http://x/v1")
        assert store.reply(call.key) is None
        store.settle(row, raw="{}", tokens=Tokens(1, 0, 1), usd=None, seconds=0.1, served_model="m")
        assert store.reply(call.key).replayed
        (message,) = store.prompt(call.request_hash)
        assert message == {"role": "user", "content": "Hi", "images": [Image(b"png").sha]}
        with pytest.raises(DataError):
            store.prompt("0" * 16)
