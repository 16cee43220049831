"""What is explored, in which order, and when it ends; on sites given as tables."""

import asyncio
from random import Random

import pytest

from synthagent.config import ExploreConfig
from synthagent.explore.frontier import Frontier
from synthagent.explore.places import Item, Trial
from synthagent.journal import run_stream
from synthagent.records import Goto, Node
from tests.explore.sketch import ORIGIN, Control, Sketch

NAV = (Control("Home", "/", "navigation"), Control("Orders", "/orders/", "navigation"))
SHOP = {
    "/": (
        *NAV,
        *(Control(f"Product {n}", f"/p/{n}/", "listing") for n in range(1, 6)),
        Control("Menu", "/#menu", "menu", opens=True),
    ),
    "/#menu": (
        *NAV,
        *(Control(f"Product {n}", f"/p/{n}/", "listing") for n in range(1, 6)),
        Control("Menu", "/#menu", "menu", opens=True),
        Control("Help", "/help/", "menu"),
    ),
    "/help/": NAV,
    "/orders/": (*NAV, *(Control(f"Order {n}", f"/orders/{n}/", "listing") for n in range(1, 4))),
    **{f"/orders/{n}/": (*NAV, Control("Redo", "/basket/", posts=True)) for n in range(1, 4)},
    **{f"/p/{n}/": (*NAV, Control("Add", "/basket/", "form", posts=True)) for n in range(1, 6)},
    "/basket/": (*NAV, Control("Checkout", "/checkout/", "link")),
    "/checkout/": (*NAV, Control("Pay", "/thanks/", "form", posts=True)),
    "/thanks/": (),
}  # fmt: skip


def frontier(seed: int = 0, roles: tuple[str, ...] = ("customer",), **config: int) -> Frontier:
    settings = ExploreConfig(**config)
    starts = [(role, ORIGIN + "/") for role in roles]
    return Frontier("a", settings, starts, seed=seed, is_allowed=lambda node: node.name != "Pay")


async def explore(
    frontier: Frontier, site: Sketch, *, concurrency: int = 1, shuffle: int = 0
) -> list[Item]:
    chosen: list[Item] = []
    chance = Random(shuffle)

    async def work(item: Item) -> None:
        for _ in range(chance.randrange(30) if shuffle else 0):
            await asyncio.sleep(0)

    def next_item() -> Item | None:
        item = frontier.next_item()
        chosen.extend([item] if item is not None else [])
        return item

    await run_stream(
        next_item,
        work,
        concurrency=concurrency,
        done=lambda item, _: site.tell(frontier, item),
        failed=lambda item, error, trace: pytest.fail(trace),
    )
    return chosen


async def test_every_kind_of_page_that_offers_something_is_asked_about_once():
    site, front = Sketch(SHOP), frontier()
    await explore(front, site)
    kinds = sorted("".join(c for c in name if not c.isdigit()) for name in site.surveyed)
    pages = ("/", "/#menu", "/basket/", "/checkout/", "/orders/", "/orders//", "/p//")
    assert kinds == [f"customer {page}" for page in pages]
    assert front.kinds == 8


async def test_the_order_depends_on_nothing_but_answers():
    runs = [
        await explore(frontier(), Sketch(SHOP), concurrency=concurrency, shuffle=shuffle)
        for concurrency, shuffle in ((1, 0), (1, 5), (2, 1), (4, 2), (4, 3), (16, 4))
    ]
    assert all(run == runs[0] for run in runs)
    assert len({item.id for item in runs[0] if isinstance(item, Trial)}) > 8


async def test_seeds_differ_in_order_only_where_promise_is_equal():
    first = {seed: Sketch(SHOP) for seed in range(6)}
    for seed, site in first.items():
        await explore(frontier(seed), site)
    assert len({tuple(site.done) for site in first.values()}) > 1
    assert len({len(site.surveyed) for site in first.values()}) == 1


async def test_the_budget_is_kept_and_new_targets_come_first():
    site = Sketch(SHOP)
    await explore(frontier(max_transitions=3), site)
    assert len(site.done) == 3
    assert not any(done.endswith("Home") for done in site.done)


async def test_no_more_than_so_many_of_a_category():
    site = Sketch(SHOP)
    await explore(frontier(per_category=1), site)
    assert sum(done.startswith("customer / Product") for done in site.done) == 1


async def test_forbidden_controls_are_never_chosen():
    site = Sketch(SHOP)
    await explore(frontier(), site)
    assert "customer /checkout/ Checkout" not in site.done
    assert not any(done.endswith("Pay") for done in site.done)


