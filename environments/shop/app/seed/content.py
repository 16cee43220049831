"""Names and texts of the shop, as plain tables; all invented.

Knows nothing of Django: `catalogue.py`, `people.py`, `orders.py` and `marketing.py` read it.
"""

# Short, plain words: the search index keeps the stem of a type and shows it as a filter.
# Product type -> attributes as (name, code, kind).
PRODUCT_TYPES = {
    "Kitchen": (
        ("Material", "material", "text"),
        ("Dishwasher safe", "dishwasher_safe", "boolean"),
        ("Warranty (months)", "warranty", "integer"),
    ),
    "Desk": (
        ("Colour", "colour", "text"),
        ("Weight (g)", "weight", "integer"),
        ("Warranty (months)", "warranty", "integer"),
    ),
    "Trail": (
        ("Colour", "colour", "text"),
        ("Weight (g)", "weight", "integer"),
        ("Waterproof", "waterproof", "boolean"),
    ),
    "Wear": (
        ("Colour", "colour", "text"),
        ("Fabric", "fabric", "text"),
        ("Machine washable", "washable", "boolean"),
    ),
}

# (department, category, product type, noun, unit, [(name, size, price, stock), ...])
CATEGORIES = (
    ("Kitchen", "Kettles", "Kitchen", "Kettle", "L", (
        ("Fjord", "1.7", "49.90", 24), ("Alder", "1.0", "29.50", 60),
        ("Kestrel", "1.5", "64.00", 8), ("Juniper", "0.8", "24.90", 0),
        ("Quartz", "1.7", "79.00", 15), ("Ember", "1.2", "38.25", 3),
        ("Harbour", "2.0", "54.75", 31), ("Sable", "1.0", "89.00", 12))),
    ("Kitchen", "Storage Jars", "Kitchen", "Storage Jar", "L", (
        ("Maple", "0.5", "6.90", 140), ("Cedar", "1.0", "8.50", 95), ("Iris", "1.5", "11.20", 44),
        ("Onyx", "0.75", "9.40", 2), ("Larch", "2.0", "13.90", 57), ("Grove", "3.0", "17.50", 0),
        ("Pine", "0.25", "4.95", 210), ("Tundra", "5.0", "24.00", 18))),
    ("Kitchen", "Chopping Boards", "Kitchen", "Chopping Board", "cm", (
        ("Birch", "28", "18.90", 36), ("Ridge", "32", "24.50", 27), ("Delta", "36", "29.90", 5),
        ("Nimbus", "40", "34.00", 13), ("Wren", "24", "14.25", 48), ("Thistle", "45", "42.80", 0),
        ("Slate", "30", "39.00", 9), ("Meadow", "34", "21.70", 33))),
    ("Home Office", "Desk Lamps", "Desk", "Desk Lamp", "W", (
        ("Lumen", "8", "44.90", 22), ("Corvid", "12", "59.00", 14), ("Halo", "6", "27.80", 41),
        ("Beacon", "15", "84.50", 4), ("Glimmer", "5", "19.90", 66), ("Vesper", "10", "72.00", 0),
        ("Aurora", "18", "109.00", 7), ("Candela", "9", "51.30", 19))),
    ("Home Office", "Notebooks", "Desk", "Notebook", "pages", (
        ("Margin", "96", "5.90", 180), ("Folio", "160", "9.80", 120),
        ("Quill", "192", "12.50", 73), ("Ledger", "240", "15.90", 3),
        ("Vellum", "128", "11.20", 52), ("Stanza", "80", "4.50", 0),
        ("Codex", "320", "21.00", 28), ("Sketch", "112", "13.75", 39))),
    ("Home Office", "Keyboards", "Desk", "Keyboard", "keys", (
        ("Tactile", "104", "89.90", 16), ("Murmur", "87", "74.00", 21),
        ("Clack", "68", "99.50", 6), ("Relay", "108", "54.90", 34),
        ("Staccato", "61", "119.00", 2), ("Velvet", "84", "67.25", 25),
        ("Cadence", "96", "82.40", 0), ("Minor", "75", "61.80", 11))),
    ("Outdoors", "Tents", "Trail", "Tent", "person", (
        ("Solstice", "1", "129.00", 10), ("Bivouac", "2", "189.00", 17),
        ("Summit", "3", "259.00", 5), ("Meridian", "4", "319.00", 8),
        ("Outpost", "5", "389.00", 1), ("Dune", "2", "149.90", 0), ("Canopy", "6", "449.00", 4),
        ("Lichen", "1", "99.00", 23))),
    ("Outdoors", "Backpacks", "Trail", "Backpack", "L", (
        ("Drover", "18", "54.90", 29), ("Switchback", "24", "69.00", 32),
        ("Traverse", "38", "109.00", 14), ("Caravan", "55", "159.00", 6),
        ("Nomad", "65", "189.00", 0), ("Sprig", "12", "39.50", 45), ("Tarn", "30", "84.75", 20),
        ("Col", "45", "134.00", 3))),
    ("Outdoors", "Water Bottles", "Trail", "Water Bottle", "ml", (
        ("Brook", "500", "12.90", 150), ("Rill", "350", "9.90", 88),
        ("Cascade", "750", "16.50", 64), ("Spring", "1000", "19.90", 37),
        ("Estuary", "1500", "24.40", 0), ("Puddle", "250", "7.80", 102),
        ("Torrent", "900", "28.00", 2), ("Lagoon", "600", "14.70", 55))),
    ("Wardrobe", "Rain Jackets", "Wear", "Rain Jacket", "g", (
        ("Squall", "420", "119.00", 13), ("Drizzle", "280", "79.90", 26),
        ("Gale", "560", "149.00", 7), ("Mizzle", "230", "64.50", 19),
        ("Monsoon", "690", "179.00", 0), ("Cirrus", "310", "94.00", 11),
        ("Downpour", "480", "129.90", 3), ("Petrel", "350", "104.25", 16))),
    ("Wardrobe", "Caps", "Wear", "Cap", "cm", (
        ("Harrow", "56", "18.90", 47), ("Skipper", "58", "22.50", 35),
        ("Orchard", "57", "16.75", 58), ("Signal", "60", "24.00", 4),
        ("Trailhead", "59", "19.90", 30), ("Bramble", "55", "14.50", 0),
        ("Foreman", "61", "26.80", 12), ("Sandbar", "57", "17.30", 41))),
    ("Wardrobe", "Wool Socks", "Wear", "Wool Socks", "pairs", (
        ("Heather", "2", "9.90", 90), ("Fell", "2", "17.50", 62), ("Moor", "3", "24.90", 38),
        ("Crag", "3", "12.40", 2), ("Dale", "4", "31.00", 21), ("Tor", "2", "19.80", 0),
        ("Beck", "5", "36.75", 15), ("Cairn", "6", "42.00", 9))),
)  # fmt: skip

