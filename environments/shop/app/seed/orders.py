"""Orders of the demo customer and of the others, placed through oscar's own order code."""

from oscar.core.loading import get_class, get_model

Basket = get_model("basket", "Basket")
Order = get_model("order", "Order")
OrderCreator = get_class("order.utils", "OrderCreator")
Free = get_class("shipping.methods", "Free")
Selector = get_class("partner.strategy", "Selector")
ShippingAddress = get_model("order", "ShippingAddress")
TotalCalculator = get_class("checkout.calculators", "OrderTotalCalculator")

STATUSES = ("Complete", "Shipped", "Processing", "Pending", "Cancelled", "Complete", "Shipped")


def create_orders(random, clock, customer, staff, others, products):
    """Place nine orders for the demo customer and a few for everybody else."""
    buyers = [customer] * 9 + [person for person in others for _ in range(random.randrange(1, 5))]
    random.shuffle(buyers)
    stocked = [product for product in products if _stock(product) >= 8]
    for index, buyer in enumerate(buyers):
        status = STATUSES[index % len(STATUSES)]
        placed = clock.set(90 + index * 4, hour=8 + index % 12, minute=index * 7 % 60)
        picks = random.sample(stocked, random.randrange(1, 5))
        order = _place(random, buyer, picks, status)
        Order.objects.filter(pk=order.pk).update(date_placed=placed)
        order.lines.update(status=status)
        if index % 6 == 0:
            order.notes.create(
                user=staff, note_type="Info", message="Customer asked for no plastic."
            )
        if status != "Pending":
            order.status_changes.create(old_status="Pending", new_status=status)

    # Made at the first login otherwise, with the time of that moment.
    Basket.objects.create(owner=customer)


def _stock(product):
    record = product.stockrecords.first()
    return record.num_in_stock if record else 0


def _place(random, buyer, picks, status):
    basket = Basket.objects.create(owner=buyer)
    basket.strategy = Selector().strategy()
    for product in picks:
        basket.add_product(product, random.randrange(1, 3))
    address = ShippingAddress()
    buyer.addresses.order_by("id")[basket.id % buyer.addresses.count()].populate_alternative_model(
        address
    )
    address.save()
    method = Free()
    charge = method.calculate(basket)
    order = OrderCreator().place_order(
        basket=basket,
        total=TotalCalculator().calculate(basket, charge),
        shipping_method=method,
        shipping_charge=charge,
        user=buyer,
        shipping_address=address,
        status=status,
    )
    basket.submit()
    return order
