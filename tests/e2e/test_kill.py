"""A run killed again and again ends as one that was left alone, and pays for nothing twice."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from synthagent.journal import RunDirectory
from synthagent.llm.scripted import Script, ScriptedServer

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.site, pytest.mark.timeout(540)]

KILLS = 10
LOGS = ("transitions", "tasks", "trajectories", "reviews", "refined")
SMALL = ("--set", "explore.max_transitions=10", "--max-tasks", "5", "--contexts", "2")


def command(home: Path, run: str, url: str) -> subprocess.Popen:
    args = [
        sys.executable,
        "-m",
        "synthagent",
        "synthesize",
        "--site",
        "shop",
        "--run",
        run,
        "--teacher",
        "llm",
        "--model",
        "scripted",
        "--base-url",
        url,
        *SMALL,
    ]
    environment = os.environ | {"SYNTHAGENT_HOME": str(home), "OPENAI_API_KEY": "scripted"}
    return subprocess.Popen(
        args,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen) -> None:
    _, said = process.communicate(timeout=400)
    assert process.returncode == 0, said[-3000:]


def records(home: Path, run: str) -> dict[str, list[str]]:
    with RunDirectory.load(home / "runs" / run) as directory:
        assert all(getattr(directory, log).damaged == 0 for log in LOGS)
        return {log: [record.id for record in getattr(directory, log)] for log in LOGS}


async def test_ten_kills_lose_nothing_and_pay_nothing_twice(site_home, tmp_path):
    random = Random(7)
    async with ScriptedServer.start(Script(latency=0.02)) as server:
        started = time.monotonic()
        await asyncio.to_thread(finish, command(site_home, "whole", server.url))
        seconds = time.monotonic() - started
    log = tmp_path / "requests.jsonl"
    async with ScriptedServer.start(Script(latency=0.02), log=log) as server:
        for _ in range(KILLS):
            process = command(site_home, "killed", server.url)
            try:
                await asyncio.to_thread(process.wait, random.uniform(1.0, seconds * 0.7))
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGKILL)
                await asyncio.to_thread(process.communicate)
            else:
                await asyncio.to_thread(finish, process)
        await asyncio.to_thread(finish, command(site_home, "killed", server.url))
    killed = records(site_home, "killed")
    assert killed == records(site_home, "whole")
    assert all(len(ids) == len(set(ids)) for ids in killed.values())
    assert killed["refined"]
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    paid = Counter(entry["key"] for entry in entries if entry.get("outcome") == "ok")
    assert max(paid.values()) == 1
