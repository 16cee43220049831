"""Figures as shapes: the funnel, the length histogram and the coverage map, ready for SVG.

Holds numbers and path strings only; all markup, and so all escaping, is in the templates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt

from synthagent.report.coverage import Coverage, Kind
from synthagent.report.layout import CARD_HEIGHT, CARD_WIDTH, Graph, place_graph
from synthagent.report.numbers import FunnelStage

FUNNEL_WIDTH, FUNNEL_HEIGHT = 1080, 150
BAR_WIDTH, BAR_GAP, BARS_HEIGHT = 34, 10, 150
MAX_KINDS = 60
"""Page kinds drawn; the rest is in the table below the map."""
MAX_RADIUS, MIN_RADIUS = 17.0, 6.0


@dataclass(frozen=True, slots=True)
class FunnelPart:
    """One stage of the funnel: its column, and the ribbon to the next stage."""

    stage: FunnelStage
    x: float
    middle: float
    height: float
    ribbon: str
    rate: str
    """Share of the stage before, where that says something."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One column of the histogram; segments are (class number, y, height)."""

    label: str
    total: int
    x: float
    top: float
    segments: tuple[tuple[int, float, float], ...]


@dataclass(frozen=True, slots=True)
class Bars:
    """A histogram."""

    bars: tuple[Bar, ...]
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Card:
    """A page kind on the map."""

    kind: Kind
    number: int
    x: int
    y: int
    role: int
    radius: float
    ring: float
    """Circumference of the ring that shows tried/seen controls."""
    done: float
    """Drawn part of the ring."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """A way between two cards; `main` when it first led to its target."""

    source: int
    target: int
    path: str
    main: bool
    role: int
    """Of the card it leads to."""
    width: float
    label: str


@dataclass(frozen=True, slots=True)
class SiteMap:
    """The coverage map."""

    cards: tuple[Card, ...]
    arrows: tuple[Arrow, ...]
    width: int
    height: int
    left_out: int


def draw_funnel(stages: Sequence[FunnelStage]) -> tuple[FunnelPart, ...]:
    """Return the funnel from left to right; heights are in proportion to the counts."""
    step = FUNNEL_WIDTH / len(stages)
    most = max((stage.count for stage in stages), default=0) or 1
    heights = [max(stage.count / most * FUNNEL_HEIGHT, 2.0) for stage in stages]
    parts = []
    for place, stage in enumerate(stages):
        x, height = place * step, heights[place]
        after = heights[place + 1] if place + 1 < len(stages) else height
        before = stages[place - 1].count if place else 0
        rate = f"{stage.count / before:.0%}" if before and stage.count <= before else ""
        parts.append(
            FunnelPart(stage, x, x + step / 2, height, _ribbon(x, step, height, after), rate)
        )
    return tuple(parts)


def _ribbon(x: float, step: float, left: float, right: float) -> str:
    middle = FUNNEL_HEIGHT / 2
    flat, bend, end = x + step * 0.62, x + step * 0.81, x + step
    return (
        f"M{x:.1f} {middle - left / 2:.1f}H{flat:.1f}"
        f"C{bend:.1f} {middle - left / 2:.1f} {bend:.1f} {middle - right / 2:.1f} "
        f"{end:.1f} {middle - right / 2:.1f}V{middle + right / 2:.1f}"
        f"C{bend:.1f} {middle + right / 2:.1f} {bend:.1f} {middle + left / 2:.1f} "
        f"{flat:.1f} {middle + left / 2:.1f}H{x:.1f}Z"
    )


def draw_bars(columns: Sequence[tuple[int, tuple[int, ...]]]) -> Bars:
    """Return stacked columns, one a number of steps."""
    most = max((sum(parts) for _, parts in columns), default=0) or 1
    bars = []
    for place, (length, parts) in enumerate(columns):
        y, segments = float(BARS_HEIGHT), []
        for number, count in enumerate(parts):
            height = count / most * BARS_HEIGHT
            y -= height
            if count:
                segments.append((number, y, height))
        x = place * (BAR_WIDTH + BAR_GAP)
        bars.append(Bar(str(length), sum(parts), float(x), y, tuple(segments)))
    width = len(columns) * (BAR_WIDTH + BAR_GAP) - BAR_GAP
    return Bars(tuple(bars), float(max(width, 1)), float(BARS_HEIGHT))


def draw_map(coverage: Coverage) -> SiteMap:
    """Return the most visited page kinds as cards in columns, with arrows between them."""
    chosen = _choose_kinds(coverage)
    number = {kind: place for place, kind in enumerate(chosen)}
    roles = {role: place for place, role in enumerate(coverage.roles)}
    kinds = [coverage.kinds[kind] for kind in chosen]
    groups = [roles[kind.roles[0]] if kind.roles else 0 for kind in kinds]
    ways = [way for way in coverage.ways if way.source in number and way.target in number]
    graph = Graph(
        size=len(chosen),
        edges=[(number[way.source], number[way.target]) for way in ways],
        starts=[number[start] for start in coverage.starts if start in number],
        groups=groups,
    )
    layout = place_graph(graph)
    most = max((kind.visits for kind in kinds), default=1)
    cards = tuple(
        _card(kind, place, (spot.x, spot.y), group, most)
        for place, (kind, spot, group) in enumerate(zip(kinds, layout.places, groups, strict=True))
    )
    arrows = []
    for way, (source, target) in zip(ways, graph.edges, strict=True):
        width = min(1 + sqrt(way.count) * 0.5, 4.0)
        path = _arrow(cards[source], cards[target])
        label = f"{way.example} · {way.count}×"
        main = (source, target) in layout.tree
        arrows.append(Arrow(source, target, path, main, groups[target], width, label))
    arrows.sort(key=lambda arrow: arrow.main)
    left_out = len(coverage.kinds) - len(chosen)
    return SiteMap(cards, tuple(arrows), layout.width, layout.height, left_out)


def _choose_kinds(coverage: Coverage) -> list[int]:
    order = sorted(
        range(len(coverage.kinds)),
        key=lambda kind: (kind not in coverage.starts, -coverage.kinds[kind].visits, kind),
    )
    return sorted(order[:MAX_KINDS])


def _card(kind: Kind, number: int, corner: tuple[int, int], role: int, most: int) -> Card:
    radius = MIN_RADIUS + (MAX_RADIUS - MIN_RADIUS) * sqrt(kind.visits / most)
    ring = 2 * pi * (radius + 3)
    share = kind.tried / kind.seen if kind.seen else 0.0
    return Card(kind, number, *corner, role, radius, ring, ring * share)


def _arrow(source: Card, target: Card) -> str:
    y1, y2 = source.y + CARD_HEIGHT / 2, target.y + CARD_HEIGHT / 2
    if target.x > source.x:
        x1, x2 = source.x + CARD_WIDTH, target.x
        bend = max((x2 - x1) * 0.5, 34)
        return f"M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
    if target.x < source.x:  # backwards: from the left edge to the right edge
        x1, x2 = source.x, target.x + CARD_WIDTH
        bend = max((x1 - x2) * 0.5, 34)
        return f"M{x1} {y1}C{x1 - bend} {y1} {x2 + bend} {y2} {x2} {y2}"
    x = source.x + CARD_WIDTH
    bend = 24 + min(abs(y2 - y1) / 10, 24)
    return f"M{x} {y1}C{x + bend} {y1} {x + bend} {y2} {x} {y2}"
