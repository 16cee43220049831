"""Progress in plain lines, the figures in them, and stopping in order."""

import asyncio
import io
import os
import signal

import pytest
import typer
from rich.console import Console

from synthagent.cli.bars import BarTracker
from synthagent.cli.execution import execute
from synthagent.cli.progress import LineTracker, show_cost, show_seconds
from synthagent.tracker import Tracker


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_lines_are_few_and_say_how_far_how_fast_and_how_long() -> None:
    stream, clock = io.StringIO(), Clock()
    tracker: Tracker = LineTracker(stream, clock)
    tracker.stage_started("collect", 40)
    for number in range(20):
        clock.now += 1
        tracker.item_done("collect", f"task {number}", "kept" if number % 2 else "dropped")
        tracker.cost(0.25, 3 * number, 1000)
    tracker.note("careful")
    tracker.stage_done("collect")
    assert stream.getvalue().splitlines() == [
        "collect: begins, 40 items",
        "collect: 5/40, 3 dropped, 2 kept, 60/min, about 35 s left, 9 calls, $0.25",
        "collect: 10/40, 5 dropped, 5 kept, 60/min, about 30 s left, 24 calls, $0.25",
        "collect: 15/40, 8 dropped, 7 kept, 60/min, about 25 s left, 39 calls, $0.25",
        "collect: 20/40, 10 dropped, 10 kept, 60/min, about 20 s left, 54 calls, $0.25",
        "careful",
        "collect: done in 20 s: 20/40, 10 dropped, 10 kept, 60/min, about 20 s left,"
        " 57 calls, $0.25",
    ]


def test_resumed_items_say_nothing_about_the_rate() -> None:
    stream, clock = io.StringIO(), Clock()
    tracker = LineTracker(stream, clock)
    tracker.stage_started("collect", 100)
    for _ in range(50):
        tracker.item_done("collect", "before", "resumed")
    clock.now += 60
    tracker.item_done("collect", "now", "kept")
    assert stream.getvalue().splitlines()[-1] == (
        "collect: 51/100, 50 resumed, 1 kept, 1/min, about 49 min left"
    )


def test_a_terminal_gets_bars_with_the_same_figures_and_no_markup_from_pages() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=160, color_system=None)
    with BarTracker(console) as tracker:
        tracker.stage_started("explore", 3)
        tracker.cost(None, 7, 100)
        tracker.item_done("explore", "[red]a [/nonsense] label", "kept")
        tracker.note("a [bold]note[/wrong]")
        tracker.stage_done("explore")
    told = stream.getvalue()
    assert "explore" in told
    assert "1 kept" in told
    assert "7 calls, price unknown" in told
    assert "a [bold]note[/wrong]" in told


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.4, "0 s"), (89, "89 s"), (90, "2 min"), (3600, "60 min"), (7500, "2 h 05 min")],
)
def test_durations(seconds: float, shown: str) -> None:
    assert show_seconds(seconds) == shown


def test_costs() -> None:
    assert show_cost(1.234, 5) == "5 calls, $1.23"
    assert show_cost(None, 5) == "5 calls, price unknown"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_command_cleans_up_and_says_how_to_go_on(
    capsys: pytest.CaptureFixture[str], number: int, code: int
) -> None:
    closed = []

    async def work(tracker: Tracker) -> None:
        try:
            os.kill(os.getpid(), number)
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            closed.append("in order")
            raise ConnectionError("the browser died of the same signal") from None

    with pytest.raises(typer.Exit) as ended:
        execute(work, resume="run the same command to go on")
    assert ended.value.exit_code == code
    assert closed == ["in order"]
    assert capsys.readouterr().err == "stopped; run the same command to go on\n"


def test_what_work_returns_and_raises_comes_through() -> None:
    async def work(tracker: Tracker) -> int:
        tracker.note("working")
        return 7

    async def fail(tracker: Tracker) -> int:
        raise LookupError("lost")

    assert execute(work) == 7
    with pytest.raises(LookupError, match="lost"):
        execute(fail)