DEPARTMENT_TEXTS = {
    "Kitchen": "Plain, sturdy tools for people who cook every day.",
    "Home Office": "What a desk needs, and nothing it does not.",
    "Outdoors": "Gear that has been rained on before it is sold.",
    "Wardrobe": "Clothes for the walk there and the walk back.",
}

# Category -> sizes, for the products that come in several.
VARIANTS = {
    "Squall Rain Jacket 420 g": ("S", "M", "L", "XL"),
    "Drizzle Rain Jacket 280 g": ("S", "M", "L"),
    "Skipper Cap 58 cm": ("Olive", "Navy", "Rust"),
    "Fell Wool Socks 2 pairs": ("36-39", "40-43", "44-47"),
}

COLOURS = {
    "Black": (38, 38, 44), "Rust": (176, 84, 48), "Navy": (40, 60, 112), "Olive": (104, 116, 62),
    "White": (226, 226, 220), "Sand": (205, 180, 130), "Teal": (44, 128, 130),
}  # fmt: skip
MATERIALS = ("Steel", "Glass", "Beech wood", "Stoneware", "Bamboo", "Enamel")
FABRICS = ("Recycled polyester", "Organic cotton", "Merino wool", "Waxed cotton", "Nylon")

OPENINGS = {
    "Kettles": "Boils {size} litres without a whistle and pours without a drip.",
    "Storage Jars": "Keeps {size} litres of flour, beans or coffee dry behind a cork-sealed lid.",
    "Chopping Boards": "A {size} cm board that lies flat, stays put and is kind to knives.",
    "Desk Lamps": "A {size} watt lamp with an arm that stays where it is put.",
    "Notebooks": "{size} pages of paper that takes ink on both sides.",
    "Keyboards": "{size} keys with a short travel and legends that do not wear off.",
    "Tents": "Room for {size}, pitched in minutes and dry in a night of rain.",
    "Backpacks": "Carries {size} litres close to the back, with pockets where hands reach.",
    "Water Bottles": "Holds {size} ml, cold for a day or hot for half of one.",
    "Rain Jackets": "{size} grams between you and the weather.",
    "Caps": "A cap for a head of {size} cm, with a brim that keeps its shape.",
    "Wool Socks": "{size} to a pack, knitted from wool that does not itch.",
}
CLOSINGS = (
    "Made to be repaired: every part can be ordered singly.",
    "Comes in a plain cardboard box, without plastic.",
    "Tested for two years by our own staff.",
    "Designed in a small workshop and made in small batches.",
    "Our most returned-to product: people buy a second one.",
)

