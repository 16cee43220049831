"""The built-in shop: what is in it, and that copies are separate, resettable and never orphaned."""

import asyncio
import hashlib
import re
import sqlite3
import subprocess
import sys
import time

import lxml.html
import psutil
import pytest

from synthagent.errors import ConfigError, SiteUnreachable
from synthagent.sites import SitePool, check_site, load_site
from synthagent.sites.instance import open_instance, start_instance, stop_instance
from synthagent.sites.login import is_logged_in
from synthagent.sites.registry import list_instances, lock_instance
from synthagent.sites.snapshot import ensure_snapshot, snapshot_key
from tests.sites.browse import visit

pytestmark = pytest.mark.site
KETTLE = "/catalogue/sable-kettle-10-l_8/"


@pytest.fixture(scope="module")
async def pool(shop, site_home):
    async with SitePool(shop, 2, site_home) as pool:
        yield pool


@pytest.fixture
async def instance(pool):
    async with pool.lease() as instance:
        yield instance


@pytest.mark.parametrize(
    ("role", "path", "words"),
    [
        (None, "/catalogue/", "96 results"),
        (None, "/catalogue/category/kitchen/kettles_2/", "8 results"),
        (None, "/search/?q=kettle", "Found 8 results"),
        (None, "/catalogue/juniper-kettle-08-l_4/", "Unavailable"),
        (None, KETTLE, "In stock"),
        (None, KETTLE, "Customer Reviews"),
        (None, "/catalogue/skipper-cap-58-cm_89/", "Skipper Cap 58 cm, Rust"),
        (None, "/offers/", "Ten percent off three kettles"),
        (None, "/about/", "Saturday market"),
        ("customer", "/accounts/profile/", "dana.reyes@shop.test"),
        ("customer", "/accounts/orders/", "100042"),
        ("customer", "/accounts/addresses/", "14 Orchard Lane"),
        ("customer", "/accounts/addresses/", "United Kingdom"),
        ("customer", "/accounts/wishlists/", "Camping trip"),
        ("customer", "/accounts/notifications/inbox/", "Kettles are back"),
        ("customer", "/accounts/emails/", "Your address book"),
        ("customer", "/accounts/alerts/", "Juniper Kettle"),
        ("staff", "/dashboard/", "Total products 109"),
        ("staff", "/dashboard/", "Total customers 13"),
        ("staff", "/dashboard/", "New customers 0"),
        ("staff", "/dashboard/orders/", "100042"),
        ("staff", "/dashboard/orders/statistics/", "Total orders 43"),
        ("staff", "/dashboard/catalogue/stock-alerts/", "Open"),
        ("staff", "/dashboard/users/", "March 5, 2025"),
        ("staff", "/dashboard/vouchers/", "SAVE10"),
        ("staff", "/dashboard/reviews/", "Requires moderation"),
        ("staff", "/dashboard/ranges/", "Kettle corner"),
        ("staff", "/dashboard/partners/", "North Warehouse"),
        ("staff", "/dashboard/pages/", "Care guide"),
        ("staff", "/dashboard/comms/", "Password reset"),
    ],
)
async def test_the_shop_has_something_to_do_everywhere(pool, role, path, words):
    async with pool.lease() as instance, visit(instance, role) as visitor:
        assert words in await visitor.text(path)


async def test_orders_of_the_customer_have_many_statuses_and_several_lines(instance):
    async with visit(instance, "customer") as visitor:
        page = lxml.html.fromstring((await visitor.get("/accounts/orders/")).text)
        links = sorted(set(re.findall(r"/accounts/orders/\d+/", " ".join(page.xpath("//@href")))))
        texts = [await visitor.text(link) for link in links]
    statuses = {
        status
        for status in ("Complete", "Shipped", "Processing", "Pending", "Cancelled")
        for text in texts
        if f"Status {status}" in text or f"Status: {status}" in text
    }
    assert len(links) == 9
    assert len(statuses) >= 3


async def test_pages_ask_nothing_of_other_hosts(instance):
    async with visit(instance, "staff") as visitor:
        for path in ("/", KETTLE, "/basket/", "/dashboard/", "/dashboard/orders/100001/"):
            page = lxml.html.fromstring((await visitor.get(path)).text)
            loaded = page.xpath("//script/@src | //img/@src | //iframe/@src | //link/@href")
            assert [url for url in loaded if not url.startswith("/") or url[:2] == "//"] == []


