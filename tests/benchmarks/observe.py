"""Measures one look at a page: this layer, Playwright's AI snapshot, and BrowserGym's observation.

Run it by itself: `python tests/benchmarks/observe.py [--json] [--shop]
[--browsergym-python /path/to/venv/bin/python]`. BrowserGym needs an environment of its own, since
it pins another Playwright. All three see the same pages, in one run, one after the other.
"""

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from playwright.async_api import Browser as PlaywrightBrowser
from playwright.async_api import async_playwright

from synthagent.browser import Browser, Session
from synthagent.browser.chromium import find_chromium, launch_flags
from synthagent.browser.text import render
from synthagent.config import BrowserConfig
from synthagent.records import Origins, Reload
from synthagent.sites import load_site
from synthagent.sites.pool import SitePool

SHOP_PATHS = ("/", "/catalogue/", "/accounts/login/")
COUNTER = (
    "window.seen = 0; new MutationObserver((list) => { window.seen += list.length; }).observe("
    "document, {subtree: true, childList: true, attributes: true, characterData: true});"
)
PEER = Path(__file__).with_name("observe_browsergym.py")


@dataclass(frozen=True)
class Sample:
    """A page to look at, and the names of its controls; empty when they are not known."""

    name: str
    url: str
    controls: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Measured:
    """Medians of one way to look at one page."""

    ms: float
    characters: int
    recall: float | None
    mutations: int | None = None
    full_characters: int | None = None


def make_pages() -> dict[str, tuple[str, frozenset[str]]]:
    """Return the generated pages with the names of their controls."""
    pages = {"form": _form(), "frames": _frames()}
    for name, rows in (("700", 58), ("2500", 208), ("12000", 1000)):
        pages[name] = _table(rows)
    return pages


def _form() -> tuple[str, frozenset[str]]:
    names = ["Name", "Street", "City"]
    fields = "".join(f"<p><label>{name} <input></label></p>" for name in names)
    body = f"<h1>Address</h1><form>{fields}<button>Send</button></form>"
    return body, frozenset([*names, "Send"])


def _frames() -> tuple[str, frozenset[str]]:
    names = [f"Offer {at}" for at in range(6)]
    frames = "".join(
        f"<iframe title='Frame' width=300 height=60 srcdoc='<button>{name}</button>'></iframe>"
        for name in names
    )
    return f"<h1>Frames</h1>{frames}", frozenset(names)


def _table(rows: int) -> tuple[str, frozenset[str]]:
    """Twelve elements a row: table, links, checkboxes, buttons."""
    body = "".join(
        f"<tr><td>{at}</td><td><a href='/item/{at}'>Item {at}</a></td><td><label><input "
        f"type=checkbox> Pick {at}</label></td><td><b>in</b> stock</td><td><button>Buy {at}"
        f"</button></td><td><i>new</i></td></tr>"
        for at in range(rows)
    )
    names = (f"{verb} {at}" for at in range(rows) for verb in ("Item", "Pick", "Buy"))
    return f"<h1>Rows</h1><table>{body}</table>", frozenset(names)


@contextmanager
def serve(pages: dict[str, tuple[str, frozenset[str]]]) -> Iterator[str]:
    """Serve the generated pages and yield their origin."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def do_GET(self) -> None:
            body, _ = pages.get(self.path.strip("/"), ("", frozenset()))
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(f"<!doctype html><title>Page</title><body>{body}".encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def measure_ours(session: Session, sample: Sample, rounds: int) -> Measured:
    """Return the figures of `Session.observe`, a fresh load before each look."""
    await session.goto(sample.url)
    times = []
    for _ in range(rounds):
        await session.act(Reload())
        begin = time.perf_counter()
        look = await session.observe(screenshot=False)
        times.append(time.perf_counter() - begin)
    page = session._tabs.active.page
    await page.evaluate(COUNTER)
    for _ in range(3):
        look = await session.observe()
    full = render(look.page, full=True)
    return Measured(
        round(1000 * statistics.median(times), 1),
        len(look.text),
        recall(sample, [node.name for node in look.page.elements]),
        await page.evaluate("window.seen"),
        len(full),
    )


async def measure_snapshot(browser: PlaywrightBrowser, sample: Sample, rounds: int) -> Measured:
    """Return the figures of Playwright's `aria_snapshot(mode="ai")`."""
    page = await browser.new_page(viewport={"width": 1280, "height": 720})
    times = []
    for _ in range(rounds):
        await page.goto(sample.url)
        begin = time.perf_counter()
        text = await page.locator("body").aria_snapshot(mode="ai")
        times.append(time.perf_counter() - begin)
    await page.close()
    lines = [line for line in text.splitlines() if "[ref=" in line]
    names = [match[1] for line in lines if (match := re.search(r'"((?:[^"\\]|\\.)*)"', line))]
    return Measured(round(1000 * statistics.median(times), 1), len(text), recall(sample, names))


