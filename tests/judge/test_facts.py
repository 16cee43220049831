import pytest

from synthagent.judge.facts import list_facts, read_fact
from synthagent.records import Fact
from tests.teachers.pages import node, page, table


def facts(*nodes):
    return {(f.kind, f.label, f.row): value for f, value in list_facts(page("/", *nodes))}


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        pytest.param(
            table(("UPC", "LO-1"), ("Availability", "In stock (3)")),
            {("label", "UPC", ""): "LO-1", ("label", "Availability", ""): "In stock (3)"},
            id="table of two columns",
        ),
        pytest.param(
            table(
                ("100001", "Pending", "$5"),
                ("100002", "Shipped", "$5"),
                head=("Number", "Status", "Total"),
            ),
            {
                ("cell", "Status", "100001"): "Pending",
                ("cell", "Total", "100001"): "$5",
                ("cell", "Status", "100002"): "Shipped",
                ("cell", "Total", "100002"): "$5",
            },
            id="rows are told apart by the first column without repeats",
        ),
        pytest.param(
            table(("a", "1"), ("a", "1"), head=("Name", "Count")),
            {},
            id="no column tells the rows apart",
        ),
        pytest.param(
            [node("term", "Colour"), node("definition", "Red")],
            {("label", "Colour", ""): "Red"},
            id="description list",
        ),
        pytest.param(
            [node("text", "Total price: 12.50 EUR")],
            {("label", "Total price", ""): "12.50 EUR"},
            id="label in a text",
        ),
        pytest.param(
            [node("text", "24 results - showing 1 to 12.")],
            {("count", "# results", ""): "24"},
            id="count",
        ),
        pytest.param(
            [node("text", "Price: 3"), node("text", "Price: 4")],
            {},
            id="two values for one label are no fact",
        ),
        pytest.param(
            [node("heading", "Kettle", level=1)], {("heading", "", ""): "Kettle"}, id="heading"
        ),
        pytest.param([node("text", "12 of these, maybe")], {}, id="a sentence is no count"),
        pytest.param(
            [*table(("Name", "x" * 200))],
            {},
            id="a long text is no value",
        ),
    ],
)
def test_facts_of_a_page(nodes, expected):
    assert facts(*nodes) == expected


def test_a_fact_is_read_without_regard_to_case_and_path():
    shown = page("/a", *table(("UPC", "LO-1")))
    assert read_fact(shown, Fact(kind="label", label="upc", path="/b")) == "LO-1"
    assert read_fact(shown, Fact(kind="label", label="Weight")) is None


def test_cells_of_a_nested_table_do_not_join_the_outer_row():
    nodes = [
        node("table", depth=1),
        node("row", depth=2),
        node("cell", "Size", depth=3),
        node("cell", "4 L", depth=3),
        node("table", depth=4),
        node("row", depth=5),
        node("cell", "inner", depth=6),
    ]
    assert facts(*nodes) == {("label", "Size", ""): "4 L"}
