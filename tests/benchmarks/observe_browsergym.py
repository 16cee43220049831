"""Measures BrowserGym's whole observation; run by `observe.py` in an environment of its own.

Knows nothing of synthagent: it reads pages from stdin and prints figures as JSON.
"""

import json
import statistics
import sys
import time
from typing import ClassVar

import browsergym.core
import browsergym.core.env
import gymnasium
from browsergym.utils.obs import flatten_axtree_to_str


class NoChat:
    """Takes the place of BrowserGym's chat window, which starts a browser of its own."""

    messages: ClassVar[list[dict[str, str]]] = [{"role": "user", "message": "look"}]

    def __init__(self, **options: object) -> None:
        del options

    def add_message(self, *args: object, **options: object) -> None:
        """Ignore it: nobody talks in this measurement."""

    def close(self) -> None:
        """Nothing was opened."""


def main() -> None:
    """Observe each page after a fresh load; delays are set to zero."""
    order = json.load(sys.stdin)
    figures = {}
    for name, url in order["pages"]:
        env = gymnasium.make(
            "browsergym/openended",
            task_kwargs={"start_url": url, "goal": "look"},
            headless=True,
            slow_mo=0,
            pre_observation_delay=0,
            pw_chromium_kwargs={"executable_path": order["chromium"]},
        ).unwrapped
        observation, _ = env.reset()
        times = []
        for _ in range(order["rounds"]):
            env.page.goto(url)
            begin = time.perf_counter()
            observation = env._get_obs()
            text = flatten_axtree_to_str(observation["axtree_object"])
            times.append(time.perf_counter() - begin)
        names = [
            node["name"]["value"]
            for node in observation["axtree_object"]["nodes"]
            if node.get("browsergym_id") and node.get("name", {}).get("value")
        ]
        figures[name] = {
            "ms": round(1000 * statistics.median(times), 1),
            "characters": len(text),
            "names": names,
        }
        env.close()
    print(json.dumps(figures))


if __name__ == "__main__":
    browsergym.core.env.Chat = NoChat
    main()
