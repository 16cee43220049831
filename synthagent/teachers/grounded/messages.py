"""What a site says after an action: complaints about input, and confirmations.

English words only; on sites in other languages the redirect of an accepted form has to do.
"""

import re

from synthagent.records import Node, Page

COMPLAINT = re.compile(
    r"\b(errors?|required|invalid|not (a )?valid|must (not )?be|cannot|can't|could not|couldn't"
    r"|unable"
    r"|maximum|at most|too (long|short|many|few)|not available|unavailable|does not|doesn't"
    r"|already (exists|in use|have|been)|please (correct|enter|select|provide|choose|fix)"
    r"|ensure (this|that)|failed|not enough|oops)\b",
    re.IGNORECASE,
)
CONFIRMATION = re.compile(
    r"\b(has been|have been|was|were|is now|successfully|thank you|thanks|added|updated|saved"
    r"|created|removed|moved|changed|sent|received|placed|submitted)\b",
    re.IGNORECASE,
)
MAX_MESSAGE = 160
MIN_FRAGMENT = 8


def new_texts(page: Page, before: str) -> tuple[str, ...]:
    """Return the short texts of `page` that its predecessor, read as `before`, did not show."""
    return tuple(
        dict.fromkeys(
            node.name
            for node in page.nodes
            if node.role in {"text", "alert", "status", "strong", "paragraph", "listitem"}
            and 0 < len(node.name) <= MAX_MESSAGE
            and node.name not in before
        )
    )


def complaints(page: Page, before: str) -> tuple[str, ...]:
    """Return what `page` newly finds fault with: invalid fields and messages of error."""
    fields = tuple(
        f'field "{node.name}" is marked as invalid'
        for node in page.elements
        if "invalid" in node.states
    )
    texts = tuple(text for text in new_texts(page, before) if COMPLAINT.search(text))
    return texts or fields


def confirmations(page: Page, before: str) -> tuple[str, ...]:
    """Return the new messages of `page` that say that something was done."""
    return tuple(
        text
        for text in new_texts(page, before)
        if CONFIRMATION.search(text) and not COMPLAINT.search(text)
    )


def fixed_part(message: str, variable: tuple[str, ...]) -> str | None:
    """Return the longest part of `message` that none of the `variable` texts touches."""
    parts = [message]
    for text in variable:
        if text:
            parts = [piece for part in parts for piece in part.split(text)]
    pieces = [piece for part in parts for piece in re.split(r"['\"“”‘’]|\d+", part)]
    longest = max((piece.strip(" .,:;!") for piece in pieces), key=len, default="")
    return longest if len(longest) >= MIN_FRAGMENT else None


def heading_of(page: Page) -> str:
    """Return the main heading, else the title."""
    headings = [node for node in page.nodes if node.role == "heading" and node.name]
    best = min(headings, key=lambda node: node.level or 9, default=None)
    return best.name if best is not None and (best.level or 9) <= 2 else page.title


def is_named_once(page: Page, node: Node) -> bool:
    """Return whether role and name tell `node` apart on `page`."""
    same = [one for one in page.elements if (one.role, one.name) == (node.role, node.name)]
    return len(same) == 1
