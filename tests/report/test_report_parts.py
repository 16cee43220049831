"""The pure parts: names of page kinds, places on the map, what changed in a wording, choice."""

from collections import Counter
from io import BytesIO
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops

from synthagent.records import Box
from synthagent.report.charts import draw_funnel, draw_map
from synthagent.report.coverage import address_of, map_coverage, title_of, without_site
from synthagent.report.gallery import choose_rows
from synthagent.report.layout import CARD_HEIGHT, CARD_WIDTH, MAX_ROWS, Graph, place_graph
from synthagent.report.numbers import FunnelStage, count_types, group_drops
from synthagent.report.pictures import shrink
from synthagent.report.rows import read_rows
from synthagent.report.wording import diff_words


@pytest.mark.parametrize(
    ("urls", "address"),
    [
        (["http://shop.test/"], "/"),
        (["http://shop.test"], "/"),
        (["http://shop.test/a/1/", "http://shop.test/a/2/"], "/a/…/"),
        (["http://shop.test/a/1/", "http://shop.test/a/1/"], "/a/1/"),
        (["http://shop.test/s/?q=x&page=2", "http://shop.test/s/?q=y"], "/s/?q"),
        (["http://s.test/a/1/", "http://s.test/a/2/", "http://s.test/a/b/c/"], "/a/…/"),
    ],
)
def test_address_of_a_kind(urls: list[str], address: str) -> None:
    assert address_of(Counter(urls)) == address


@pytest.mark.parametrize(
    ("titles", "title"),
    [
        (["Basket"], "Basket"),
        ([""], "(no title)"),
        (["Order 100 | Shop", "Order 200 | Shop"], "Order …"),
        (["Reviews of Lamp", "Reviews of Chair"], "Reviews of …"),
        (["Lamp", "Chair", "Lamp"], "Lamp"),
        (["The lamp - Shop", "The chair - Shop", "The lamp - Shop"], "The lamp - Shop"),
    ],
)
def test_title_of_a_kind(titles: list[str], title: str) -> None:
    assert title_of(Counter(titles)) == title


@pytest.mark.parametrize(
    ("titles", "short"),
    [
        (["Cart | Shop", "Reports | Dash | Shop", "Shop"], ["Cart", "Reports | Dash", "Shop"]),
        (["Shop - Cart", "Shop - Login", "Other"], ["Cart", "Login", "Other"]),
        (["Cart | A", "Login | B", "Help | C"], ["Cart | A", "Login | B", "Help | C"]),
        (["Cart | Shop - Fine things", "Help | Shop - Fine things"], ["Cart", "Help"]),
        (["Well-known | Shop"], ["Well-known | Shop"]),
        ([], []),
    ],
)
def test_the_name_of_the_site_is_not_repeated(titles: list[str], short: list[str]) -> None:
    assert without_site(titles) == short


graphs = st.integers(1, 45).flatmap(
    lambda size: st.builds(
        Graph,
        size=st.just(size),
        edges=st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=90),
        starts=st.lists(st.integers(0, size - 1), max_size=3, unique=True),
        groups=st.lists(st.integers(0, 3), min_size=size, max_size=size),
    )
)


@given(graphs)
def test_cards_never_overlap_and_never_leave_the_map(graph: Graph) -> None:
    layout = place_graph(graph)
    assert layout == place_graph(graph)
    taken = {(place.x, place.y) for place in layout.places}
    assert len(taken) == graph.size
    rows: Counter[int] = Counter(place.column for place in layout.places)
    assert max(rows.values()) <= MAX_ROWS
    for place in layout.places:
        assert 0 <= place.x <= layout.width - CARD_WIDTH
        assert 0 <= place.y <= layout.height - CARD_HEIGHT
    by_column = sorted((place.column, place.y) for place in layout.places)
    for (column, y), (other, below) in pairwise(by_column):
        assert column != other or below - y >= CARD_HEIGHT


