"""Ranges, offers, vouchers, pages and mail templates: what the back office looks after."""

import datetime as dt

from django.contrib.flatpages.models import FlatPage
from django.contrib.sites.models import Site
from oscar.core.loading import get_model

from seed import content

Benefit = get_model("offer", "Benefit")
Category = get_model("catalogue", "Category")
Condition = get_model("offer", "Condition")
EventType = get_model("communication", "CommunicationEventType")
Offer = get_model("offer", "ConditionalOffer")
Range = get_model("offer", "Range")
Voucher = get_model("voucher", "Voucher")

FAR = dt.datetime(2045, 1, 1, tzinfo=dt.UTC)
PAST = dt.datetime(2025, 4, 1, tzinfo=dt.UTC)


def create_marketing(clock):
    """Create everything that is not a product, a person or an order."""
    Site.objects.update_or_create(pk=1, defaults={"domain": "shop.test", "name": "Larkspur Supply"})
    start = clock.set(5)
    everything = Range.objects.create(
        name="All products", includes_all_products=True, is_public=True
    )
    shelves = {}
    for name, category in (("Kettle corner", "Kettles"), ("Trail basics", "Water Bottles")):
        shelves[name] = Range.objects.create(
            name=name, is_public=True, description=f"<p>Everything from {category.lower()}.</p>"
        )
        shelves[name].included_categories.add(Category.objects.get(name=category))
    offers = (
        (
            "Ten percent off three kettles",
            "Site",
            shelves["Kettle corner"],
            3,
            "Percentage",
            10,
            FAR,
        ),
        ("Two dollars off two bottles", "Site", shelves["Trail basics"], 2, "Absolute", 2, FAR),
        ("Ten percent with SAVE10", "Voucher", everything, 1, "Percentage", 10, FAR),
        ("A quarter off with SPRING25", "Voucher", everything, 1, "Percentage", 25, FAR),
        ("Five dollars with HELLO5", "Voucher", everything, 1, "Absolute", 5, FAR),
        ("Winter clearance", "Voucher", everything, 2, "Percentage", 40, PAST),
    )
    made = [_create_offer(start, *row) for row in offers]
    for name, code, usage, offer, end in (
        ("Save ten", "SAVE10", Voucher.MULTI_USE, made[2], FAR),
        ("Spring promotion", "SPRING25", Voucher.MULTI_USE, made[3], FAR),
        ("First order", "HELLO5", Voucher.ONCE_PER_CUSTOMER, made[4], FAR),
        ("Winter clearance", "WINTER40", Voucher.SINGLE_USE, made[5], PAST),
    ):
        voucher = Voucher.objects.create(
            name=name, code=code, usage=usage, start_datetime=start, end_datetime=end
        )
        voucher.offers.add(offer)
    _create_pages()


def _create_offer(start, name, kind, shelf, count, benefit, value, end):
    return Offer.objects.create(
        name=name,
        description=f"<p>{name}.</p>",
        offer_type=kind,
        condition=Condition.objects.create(range=shelf, type="Count", value=count),
        benefit=Benefit.objects.create(range=shelf, type=benefit, value=value),
        start_datetime=start,
        end_datetime=end,
    )


def _create_pages():
    site = Site.objects.get(pk=1)
    for url, title, text in content.PAGES:
        FlatPage.objects.create(url=url, title=title, content=text).sites.add(site)
    for code, name, subject in (
        ("ORDER_PLACED", "Order placed", "Confirmation of order {{ order.number }}"),
        ("REGISTRATION", "Registration", "Thank you for registering"),
        ("PASSWORD_RESET", "Password reset", "Resetting your password"),
    ):
        EventType.objects.create(code=code, name=name, email_subject_template=subject)
