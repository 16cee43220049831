"""How the grounded teacher words its tasks: a few ways for each kind, chosen by a seeded random.

Not prompts: nothing here is read by a model as an order.
"""

from collections.abc import Sequence
from random import Random

from synthagent.records import Fact

OPEN = (
    'Open the page "{name}".',
    'Go to "{name}".',
    'Find and open "{name}".',
    'Show me the page "{name}".',
)
OPEN_IN = (
    'On the page "{place}", open "{name}" for "{row}".',
    'Use "{name}" for "{row}" on the page "{place}".',
)
OPEN_ON = (
    'On the page "{place}", open "{name}".',
    'From "{place}", follow "{name}".',
)
PAGER = (
    'Go to page {name} of "{place}".',
    'Show page {name} of the list "{place}".',
)
PAGER_WORD = ('In the list "{place}", move on with "{name}".',)
SEARCH = (
    'Search for "{value}".',
    'Look for "{value}" with the search.',
    'Show the search results for "{value}".',
)
CHOOSE = (
    'On the page "{place}", set "{label}" to "{value}".',
    'Show "{place}" with "{label}" set to "{value}".',
)
FILTER = (
    'In "{place}", filter by {values}.',
    'Narrow "{place}" down to {values}.',
)
ASK_LABEL = (
    'What is the "{label}" of "{place}"?',
    'Look up "{label}" for "{place}" and tell me what it says.',
    'Tell me the "{label}" that the site gives for "{place}".',
)
ASK_CELL = (
    'In the list "{place}", what is the "{label}" of "{row}"?',
    'Tell me the "{label}" of "{row}" in "{place}".',
)
ASK_COUNT = (
    'How many {noun} does "{place}" show?',
    'Tell me the number of {noun} on the page "{place}".',
)
SUBMIT = (
    'Open "{place}" and choose "{submit}".',
    'On "{place}", choose "{submit}".',
)
SUBMIT_ROW = ('On "{place}", choose "{submit}" for "{row}".',)
FILL = (
    'On "{place}", enter {values} and choose "{submit}".',
    'Go to "{place}", set {values}, then choose "{submit}".',
    'Use the form "{place}" with {values} and finish with "{submit}".',
)


def word(random: Random, ways: Sequence[str], **parts: str) -> str:
    """Return one of `ways` with its `parts` filled in."""
    # Quotes inside a name would look like the end of it.
    plain = {
        name: part if name == "values" else part.replace('"', "'") for name, part in parts.items()
    }
    return random.choice(list(ways)).format(**plain)


def word_question(random: Random, fact: Fact, place: str) -> str:
    """Return a question for `fact` on the page `place`."""
    match fact.kind:
        case "cell":
            return word(random, ASK_CELL, place=place, label=fact.label, row=fact.row)
        case "count":
            return word(random, ASK_COUNT, place=place, noun=fact.label.removeprefix("# "))
        case _:
            return word(random, ASK_LABEL, place=place, label=fact.label)


def word_values(values: Sequence[tuple[str, str]]) -> str:
    """Return labels and values as a phrase: `Title "Fine" and Rating "4"`."""
    texts = [f'{label} "{value}"' for label, value in values]
    return texts[0] if len(texts) == 1 else ", ".join(texts[:-1]) + f" and {texts[-1]}"