async def test_customers_and_visitors_do_not_see_the_back_office(instance):
    async with visit(instance, "customer") as visitor:
        assert (await visitor.get("/dashboard/orders/")).status_code == 403
    async with visit(instance) as visitor:
        assert (await visitor.get("/dashboard/orders/")).url.path == "/dashboard/login/"


async def test_a_reset_brings_everything_back_in_two_seconds_and_keeps_logins(instance):
    async with visit(instance, "staff") as staff, visit(instance, "customer") as customer:
        await staff.submit("/dashboard/orders/100001/", "/100001/", message="Hello", save="save")
        added = await customer.submit(KETTLE, "/basket/add/", quantity="2")
        assert added.status_code == 200
        title = await staff.submit(
            "/dashboard/catalogue/products/8/", "/products/8/", title="Zebra Kettle", action="save"
        )
        assert title.status_code == 200
        assert "$178.00" in await customer.text("/basket/")
        assert "Zebra Kettle" in await customer.text("/search/?q=zebra")
    assert instance.is_dirty
    begin = time.monotonic()
    await instance.reset()
    assert time.monotonic() - begin < 2
    assert not instance.is_dirty
    for role in ("customer", "staff"):
        state = instance.storage_state(role)
        assert await is_logged_in(instance.spec, role, instance.origins, state)
    async with visit(instance, "customer") as customer:
        assert "Your cart is empty" in await customer.text("/basket/")
        assert "Found 0 results" in await customer.text("/search/?q=zebra")
        assert "Found 1 result" in await customer.text("/search/?q=sable")


async def test_looking_only_where_nothing_is_counted_needs_no_reset(instance):
    await instance.reset()
    async with visit(instance) as visitor:
        await visitor.text("/about/")
        assert not instance.is_dirty
        await visitor.text(KETTLE)
    assert instance.is_dirty, "oscar counts how often a product was looked at"
    await instance.reset()
    instance.mark_dirty()
    assert instance.is_dirty


async def test_uploaded_and_removed_files_come_back(instance):
    media = instance.record.folder + "/data/media"
    files = (await asyncio.to_thread(_listing, media)).splitlines()
    await asyncio.to_thread(subprocess.run, ["sh", "-c", 'cd "$1" && rm "$2" && echo x > new', "-",
                                             media, files[0]], check=True)  # fmt: skip
    assert instance.is_dirty
    await instance.reset()
    assert (await asyncio.to_thread(_listing, media)).splitlines() == files


def _listing(folder):
    found = subprocess.run(
        ["find", ".", "-type", "f"], cwd=folder, capture_output=True, text=True, check=True
    )
    return "\n".join(sorted(found.stdout.splitlines()))


async def test_two_copies_do_not_see_each_other(pool):
    async with pool.lease() as one, pool.lease() as two:
        assert one.origins != two.origins
        async with visit(one, "customer") as here, visit(two, "customer") as there:
            await here.submit(KETTLE, "/basket/add/", quantity="1")
            assert "$89.00" in await here.text("/basket/")
            assert "Your cart is empty" in await there.text("/basket/")


async def test_four_writers_at_once_lose_nothing(instance):
    async def shop_around():
        async with visit(instance) as visitor:
            for product in (KETTLE, "/catalogue/fjord-kettle-17-l_1/"):
                for _ in range(3):
                    answer = await visitor.submit(product, "/basket/add/", quantity="1")
                    assert answer.status_code == 200
            return await visitor.text("/basket/")

    baskets = await asyncio.gather(*(shop_around() for _ in range(4)))
    assert all("$416.70" in basket for basket in baskets), "3 x 89.00 + 3 x 49.90"


async def test_an_order_can_be_placed_and_is_seen_in_the_back_office(instance):
    async with visit(instance, "customer") as customer, visit(instance, "staff") as staff:
        await customer.submit(KETTLE, "/basket/add/", quantity="2")
        shipped = await customer.submit(
            "/checkout/shipping-address/", "/shipping-address/", action="ship_to", address_id="13"
        )
        assert shipped.url.path == "/checkout/payment-details/"
        placed = await customer.submit("/checkout/preview/", "/preview/", action="place_order")
        assert placed.url.path == "/checkout/thank-you/"
        assert "100044" in placed.text
        assert "$178.00" in await staff.text("/dashboard/orders/100044/")


async def test_the_next_lease_is_fresh(pool):
    for _ in range(pool.size):
        async with pool.lease() as instance, visit(instance, "customer") as visitor:
            await visitor.submit(KETTLE, "/basket/add/", quantity="1")
    for _ in range(pool.size):
        async with pool.lease() as instance, visit(instance, "customer") as visitor:
            assert "Your cart is empty" in await visitor.text("/basket/")


