"""Accounts, addresses, wish lists, messages; the two demo accounts are those of `site.yaml`."""

import hashlib

from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, Permission
from oscar.core.loading import get_model

from seed import content

Country = get_model("address", "Country")
Email = get_model("communication", "Email")
Notification = get_model("communication", "Notification")
ProductAlert = get_model("customer", "ProductAlert")
User = get_user_model()
UserAddress = get_model("address", "UserAddress")
WishList = get_model("wishlists", "WishList")

CUSTOMER = ("dana.reyes@shop.test", "meadow-lark-42", "Dana", "Reyes")
STAFF = ("staff@shop.test", "harbour-gate-77", "Sam", "Okoro")


def create_people(random, clock):
    """Return the demo customer, the member of staff, and the other customers."""
    for order, (two, three, number, name) in enumerate(content.COUNTRIES):
        Country.objects.create(
            iso_3166_1_a2=two, iso_3166_1_a3=three, iso_3166_1_numeric=number, name=name,
            printable_name=name, display_order=order, is_shipping_country=True,
        )  # fmt: skip
    clock.set(1)
    staff = _create_account(*STAFF, is_staff=True)
    group = Group.objects.create(name="All Oscar Dashboard Permissions")
    group.permissions.set(
        Permission.objects.exclude(
            content_type__app_label__in=("admin", "contenttypes", "sessions", "thumbnail")
        )
    )
    staff.groups.add(group)
    clock.set(2)
    customer = _create_account(*CUSTOMER)
    others = []
    for index, (first, last) in enumerate(content.CUSTOMERS):
        clock.set(3 + 5 * index)
        mail = f"{first}.{last}@mail.test".lower()
        person = _create_account(mail, f"{last.lower()}-{index}-pass", first, last)
        _add_address(random, person, default=True)
        others.append(person)
    _add_customer_addresses(customer)
    return customer, staff, others


def _create_account(email, password, first_name, last_name, **more):
    return User.objects.create(
        username=email.partition("@")[0], email=email, first_name=first_name, last_name=last_name,
        password=make_password(password, salt=hashlib.sha256(email.encode()).hexdigest()[:32]),
        **more,
    )  # fmt: skip


def _add_address(random, person, *, default):
    town, state = random.choice(content.TOWNS)
    UserAddress.objects.create(
        user=person, first_name=person.first_name, last_name=person.last_name,
        line1=f"{random.randrange(1, 190)} {random.choice(content.STREETS)}", line4=town,
        state=state, postcode=str(random.randrange(10000, 99999)), country_id="US",
        is_default_for_shipping=default, is_default_for_billing=default,
    )  # fmt: skip


def _add_customer_addresses(customer):
    for line1, town, state, postcode, country, default in (
        ("14 Orchard Lane", "Fairview", "OH", "44126", "US", True),
        ("Unit 3, 200 Mill Road", "Salem", "OR", "97301", "US", False),
        ("8 Station Avenue", "Bristol", "", "BS1 4DJ", "GB", False),
    ):
        UserAddress.objects.create(
            user=customer, first_name=customer.first_name, last_name=customer.last_name,
            line1=line1, line4=town, state=state, postcode=postcode, country_id=country,
            is_default_for_shipping=default, is_default_for_billing=default,
        )  # fmt: skip


def create_belongings(clock, customer, others, products):
    """Give the demo customer wish lists, messages, mails and alerts; others a few alerts."""
    for index, (name, picks) in enumerate(
        (("Camping trip", (48, 57, 66, 72)), ("Desk makeover", (24, 33, 42)), ("Gifts", (8, 95)))
    ):
        clock.set(100 + index)
        wishes = WishList.objects.create(owner=customer, name=name)
        WishList.objects.filter(pk=wishes.pk).update(key=f"lsw{index + 1:03}")
        for place in picks:
            wishes.lines.create(
                product=products[place], title=products[place].title, quantity=1 + place % 2
            )
    for index, (subject, body) in enumerate(
        (
            ("Welcome to Larkspur Supply", "Thank you for opening an account with us."),
            ("Your address book", "You can keep several addresses and choose at checkout."),
            ("Kettles are back", "Several kettles are in stock again."),
        )
    ):
        clock.set(110 + index)
        Notification.objects.create(recipient=customer, subject=subject, body=body)
        Email.objects.create(user=customer, email=customer.email, subject=subject, body_text=body)
    sold_out = [product for product in products if product.stockrecords.filter(num_in_stock=0)]
    clock.set(120)
    ProductAlert.objects.create(
        user=customer, product=sold_out[0], status=ProductAlert.ACTIVE, key="lsa000"
    )
    for index, person in enumerate(others[:5]):
        clock.set(121 + index)
        ProductAlert.objects.create(
            user=person, product=sold_out[1 + index % 3], status=ProductAlert.ACTIVE,
            key=f"lsa{index + 1:03}",
        )  # fmt: skip
