"""Places the page kinds of a site in columns by their distance from the start. Pure geometry.

Not a general graph layouter: columns left to right, order inside a column by role and by where
the arrows come from, so that few of them cross.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

CARD_WIDTH = 208
CARD_HEIGHT = 52
COLUMN_GAP = 76
ROW_GAP = 12
MARGIN = 16
MAX_ROWS = 12
SWEEPS = 6


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes 0…size-1, directed edges, where walks begin, and a group of each node."""

    size: int
    edges: Sequence[tuple[int, int]]
    starts: Sequence[int]
    groups: Sequence[int]


@dataclass(frozen=True, slots=True)
class Place:
    """Upper left corner of a card, and its column."""

    x: int
    y: int
    column: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Where every node lies, which edges first led to a node, and the size of it all."""

    places: tuple[Place, ...]
    tree: frozenset[tuple[int, int]]
    width: int
    height: int


def place_graph(graph: Graph) -> Layout:
    """Return positions that depend on nothing but `graph`."""
    depths, tree = _measure_depths(graph)
    columns = _split_columns(_order_layers(graph, depths))
    rows = max((len(column) for column in columns), default=0)
    height = MARGIN * 2 + max(rows * (CARD_HEIGHT + ROW_GAP) - ROW_GAP, 0)
    places: dict[int, Place] = {}
    for number, column in enumerate(columns):
        used = len(column) * (CARD_HEIGHT + ROW_GAP) - ROW_GAP
        top = (height - used) // 2
        for row, node in enumerate(column):
            x = MARGIN + number * (CARD_WIDTH + COLUMN_GAP)
            places[node] = Place(x, top + row * (CARD_HEIGHT + ROW_GAP), number)
    width = MARGIN * 2 + max(len(columns) * (CARD_WIDTH + COLUMN_GAP) - COLUMN_GAP, 0)
    return Layout(tuple(places[node] for node in range(graph.size)), tree, width, height)


def _measure_depths(graph: Graph) -> tuple[list[int], frozenset[tuple[int, int]]]:
    """Return distances from the start, and the edges by which nodes are first reached."""
    outgoing: dict[int, list[int]] = {}
    for source, target in graph.edges:
        outgoing.setdefault(source, []).append(target)
    depths = dict.fromkeys(graph.starts, 0)
    tree: set[tuple[int, int]] = set()
    queue = deque(graph.starts)
    while queue or len(depths) < graph.size:
        if not queue:  # an island, reached by ways that are not in the graph
            island = next(node for node in range(graph.size) if node not in depths)
            depths[island] = 1
            queue.append(island)
        node = queue.popleft()
        for target in outgoing.get(node, ()):
            if target not in depths:
                depths[target] = depths[node] + 1
                tree.add((node, target))
                queue.append(target)
    return [depths[node] for node in range(graph.size)], frozenset(tree)


def _order_layers(graph: Graph, depths: Sequence[int]) -> list[list[int]]:
    layers: list[list[int]] = [[] for _ in range(max(depths, default=-1) + 1)]
    for node, depth in enumerate(depths):
        layers[depth].append(node)
    near: dict[int, list[int]] = {node: [] for node in range(graph.size)}
    for source, target in graph.edges:
        if depths[source] != depths[target]:
            near[source].append(target)
            near[target].append(source)
    order = dict[int, float]()
    for layer in layers:
        layer.sort(key=lambda node: (graph.groups[node], node))
        _spread(layer, order)
    for sweep in range(SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            layer.sort(key=lambda node: (graph.groups[node], _middle(near[node], order, node)))
            _spread(layer, order)
    return layers


def _spread(layer: Sequence[int], order: dict[int, float]) -> None:
    for row, node in enumerate(layer):
        order[node] = (row + 0.5) / len(layer)


def _middle(nodes: Sequence[int], order: Mapping[int, float], default: int) -> tuple[float, int]:
    if not nodes:
        return order[default], default
    return sum(order[node] for node in nodes) / len(nodes), default


def _split_columns(layers: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """Return columns of at most `MAX_ROWS`; a crowded layer takes several of like height."""
    columns: list[Sequence[int]] = []
    for layer in layers:
        parts = -(-len(layer) // MAX_ROWS)
        share = -(-len(layer) // parts) if parts else 0
        columns.extend(layer[part * share : (part + 1) * share] for part in range(parts))
    return columns
