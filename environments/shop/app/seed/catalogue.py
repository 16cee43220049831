"""Products with attributes, pictures, variants, stock and reviews."""

import io
from decimal import Decimal

from django.core.files.base import ContentFile
from oscar.apps.catalogue.categories import create_from_breadcrumbs
from oscar.core.loading import get_model
from PIL import Image, ImageDraw, ImageFont

from seed import content

Category = get_model("catalogue", "Category")
Option = get_model("catalogue", "Option")
OptionGroup = get_model("catalogue", "AttributeOptionGroup")
Partner = get_model("partner", "Partner")
Product = get_model("catalogue", "Product")
ProductAttribute = get_model("catalogue", "ProductAttribute")
ProductClass = get_model("catalogue", "ProductClass")
ProductImage = get_model("catalogue", "ProductImage")
Recommendation = get_model("catalogue", "ProductRecommendation")
Review = get_model("reviews", "ProductReview")
StockAlert = get_model("partner", "StockAlert")
StockRecord = get_model("partner", "StockRecord")


def create_catalogue(random, clock):
    """Return the products that stand for themselves, in order of creation."""
    types = _create_types()
    partners = [Partner.objects.create(name=f"{name} Warehouse") for name in ("North", "South")]
    products = []
    for department, category, type_name, noun, unit, rows in content.CATEGORIES:
        shelf = create_from_breadcrumbs(f"{department} > {category}")
        for row in rows:
            clock.set(len(products) // 2, hour=9 + len(products) % 8)
            product = _create_product(random, types[type_name], noun, unit, row, category)
            product.categories.add(shelf)
            _stock(product, partners, row, len(products))
            products.append(product)
    for name, text in content.DEPARTMENT_TEXTS.items():
        Category.objects.filter(name=name).update(description=f"<p>{text}</p>")
    for index, product in enumerate(products[::4]):
        other = products[(index * 4 + 9) % len(products)]
        Recommendation.objects.create(primary=product, recommendation=other, ranking=1)
    return products


def _create_types():
    types = {}
    for name, attributes in content.PRODUCT_TYPES.items():
        types[name] = ProductClass.objects.create(name=name)
        for label, code, kind in attributes:
            ProductAttribute.objects.create(
                product_class=types[name], name=label, code=code, type=kind
            )
    for name, options in (
        ("Gift wrapping", ("None", "Brown paper", "Patterned paper")),
        ("Care level", ("Easy", "Medium", "Delicate")),
    ):
        group = OptionGroup.objects.create(name=name)
        for option in options:
            group.options.create(option=option)
    engraving = Option.objects.create(
        name="Engraving", type="text", help_text="Up to 20 letters on the base"
    )
    types["Kitchen"].options.add(engraving)
    return types


def _create_product(random, product_class, noun, unit, row, category):
    name, size, _, _ = row
    space = "" if unit == "W" else " "
    title = f"{name} {noun} {size}{space}{unit}"
    text = f"{content.OPENINGS[category].format(size=size)} {random.choice(content.CLOSINGS)}"
    number = 1001 + Product.objects.filter(structure__in=("standalone", "parent")).count()
    product = Product(
        product_class=product_class,
        structure="parent" if title in content.VARIANTS else "standalone",
        title=title,
        upc=f"LS-{number}",
        description=f"<p>{text}</p>",
    )
    colour = random.choice(list(content.COLOURS))
    facts = {
        "colour": colour,
        "material": random.choice(content.MATERIALS),
        "fabric": random.choice(content.FABRICS),
        "weight": random.randrange(120, 4200, 10),
        "warranty": random.choice((12, 24, 36)),
        "dishwasher_safe": random.random() < 0.6,
        "waterproof": random.random() < 0.5,
        "washable": random.random() < 0.7,
    }
    for attribute in product_class.attributes.all():
        setattr(product.attr, attribute.code, facts[attribute.code])
    product.save()
    image = ProductImage(product=product, display_order=0, caption=title)
    image.original.save(f"ls-{number}.png", _draw(title, category, colour), save=False)
    image.save()
    return product


def _stock(product, partners, row, index):
    _, _, price, stock = row
    sizes = content.VARIANTS.get(product.title)
    if sizes is None:
        _stock_record(product, partners[index % 2], price, stock)
        return
    for place, size in enumerate(sizes):
        child = Product.objects.create(
            structure="child", parent=product, title=f"{product.title}, {size}",
            upc=f"{product.upc}-{place + 1}",
        )  # fmt: skip
        surcharge = Decimal(price) + Decimal("2.50") * place
        _stock_record(child, partners[index % 2], surcharge, max(0, stock // (place + 1) - 4))


def _stock_record(product, partner, price, stock):
    StockRecord.objects.create(
        product=product,
        partner=partner,
        partner_sku=f"{partner.name[0]}-{product.upc}",
        price_currency="USD",
        price=Decimal(price),
        num_in_stock=stock,
        low_stock_threshold=5,
    )


def create_stock_alerts(clock):
    """Open the alerts that oscar would have opened when the stock ran low; close a few."""
    low = StockRecord.objects.filter(num_in_stock__lt=5).order_by("id")
    for index, record in enumerate(low[:14]):
        opened = clock.set(200 + index)
        alert = StockAlert.objects.create(stockrecord=record, threshold=5, date_created=opened)
        if index % 5 == 4:
            alert.close()


def _draw(title, category, colour):
    """Return a simple picture whose form depends on the category and whose fill on the colour."""
    picture = Image.new("RGB", (440, 400), (247, 246, 242))
    draw = ImageDraw.Draw(picture)
    fill, edge = content.COLOURS[colour], (70, 70, 70)
    sides = 3 + sum(map(ord, category)) % 5
    if sides == 3:
        draw.polygon([(220, 60), (350, 290), (90, 290)], fill=fill, outline=edge, width=3)
    elif sides == 4:
        draw.rounded_rectangle((110, 70, 330, 290), 34, fill=fill, outline=edge, width=3)
    else:
        draw.regular_polygon((220, 180, 125), sides, fill=fill, outline=edge)
    font = ImageFont.load_default(size=22)
    draw.text((220, 345), title, fill=(40, 40, 40), font=font, anchor="mm")
    file = io.BytesIO()
    picture.quantize(32).save(file, "PNG")
    return ContentFile(file.getvalue())


def create_reviews(random, clock, products, people):
    """Write reviews: the number varies by product, two wait for moderation."""
    for index, product in enumerate(products):
        authors = random.sample(people, (0, 1, 2, 4, 0, 3, 7, 1)[index % 8])
        for author in authors:
            score = random.choices((1, 2, 3, 4, 5), (1, 2, 3, 6, 7))[0]
            title, body = random.choice(content.REVIEWS[score])
            clock.set(60 + random.randrange(120), hour=random.randrange(8, 22))
            Review.objects.create(
                product=product, user=author, score=score, title=title,
                body=body.format(name=product.title), status=Review.APPROVED,
            )  # fmt: skip
    for product in products[3::48]:
        Review.objects.create(
            product=product, name="A visitor", email="visitor@mail.test", score=4,
            title="Waiting to see more", body="Ask me again in a year.",
            status=Review.FOR_MODERATION,
        )  # fmt: skip
    for product in products:
        product.update_rating()
