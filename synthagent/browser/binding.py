"""Finds the element that a ref of the last look meant, on the page as it is now.

Pure. A row that was redrawn is found again; another row in its place is never taken for it.
"""

from dataclasses import dataclass

from synthagent.browser.attempt import Attempt, rejected
from synthagent.browser.fingerprint import Match, find, normal
from synthagent.browser.raw import Target
from synthagent.browser.snapshot import Snapshot
from synthagent.records import Fingerprint, Node, Page, Ref

REPEATED = ("row ", "item ")


@dataclass(frozen=True, slots=True)
class Bound:
    """Where the element is now, or why nothing is done."""

    target: Target | None = None
    rebound: bool = False
    refusal: Attempt | None = None


def bind(ref: str, seen: Snapshot | None, now: Snapshot) -> Bound:
    """Return where the element is that `ref` named at the last look."""
    name = Ref(ref)
    before = seen.page.by_ref.get(name) if seen is not None else None
    if seen is None or before is None or before.fingerprint is None:
        return Bound(refusal=rejected("unknown_ref", _unknown(ref, seen)))
    same = now.ref_of(seen.targets[name])
    if same is not None and _is_same(now.page.by_ref[same], before.fingerprint):
        return Bound(now.targets[same])
    match = find(now.page, before.fingerprint)
    found = _again(match, before.fingerprint, seen.page, now.page) or (
        same if same is not None and _is_renamed(now.page.by_ref[same], before) else None
    )
    if found is None and same is None and match.level in {"landmark", "attributes"}:
        found = match.ref
    if found is None:
        return Bound(refusal=rejected("stale_element", _gone(before, match.candidates)))
    return Bound(now.targets[found], rebound=found != same)


def _again(match: Match, wanted: Fingerprint, seen: Page, now: Page) -> Ref | None:
    """Return where a redrawn element is; with another number of twins, nobody can tell."""
    if match.level in {"exact", "ordinal"} and _twins(seen, wanted) == _twins(now, wanted):
        return match.ref
    return None


def _is_renamed(node: Node, before: Node) -> bool:
    """Return whether the same element has another name, as a counter's button gets one."""
    there, wanted = node.fingerprint, before.fingerprint
    if there is None or wanted is None:
        return False
    return there.role == wanted.role and _is_same_place(there, wanted)


def _is_same(node: Node, wanted: Fingerprint) -> bool:
    there = node.fingerprint
    if there is None:
        return False
    there, wanted = normal(there), normal(wanted)
    return (there.role, there.name) == (wanted.role, wanted.name) and _is_same_place(there, wanted)


def _is_same_place(there: Fingerprint, wanted: Fingerprint) -> bool:
    """Return whether both stand in the same row; headings around them may change."""
    is_in_row = there.context.startswith(REPEATED) or wanted.context.startswith(REPEATED)
    return not is_in_row or normal(there).context == normal(wanted).context


def _twins(page: Page, wanted: Fingerprint) -> int:
    plain = wanted.model_copy(update={"ordinal": 0})
    return sum(
        node.fingerprint is not None and node.fingerprint.model_copy(update={"ordinal": 0}) == plain
        for node in page.elements
        if node.role == wanted.role and node.name == wanted.name
    )


def _unknown(ref: str, seen: Snapshot | None) -> str:
    if seen is None:
        return "look at the page first"
    shown = [str(one) for one in seen.targets]
    return (
        f"there is no [{ref}] on the page; refs go from [{shown[0]}] to [{shown[-1]}]"
        if (shown)
        else f"there is no [{ref}]: the page has no controls"
    )


def _gone(before: Node, candidates: tuple[Node, ...]) -> str:
    message = f'{before.role} "{before.name[:60]}" is not where it was any more'
    if candidates:
        alike = ", ".join(f"[{node.ref}]" for node in candidates)
        message += f"; alike: {alike}"
    return f"{message}; look again"
