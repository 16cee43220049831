"""Pages written by hand for tests: nodes as short calls, hashes made up from the address."""

import hashlib

from synthagent.records import Fingerprint, Node, Page


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def node(
    role: str,
    name: str = "",
    *,
    depth: int = 1,
    landmark: str = "main",
    context: str = "",
    tag: str = "",
    field: str = "",
    ref: str | None = None,
    **more,
) -> Node:
    """Return a node; with `ref` it is actionable and has a fingerprint."""
    fingerprint = None
    if ref is not None:
        attributes = (("name", field),) if field else ()
        if more.get("href"):
            attributes = (*attributes, ("href", more["href"].removeprefix("http://site.test")))
        fingerprint = Fingerprint(
            role=role,
            name=name,
            tag=tag or role,
            attributes=attributes,
            landmark=landmark,
            context=context,
        )
    return Node(depth=depth, role=role, name=name, ref=ref, fingerprint=fingerprint, **more)


def page(path: str, *nodes: Node, title: str = "Site") -> Page:
    url = f"http://site.test{path}"
    return Page(
        url=url,
        title=title,
        nodes=nodes,
        content_hash=sha(path),
        view_hash=sha(path),
        structure_key=sha(path),
    )


def table(*rows: tuple[str, ...], head: tuple[str, ...] = ()) -> list[Node]:
    nodes = [node("table", depth=1)]
    if head:
        nodes += [node("row", depth=2), *(node("columnheader", cell, depth=3) for cell in head)]
    for row in rows:
        nodes += [node("row", depth=2), *(node("cell", cell, depth=3) for cell in row)]
    return nodes
