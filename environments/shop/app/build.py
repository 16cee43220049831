"""Fill an empty data folder with the seeded shop: tables, contents, pictures, search index.

Usage: `SITE_DATA=<folder> python build.py`. Run once; instances start from copies of the result.
"""

import os
import random
from pathlib import Path

os.environ["SITE_BUILDING"] = "1"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")

import django
from seed import clock

# Before any model is loaded: some keep `timezone.now` as the default of a field.
time = clock.install()
django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from oscar.core.thumbnails import SorlThumbnail  # noqa: E402
from seed import catalogue, marketing, orders, people  # noqa: E402

# The sizes on the pages that are opened most, so that looking at them writes no files.
THUMBNAILS = (
    ("x155", {"upscale": False}),
    ("440x400", {"upscale": False}),
    ("70x70", {"upscale": False}),
    ("100x100", {"upscale": False}),
)


def main():
    """Build the shop; equal on every machine but for the bytes of the index."""
    Path(settings.MEDIA_ROOT).mkdir(parents=True)
    call_command("migrate", verbosity=0, run_syncdb=True)
    dice = random.Random(20250106)
    with transaction.atomic():
        customer, staff, others = people.create_people(dice, time)
        products = catalogue.create_catalogue(dice, time)
        catalogue.create_reviews(dice, time, products, [customer, *others])
        people.create_belongings(time, customer, others, products)
        marketing.create_marketing(time)
        orders.create_orders(dice, time, customer, staff, others, products)
        catalogue.create_stock_alerts(time)
        draw = SorlThumbnail()
        for image in catalogue.ProductImage.objects.all():
            for size, options in THUMBNAILS:
                draw.generate_thumbnail(image.original, size=size, **options)
    call_command("rebuild_index", interactive=False, verbosity=0)
    connection.close()


if __name__ == "__main__":
    main()