def measure_browsergym(python: str, samples: list[Sample], rounds: int) -> dict[str, Measured]:
    """Return the figures of BrowserGym's whole observation, measured in its own environment."""
    order = {
        "chromium": str(find_chromium(BrowserConfig())),
        "rounds": rounds,
        "pages": [[sample.name, sample.url] for sample in samples],
    }
    done = subprocess.run(
        [python, str(PEER)], input=json.dumps(order), capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"BrowserGym could not be measured:\n{done.stderr[-2000:]}")
    answers = json.loads(done.stdout.splitlines()[-1])
    return {
        sample.name: Measured(
            answers[sample.name]["ms"],
            answers[sample.name]["characters"],
            recall(sample, answers[sample.name]["names"]),
        )
        for sample in samples
    }


def recall(sample: Sample, names: list[str]) -> float | None:
    """Return the share of the true controls that were found by name."""
    if not sample.controls:
        return None
    return round(len(sample.controls & {name.strip() for name in names}) / len(sample.controls), 3)


@asynccontextmanager
async def shop_samples(is_wanted: bool) -> AsyncIterator[list[Sample]]:
    """Start the shop when wanted, and yield some of its pages."""
    if not is_wanted:
        yield []
        return
    with tempfile.TemporaryDirectory() as home:
        pool = SitePool(load_site("shop"), 1, Path(home))
        async with pool, pool.lease() as instance:
            origin = instance.origins.actual_origins[0]
            yield [Sample(f"shop {path}", origin + path) for path in SHOP_PATHS]


async def measure_all(
    samples: list[Sample], rounds: int, python: str | None
) -> dict[str, dict[str, Measured]]:
    """Return the figures by page and by way of looking."""
    origins = {sample.url.split("/", 3)[2] for sample in samples}
    pairs = tuple((f"http://{origin}", f"http://{origin}") for origin in sorted(origins))
    figures: dict[str, dict[str, Measured]] = {sample.name: {} for sample in samples}
    async with Browser.launch(BrowserConfig()) as browser:
        for sample in samples:
            async with browser.session(origins=Origins(pairs=pairs)) as session:
                figures[sample.name]["ours"] = await measure_ours(session, sample, rounds)
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(
            executable_path=find_chromium(BrowserConfig()), args=launch_flags()
        )
        for sample in samples:
            figures[sample.name]["snapshot"] = await measure_snapshot(chromium, sample, rounds)
        await chromium.close()
    if python is not None:
        for name, measured in measure_browsergym(python, samples, rounds).items():
            figures[name]["browsergym"] = measured
    return figures


def print_table(figures: dict[str, dict[str, Measured]]) -> None:
    """Print one line a page and way, with ratios to this layer."""
    print(
        f"{'page':24} {'way':11} {'ms':>8} {'x':>6} {'chars':>8} {'x':>6} {'recall':>7} mutations"
    )
    for name, ways in figures.items():
        ours = ways["ours"]
        for way, one in ways.items():
            print(
                f"{name:24} {way:11} {one.ms:8.1f} {one.ms / ours.ms:6.1f} {one.characters:8d} "
                f"{one.characters / ours.characters:6.1f} {one.recall!s:>7} "
                f"{'' if one.mutations is None else one.mutations}"
            )


async def main() -> None:
    """Measure, print a table, and with `--json` end with one object of named figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--shop", action="store_true", help="also pages of the built-in shop")
    parser.add_argument("--browsergym-python", help="python of an environment with browsergym-core")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    pages = make_pages()
    with serve(pages) as origin:
        async with shop_samples(options.shop) as shop:
            samples = [Sample(name, f"{origin}/{name}", pages[name][1]) for name in pages]
            figures = await measure_all(
                [*samples, *shop], options.rounds, options.browsergym_python
            )
    print_table(figures)
    if options.json:
        plain = {
            name: {way: asdict(one) for way, one in ways.items()} for name, ways in figures.items()
        }
        print(json.dumps(plain))


if __name__ == "__main__":
    asyncio.run(main())
