"""Judges wordings of tasks: whether one stands alone, and how alike two are.

Not responsible for whether the site can do what a wording asks.
"""

import re
from collections import Counter

from synthagent.judge.values import plain

MIN_WORDS = 3
MAX_CHARACTERS = 600
LEANS_ON_CONTEXT = re.compile(
    r"\b(?:this|that|the (?:current|present|same|opened?|displayed|given|shown)|(?:the )?previous)"
    r" (?:web ?)?(?:page|site|screen|tab|view|list|listing|form|table|product|item|element|dialog|"
    r"button|link|field|menu|section|window|result|results|one)\b"
    r"|\b(?:from|on|in|at|over|click|open|press|use) here\b|^here\b"
    r"|\b(?:mentioned|described|shown|listed|given|as) (?:above|below)\b|\bthe above\b"
    r"|\b(?:above|below)(?=\s*(?:[.,;:!?]|$))"
    r"|\bas (?:before|mentioned|described|shown|seen)\b"
    r"|\b(?:previous|next|last) step\b|\bstep \d+\b|\bcontinue (?:with|from) (?:it|this|that)\b"
    r"|\[(?:f[\d.]+\.)?\d+\]|\bref ?\d+\b",
    re.IGNORECASE,
)
UNFILLED = re.compile(r"\{\{?[^{}]*\}?\}|<[a-z_ ]+>|\bundefined\b|\b(?:TODO|TBD|lorem ipsum)\b")
QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|\u2018[^\u2019]*\u2019|(?<!\w)'[^']*'(?!\w)")
"""What is to be typed or found; its words are data, not directions."""
GRAM = 3


def why_not_alone(intent: str) -> str | None:
    """Return why `intent` cannot be given to somebody who has not seen the site, None if it can."""
    words = intent.split()
    if len(words) < MIN_WORDS:
        return f"{intent!r} is too short to be a task"
    if len(intent) > MAX_CHARACTERS:
        return f"the wording is longer than {MAX_CHARACTERS} characters"
    directions = QUOTED.sub('""', intent)
    if found := LEANS_ON_CONTEXT.search(directions):
        return f"the wording leans on what is not in it: {found.group()!r}"
    if found := UNFILLED.search(directions):
        return f"the wording has a gap: {found.group()!r}"
    return None


def grams(text: str) -> Counter[str]:
    """Return how often each run of three characters stands in `text`, case and spaces aside."""
    padded = f"  {plain(text)}  "
    return Counter(padded[at : at + GRAM] for at in range(len(padded) - GRAM + 1))


def likeness(one: Counter[str], other: Counter[str]) -> float:
    """Return 0 for texts with no run in common and 1 for equal ones (Dice coefficient)."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0