# Score -> (title, body) of reviews; {name} is the product.
REVIEWS = {
    5: (
        (
            "Could not be happier",
            "The {name} does exactly what it should, and looks good doing it.",
        ),
        ("Bought a second one", "After a month with the {name} I ordered another as a gift."),
        ("Worth every cent", "Well made and well packed. The {name} feels like it will last."),
    ),
    4: (
        ("Very good", "The {name} is solid. One star off because delivery took a week."),
        (
            "Nearly perfect",
            "I like the {name} a lot, though the colour is darker than the picture.",
        ),
    ),
    3: (
        ("Does the job", "The {name} is neither special nor bad. Fair for the price."),
        ("It is all right", "Expected a bit more of the {name}, but I am keeping it."),
    ),
    2: (
        ("Not convinced", "The {name} arrived with a scratch and the lid sits loosely."),
        ("Smaller than I thought", "Check the measurements of the {name} before you order."),
    ),
    1: (("Sent it back", "The {name} failed in the first week. The refund was quick, though."),),
}

CUSTOMERS = (
    ("Nora", "Lindqvist"), ("Tomas", "Abara"), ("Ines", "Calloway"), ("Jonas", "Petrov"),
    ("Mira", "Okonjo"), ("Elias", "Hartwell"), ("Greta", "Sorensen"), ("Samir", "Delacroix"),
    ("Paula", "Winters"), ("Viktor", "Amadi"), ("Clara", "Fenwick"), ("Rafael", "Stone"),
)  # fmt: skip
STREETS = ("Orchard Lane", "Mill Road", "Harbour Street", "Station Avenue", "Birch Close")
TOWNS = (
    ("Fairview", "OH"),
    ("Salem", "OR"),
    ("Dayton", "OH"),
    ("Ashland", "WI"),
    ("Bristol", "CT"),
)
COUNTRIES = (
    ("US", "USA", "840", "United States"), ("CA", "CAN", "124", "Canada"),
    ("GB", "GBR", "826", "United Kingdom"), ("DE", "DEU", "276", "Germany"),
    ("FR", "FRA", "250", "France"),
)  # fmt: skip

PAGES = (
    ("/about/", "About us", "<p>Larkspur Supply began as a stall on a Saturday market in 2009. "
     "Today eleven people pack and post from one warehouse.</p>"),
    ("/shipping/", "Shipping and returns", "<p>We post orders within two working days. Returns are "
     "free for 45 days, as long as the product is unused.</p>"),
    ("/care/", "Care guide", "<p>Wool likes cold water, wood likes oil, and tents like to be dry "
     "before they are packed.</p>"),
)  # fmt: skip
