"""The whole file: its numbers, its safety, and that a real browser opens it without complaint."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.async_api import async_playwright

from synthagent.browser.chromium import find_chromium
from synthagent.config import BrowserConfig, RunConfig
from synthagent.journal import RunDirectory
from synthagent.report import write_report

HOSTILE = (
    "<script>alert(1)</script>\"'><img src=http://evil.example/x onerror=alert(2)>"
    "</style></title></pre>{{ 7*7 }}{% include 'x' %}<!--]]>&amp;"
)
Make = Callable[..., RunDirectory]
MakeReport = Callable[..., Path]


def read(report: Path) -> tuple[str, BeautifulSoup]:
    html = report.read_text(encoding="utf-8")
    return html, BeautifulSoup(html, "lxml")


def words(soup: BeautifulSoup, selector: str) -> list[str]:
    return [" ".join(found.get_text(" ").split()) for found in soup.select(selector)]


def test_numbers_are_those_of_the_logs(make_run: Make, make_report: MakeReport) -> None:
    run = make_run()
    _, soup = read(make_report())
    kept, tried = len(run.refined), list(run.trajectories)
    faults = sum(item.end == "infrastructure" for item in tried)
    rewrites = sum(len(item.task.versions) - 1 for item in tried)
    tiles = dict(zip(words(soup, ".tile dt"), words(soup, ".tile dd"), strict=True))
    assert tiles == {
        "Kept trajectories": f"{kept} of {len(tried)}",
        "Replayed": "100 %",
        "Steps": str(sum(len(item.steps) for item in run.refined)),
        "Page kinds": "23",
        "Live rewrites": str(rewrites),
        "Cost": "$0.00",
    }
    completed = sum(item.end == "completed" for item in tried)
    funnel = [120, len(run.tasks), len(tried) - faults, completed, kept, kept]
    assert words(soup, ".funnel .big") == [str(count) for count in funnel]
    assert len(soup.select(".map .kind")) == 23
    assert len(soup.select(".rewrite")) == rewrites
    assert f"Infrastructure faults: {faults}" in soup.get_text()
    assert "no model: 0 calls" in soup.get_text()


def test_gallery_marks_steps_and_covers_types_lengths_and_misses(make_report: MakeReport) -> None:
    _, soup = read(make_report())
    cards = soup.select(".gallery > details")
    assert len(cards) == 24
    assert {card["data-type"] for card in cards} == {"information", "navigation", "modification"}
    assert sum(card["data-kept"] == "no" for card in cards) == 4
    lengths = {int(re.match(r"\d+", text).group()) for text in words(soup, ".caption .meta")}
    assert len(lengths) >= 6
    for card in cards:
        assert all(image["src"].startswith("data:image/webp;base64,") for image in card("img"))
        assert len(card.select(".step")) == len(card.select("figure"))


def test_hostile_text_in_every_field_stays_text(make_report: MakeReport) -> None:
    html, soup = read(make_report(text=HOSTILE, trajectories=20))
    assert len(re.findall(r"<script", html)) == 1
    assert len(re.findall(r"<style", html)) == 1
    assert "<img src=http" not in html
    assert not [tag for tag in soup(True) if any(name.startswith("on") for name in tag.attrs)]
    assert "{{ 7*7 }}" in soup.get_text(), "page text is no template"
    assert "<script>alert(1)</script>" in soup.get_text(), "it is shown, as text"


@pytest.mark.parametrize("text", ["", HOSTILE])
def test_nothing_is_loaded_from_outside(make_report: MakeReport, text: str) -> None:
    _, soup = read(make_report(text=text, trajectories=20))
    loaded = {
        tag.name: tag[name] for tag in soup(True) for name in ("src", "href") if tag.get(name)
    }
    assert loaded
    assert all(url.startswith(("data:", "#")) for url in loaded.values())
    assert not soup(["iframe", "object", "embed", "form", "base"])
    policy = soup.find("meta", {"http-equiv": "Content-Security-Policy"})["content"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.browser
@pytest.mark.parametrize("text", ["", HOSTILE])
async def test_a_real_browser_opens_it_without_complaint(
    make_report: MakeReport, text: str
) -> None:
    path = make_report(text=text, trajectories=20)
    seen: list[str] = []
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=find_chromium(BrowserConfig()))
        page = await chromium.new_page(color_scheme="dark")
        page.on("console", lambda message: seen.append(message.text))
        page.on("pageerror", lambda error: seen.append(str(error)))
        page.on("dialog", lambda dialog: seen.append(dialog.message))
        page.on("request", lambda request: seen.append(request.url))
        await page.goto(path.as_uri())
        await page.click("[data-filter=kept] [data-value=no]")
        hidden = await page.locator(".gallery > details[data-kept=yes]:visible").count()
        card = page.locator(".gallery > details:visible").first
        await card.locator("summary").first.click()
        width = await card.locator(".step img").first.evaluate(
            "image => image.decode().then(() => image.naturalWidth)"
        )
        await page.hover(".kind >> nth=1")
        lit = await page.locator(".map svg.lit .kind.near").count()
        await chromium.close()
    assert [line for line in seen if not line.startswith("data:")] == [path.as_uri()]
    assert hidden == 0
    assert width == 800
    assert lit > 1


def test_a_run_that_has_just_begun_has_a_report(tmp_path) -> None:
    with RunDirectory.open(tmp_path / "new", RunConfig(site="shop")) as directory:
        _, soup = read(write_report(directory))
    assert "0 trajectories from shop" in words(soup, "h1")[0]
    assert "Nothing explored yet." in soup.get_text()


def test_lost_screenshots_cost_only_their_pictures(make_run: Make, tmp_path) -> None:
    path = tmp_path / "demo"
    shutil.copytree(make_run(trajectories=20).path, path)
    whole = len(read(write_report(RunDirectory.load(path)))[1].select(".step img"))
    for number, picture in enumerate(sorted(path.glob("blobs/*/*.webp"))):
        if number % 2:
            picture.unlink()
    _, soup = read(write_report(RunDirectory.load(path)))
    assert 0 < len(soup.select(".step img")) < whole
    assert "their blobs are lost" in soup.get_text()


def test_the_file_stays_small_with_many_long_trajectories(make_report: MakeReport) -> None:
    assert make_report().stat().st_size < 15_000_000
