"""Measures exploration: transitions a minute with 1, 2 and 4 browser contexts on the shop.

The teacher is the LLM teacher, asking a scripted model server that takes a second for each reply.
Run it by itself: `python tests/benchmarks/explore.py [--json]`.
"""

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path

from synthagent.config import ExploreConfig, ModelConfig, RunConfig
from synthagent.explore import explore
from synthagent.llm.scripted import Script, ScriptedServer
from synthagent.run import open_run
from synthagent.sites.registry import default_home
from synthagent.tracker import SilentTracker


async def measure(contexts: int, transitions: int, server: ScriptedServer) -> dict[str, float]:
    """Return the figures of one exploration of the shop."""
    config = RunConfig(
        site="shop",
        teacher="llm",
        contexts=contexts,
        model=ModelConfig(name="scripted", base_url=server.url),
        explore=ExploreConfig(max_transitions=transitions),
    )
    before = len(server.requests)
    with tempfile.TemporaryDirectory() as folder:
        environ = {"OPENAI_API_KEY": "none"}
        async with open_run(
            Path(folder) / "run",
            config,
            home=default_home(),
            tracker=SilentTracker(),
            environ=environ,
        ) as run:
            begin = time.monotonic()
            await explore(run)
            seconds = time.monotonic() - begin
            made = len(run.directory.transitions)
            kinds = len({one.after.structure_key for one in run.directory.transitions})
    return {
        "transitions": made,
        "seconds": round(seconds, 2),
        "transitions_per_minute": round(60 * made / seconds, 1),
        "page_kinds": kinds,
        "model_calls": len(server.requests) - before,
    }


async def main() -> None:
    """Measure, print a table, and with `--json` end with one object of named figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contexts", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--transitions", type=int, default=60)
    parser.add_argument("--latency", type=float, default=1.0, help="seconds for each reply")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures: dict[str, float] = {}
    print(f"{'contexts':>8} {'transitions':>11} {'seconds':>8} {'per minute':>10} {'kinds':>6}"
          f" {'calls':>6} {'against one':>11}")  # fmt: skip
    async with ScriptedServer.start(Script(latency=options.latency)) as server:
        for contexts in options.contexts:
            found = await measure(contexts, options.transitions, server)
            figures |= {f"{name}_{contexts}": value for name, value in found.items()}
            first = figures[f"transitions_per_minute_{options.contexts[0]}"]
            ratio = round(found["transitions_per_minute"] / first, 2)
            figures[f"speedup_{contexts}"] = ratio
            print(f"{contexts:>8} {found['transitions']:>11.0f} {found['seconds']:>8.1f}"
                  f" {found['transitions_per_minute']:>10.1f} {found['page_kinds']:>6.0f}"
                  f" {found['model_calls']:>6.0f} {ratio:>11.2f}", flush=True)  # fmt: skip
    if options.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    asyncio.run(main())