def test_columns_are_distances_from_the_start() -> None:
    layout = place_graph(Graph(4, [(0, 1), (1, 2), (0, 2), (2, 3), (3, 0)], [0], [0] * 4))
    assert [place.column for place in layout.places] == [0, 1, 1, 2]
    assert layout.tree == {(0, 1), (0, 2), (2, 3)}


def test_the_map_counts_what_was_tried_and_leaves_out_the_least_visited(make_run) -> None:
    run = make_run(kinds=70, transitions=150, pictures=False)
    rows = read_rows(run.trajectories, run.reviews, run.refined)
    coverage = map_coverage(run.transitions, rows, run.blobs.get_page)
    site_map = draw_map(coverage)
    assert len(coverage.kinds) == 70
    assert len(site_map.cards) == 60
    assert site_map.left_out == 10
    home = coverage.kinds[0]
    tried = {item.target for item in run.transitions if item.before.structure_key == home.key}
    assert home.tried == len(tried)
    assert home.seen == 5, "four controls of which one differs between the two pages of the kind"
    assert 0 in coverage.starts


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_diff_holds_both_wordings(before: str, after: str) -> None:
    changes = diff_words(before, after)
    assert "".join(change.text for change in changes if change.kind != "ins") == before
    assert "".join(change.text for change in changes if change.kind != "del") == after


def test_a_diff_names_the_words_that_changed() -> None:
    changes = diff_words("Buy 3 blue lamps", "Buy 2 blue lamps")
    assert [tuple(change) for change in changes] == [
        ("same", "Buy "),
        ("del", "3"),
        ("ins", "2"),
        ("same", " blue lamps"),
    ]


def test_rows_are_counted_once_and_faults_apart(make_run) -> None:
    run = make_run()
    rows = read_rows(run.trajectories, run.reviews, run.refined)
    faults = [row for row in rows if row.end == "infrastructure"]
    drops = group_drops(rows)
    kept = sum(kept for _, kept, _ in count_types(rows))
    assert kept == len(run.refined)
    assert sum(len(members) for _, members in drops) + kept + len(faults) == len(rows)
    assert {kind for kind, _ in drops} == {
        "out of steps",
        "infeasible as worded",
        "replay drifted",
    }
    chosen = choose_rows(rows, shown=12, misses=3)
    assert len(chosen) == len({row.id for row in chosen}) == 12
    assert sum(not row.kept for row in chosen) == 3


@pytest.mark.parametrize(
    ("counts", "rates"),
    [((10, 5, 5), ["", "50%", "100%"]), ((5, 10, 0), ["", "", "0%"]), ((0, 0, 0), ["", "", ""])],
)
def test_funnel_rates(counts: tuple[int, ...], rates: list[str]) -> None:
    parts = draw_funnel([FunnelStage("x", count, "") for count in counts])
    assert [part.rate for part in parts] == rates


@pytest.mark.parametrize(
    ("box", "where"),
    [
        (Box(x=100, y=100, width=50, height=20), (48, 48, 78, 62)),
        (Box(x=1200, y=700, width=500, height=200), (596, 346, 640, 360)),
        (Box(x=100, y=5000, width=50, height=20), (48, 334, 78, 360)),
        (Box(x=100, y=-300, width=50, height=20), (48, 0, 78, 26)),
    ],
)
def test_the_target_is_framed_or_pointed_at(make_run, box: Box, where: tuple[int, ...]) -> None:
    look = next(iter(make_run().transitions)).before
    shot = make_run().blobs.get(look.screenshot)
    plain, size = shrink(shot, None, 640, 90)
    framed, _ = shrink(shot, box, 640, 90)
    assert size == (640, 360)
    with Image.open(BytesIO(plain)) as before, Image.open(BytesIO(framed)) as after:
        changed = ImageChops.difference(before.convert("L"), after.convert("L"))
        left, top, right, bottom = changed.point(lambda value: 255 * (value > 40)).getbbox()
    margin = 6
    assert left >= where[0] - margin
    assert top >= where[1] - margin
    assert right <= where[2] + margin
    assert bottom <= where[3] + margin