async def test_depth_is_bounded():
    chain = {f"/{'x' * n}": (Control("On", f"/{'x' * (n + 1)}", posts=True),) for n in range(9)}
    site = Sketch({"/": chain["/"], **chain, "/" + "x" * 9: ()})
    await explore(frontier(max_depth=3), site)
    assert len(site.done) == 3


async def test_plain_pages_are_reached_by_their_address_and_changed_ones_by_what_changed_them():
    items = [item for item in await explore(frontier(), Sketch(SHOP)) if isinstance(item, Trial)]
    paths = {(item.place.seen.title, item.candidate.element.name): item.path for item in items}
    product = next(
        path for (title, name), path in paths.items() if title[:3] == "/p/" and name == "Add"
    )
    assert [step.action.type for step in product] == ["goto"]
    (checkout,) = [path for (title, name), path in paths.items() if name == "Checkout"]
    assert [step.action.type for step in checkout][:2] == ["goto", "click"]
    assert isinstance(checkout[0].action, Goto)


async def test_only_what_is_new_is_tried_in_an_opened_menu():
    site = Sketch(SHOP)
    await explore(frontier(), site)
    assert [done for done in site.done if "#menu" in done] == ["customer /#menu Help"]


async def test_a_page_without_controls_ends_by_itself():
    front = frontier()
    site = Sketch({"/": ()})
    await explore(front, site)
    assert site.surveyed == []
    assert front.dead_ends == [f"{ORIGIN}/ as customer: no addressable elements"]


async def test_roles_take_turns():
    site = Sketch(SHOP)
    front = frontier(roles=("customer", "staff"), max_transitions=12)
    await explore(front, site)
    counts = {
        role: sum(done.startswith(role) for done in site.done) for role in ("customer", "staff")
    }
    assert min(counts.values()) >= 3


async def test_an_endless_list_ends():
    class Feed(dict):
        def __missing__(self, path: str) -> tuple[Control, ...]:
            at = int(path.strip("/") or 0)
            more = Control("More", f"/{at + 1}/", "more", opens=True)
            return (more, *(Control(f"Note {at * 9 + n}", f"/n/{at * 9 + n}/") for n in range(3)))

    site = Sketch(Feed({f"/n/{n}/": () for n in range(2000)}))
    items = await explore(frontier(max_depth=4, max_transitions=50), site)
    assert len(items) < 60


async def test_what_is_lost_gives_its_budget_back():
    front, site = frontier(max_transitions=2), Sketch(SHOP)
    tried = 0
    while (item := front.next_item()) is not None:
        if isinstance(item, Trial) and tried < 2:
            tried += 1
            front.lost(item)
        else:
            site.tell(front, item)
    assert len(site.done) == 2


def test_foreign_nodes_are_asked_about():
    asked: list[Node] = []
    front = Frontier(
        "a",
        ExploreConfig(),
        [("x", ORIGIN + "/")],
        seed=0,
        is_allowed=lambda node: bool(asked.append(node)),
    )
    site = Sketch(SHOP)
    while (item := front.next_item()) is not None:
        site.tell(front, item)
    assert site.done == []
    assert len(asked) == len(SHOP["/"])


async def test_pages_with_other_data_are_not_asked_about_again():
    nav = (Control("Home", "/"), *(Control(f"Group {n}", f"/{w}/") for n, w in enumerate("abc")))
    goods = {w: tuple(Control(f"{w}{n}", f"/p/{n}/") for n in range(4)) for w in "abc"}
    buy = tuple(Control(name, f"/add/{name}/", posts=True) for name in ("Buy", "Wish", "Tell"))
    site = Sketch(
        {
            "/": nav,
            "/a/": (*nav, *goods["a"], *buy),
            "/b/": (*nav, *goods["b"], *buy),
            "/c/": (*nav, *goods["c"], *buy, Control("Sort", "/c/", posts=True)),
            **{f"/p/{n}/": nav for n in range(4)},
            **{f"/add/{name}/": () for name in ("Buy", "Wish", "Tell")},
        }
    )
    await explore(frontier(per_category=9, max_transitions=99), site)
    listings = [name for name in site.surveyed if name[-2] in "abc"]
    assert len(listings) <= 2
    assert sum(done.endswith("Sort") for done in site.done) == 1
    assert sum(done.endswith("Buy") for done in site.done) == 1