async def test_a_copy_that_died_is_replaced(shop, site_home):
    async with SitePool(shop, 1, site_home) as pool:
        async with pool.lease() as instance:
            old = instance.record
            psutil.Process(old.pid).kill()
            instance.mark_dirty()
        async with pool.lease() as instance:
            assert instance.record.pid != old.pid
            async with visit(instance) as visitor:
                assert "96 results" in await visitor.text("/catalogue/")


async def test_a_server_ends_with_the_program_that_was_killed(site_home, shop):
    await ensure_snapshot(shop, site_home)
    program = (
        "import asyncio, sys, pathlib\n"
        "from synthagent.sites import load_site\n"
        "from synthagent.sites.instance import start_instance\n"
        "async def main():\n"
        "    instance = await start_instance(load_site('shop'), pathlib.Path(sys.argv[1]))\n"
        "    print(instance.record.to_json(), flush=True)\n"
        "    await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    starter = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(site_home), stdout=subprocess.PIPE
    )
    await starter.stdout.readline()
    record = next(
        record
        for record in list_instances(site_home, "shop")
        if psutil.Process(record.pid).ppid() == starter.pid
    )
    server = psutil.Process(record.pid)
    starter.kill()
    await starter.communicate()
    await asyncio.to_thread(psutil.wait_procs, [server], timeout=10)
    assert not record.is_alive
    assert record.id not in {entry.id for entry in list_instances(site_home, "shop")}
    async with SitePool(shop, 1, site_home) as pool:
        assert pool.instances[0].record.folder == record.folder, "the stale folder is used again"


async def test_a_detached_copy_is_found_used_and_stopped(site_home, shop, tmp_path):
    started = await start_instance(shop, site_home, detach=True)
    record = started.record
    await started.close()
    try:
        assert record in list_instances(site_home, "shop")
        async with SitePool(shop, 1, site_home) as pool:
            assert pool.instances[0].record == record
            assert pool.instances[0].is_dirty, "nobody knows what happened to it before"
            assert lock_instance(record) is None
            assert await open_instance(shop, site_home, record) is None
        opened = await open_instance(shop, site_home, record)
        report = await check_site(shop, home=site_home, instance=opened)
        await opened.close()
        assert report.ok, report
        assert [row.check for row in report.rows] == [
            "reachable shop", "login customer", "login staff", "reset",
        ]  # fmt: skip
    finally:
        stop_instance(record)
    assert record not in list_instances(site_home, "shop")
    assert list_instances(tmp_path) == ()


async def test_a_port_in_use_is_an_error_with_the_reason(site_home, shop, pool):
    port = pool.instances[0].record.port
    with pytest.raises(SiteUnreachable, match=r"did not start: .*in use"):
        await start_instance(shop, site_home, port=port)


async def test_two_builds_are_equal(shop, site_home, tmp_path):
    first, second = [
        _contents((await ensure_snapshot(shop, home)).data / "shop.sqlite3")
        for home in (site_home, tmp_path)
    ]
    assert first == second


def _contents(database):
    """Return a hash of each table, those of sessions and the times of logins aside."""
    connection = sqlite3.connect(":memory:")
    with sqlite3.connect(database) as source:
        source.backup(connection)
    source.close()
    connection.execute("UPDATE auth_user SET last_login = NULL")
    tables = [
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        if not name.startswith(("sqlite_", "django_session", "thumbnail_"))
    ]
    contents = {
        name: hashlib.sha256(repr(sorted(map(repr, connection.execute(f'SELECT * FROM "{name}"'))))
                             .encode()).hexdigest()
        for name in tables
    }  # fmt: skip
    connection.close()
    return contents


def test_the_snapshot_is_named_after_what_is_in_the_folder(shop, tmp_path):
    folder = tmp_path / "shop"
    subprocess.run(["cp", "-r", str(shop.folder), str(folder)], check=True)
    copy = load_site(str(folder / "site.yaml"))
    assert snapshot_key(copy) == snapshot_key(shop)
    (folder / "app" / "more.txt").write_text("x")
    assert snapshot_key(copy) != snapshot_key(shop)


def test_only_what_is_ours_is_started(shop):
    outside = shop.with_(
        serve=None, base_urls={"shop": {"canonical": "http://shop.test", "url": "${NOT_SET}"}}
    )
    with pytest.raises(ConfigError, match="NOT_SET"):
        outside.outside_origins({})
