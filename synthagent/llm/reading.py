"""From what a model wrote to the JSON objects in it, without guessing.

Pure; whether an object fits is decided by the caller's model, see `structured.py`.
"""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import json_repair

from synthagent.prompting import clean_text

_TAGS = "think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad|antthinking"
_OPEN = re.compile(
    rf"<(?:{_TAGS})>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|channel\|>\s*analysis",
    re.IGNORECASE,
)
_CLOSE = re.compile(
    rf"</(?:{_TAGS})>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|channel\|>\s*final",
    re.IGNORECASE,
)
_NESTING = 4
"""How often a string may hold the answer as a string again."""


@dataclass(frozen=True, slots=True)
class Found:
    """Objects in a text, each once, in order."""

    objects: tuple[dict[str, Any], ...] = ()
    repaired: bool = False
    """At least one was not valid JSON as it stood."""
    torn: bool = False
    """An object begins and does not end."""
    only_thinking: bool = False
    twice: tuple[str, ...] = ()
    """Members that occur twice in one object with different values."""


class _DoubleMember(ValueError):
    pass


def find_objects(text: str, *, complete: bool = True, depth: int = 0) -> Found:
    """Return the JSON objects that `text` consists of or holds.

    Thinking is left out, fences and prose around are passed over, an object that does not end is
    never completed. `complete` tells that the server did not cut the text.
    """
    text = text.strip().strip("\ufeff")
    whole = _parse_whole(text)
    if isinstance(whole, str) and depth < _NESTING:
        return find_objects(whole, complete=complete, depth=depth + 1)
    if isinstance(whole, dict):
        return Found((_clean(whole),))
    answer, thought_only = strip_thinking(text)
    if thought_only:
        return Found(only_thinking=True)
    inner = _parse_whole(_unfence(answer))
    if isinstance(inner, str) and depth < _NESTING:
        return find_objects(inner, complete=complete, depth=depth + 1)
    return _collect(answer, complete)


def strip_thinking(text: str) -> tuple[str, bool]:
    """Return `text` without its thinking, and whether nothing but thinking is there.

    Tags inside a JSON object are page text that the model quotes, and stay.
    """
    spans = list(_spans(text))

    def outside(match: re.Match[str]) -> bool:
        return not any(start < match.start() < end for start, end in spans)

    closes = [match for match in _CLOSE.finditer(text) if outside(match)]
    opened = _OPEN.match(text.lstrip())
    if opened and not closes:
        # The objects seen may lie in the thinking, and so may the closing tag in one of them.
        inner = _CLOSE.search(text)
        if inner is None:
            return "", True
        rest = text[inner.end() :].strip()
        return (rest, not rest)
    if closes:
        rest = text[closes[-1].end() :].strip()
        return (rest, not rest)
    for match in _OPEN.finditer(text):
        if outside(match):
            return text[: match.start()].strip(), not text[: match.start()].strip()
    return text, False


def _collect(text: str, complete: bool) -> Found:
    objects: list[dict[str, Any]] = []
    repaired, end, twice = False, 0, []
    for start, end in _spans(text):
        try:
            value, mended = _parse_object(text[start:end], mend=complete)
        except _DoubleMember as double:
            twice.append(str(double))
            continue
        if value is None:
            continue
        repaired |= mended
        if value not in objects:
            objects.append(value)
    torn = "{" in text[end:]
    return Found(tuple(objects), repaired, torn, twice=tuple(twice))


def _parse_whole(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_members)
    except (ValueError, RecursionError):
        return None


def _parse_object(text: str, *, mend: bool) -> tuple[dict[str, Any] | None, bool]:
    """Return the object that `text` is, and whether it had to be mended."""
    try:
        return _clean(json.loads(text, strict=False, object_pairs_hook=_members)), False
    except _DoubleMember:
        raise
    except (ValueError, RecursionError):
        pass
    value = _mend(text) if mend else None
    return (_clean(value), True) if isinstance(value, dict) and value else (None, False)


def _mend(text: str) -> Any:
    """Return what the near-miss `text` must have meant, or None when that takes a guess."""
    try:
        bare = _TRAILING.sub(_keep_string, text)
        return json.loads(bare, strict=False, object_pairs_hook=_members)
    except _DoubleMember:
        raise
    except (ValueError, RecursionError):
        pass
    try:
        return _python_literal(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pass
    try:
        value = json_repair.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if _loses_nothing(value, text) else None


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_TRAILING = re.compile(r'(?P<string>"(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)
"""Comments and commas before a closing bracket, which JSON does not have."""


def _keep_string(match: re.Match[str]) -> str:
    return match["string"] or ""


def _python_literal(text: str) -> Any:
    tree = ast.parse(text, mode="eval")
    for branch in ast.walk(tree):
        if isinstance(branch, ast.Dict):
            names = [ast.dump(key) for key in branch.keys if key is not None]
            if len(set(names)) < len(names):
                raise _DoubleMember("a member")
    return ast.literal_eval(tree)


def _loses_nothing(value: Any, text: str) -> bool:
    """Return whether the mended `value` holds each string of `text`, and else only its bare words.

    `json_repair` trims and rejoins strings at will; what it had to change is asked again instead.
    """
    left = Counter(_leaves(value))
    for token in _STRING.findall(text):
        try:
            string = json.loads(token, strict=False)
        except ValueError:
            return False
        if left[string] < 1:
            return False
        left[string] -= 1
    words = set(re.findall(r"[\w.-]+", _STRING.sub(" ", text)))
    return all(leaf in words for leaf, count in left.items() if count)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield str(name)
            yield from _leaves(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner)
    elif isinstance(value, str):
        yield value


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for name, member in pairs:
        if name in value and value[name] != member:
            raise _DoubleMember(name)
        value[name] = member
    return value


def _clean(value: Any) -> Any:
    """Return `value` with tuples as lists, keys as text, and lone surrogates replaced."""
    if isinstance(value, dict):
        return {clean_text(str(name)): _clean(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [_clean(inner) for inner in value]
    return clean_text(value) if isinstance(value, str) else value


def _unfence(text: str) -> str:
    match = re.fullmatch(r"(`{3,}|~{3,})[^\n]*\n(.*?)\n?\1\s*", text.strip(), re.DOTALL)
    return match[2].strip() if match else text.strip()


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Give start and end of each outermost `{…}` that ends, braces in strings not counted."""
    at = text.find("{")
    while at >= 0:
        end = _object_end(text, at)
        if end is not None:
            yield at, end
        at = text.find("{", at + 1 if end is None else end)


def _object_end(text: str, start: int) -> int | None:
    depth, quote, at = 0, "", start
    while at < len(text):
        char = text[at]
        if quote:
            if char == "\\":
                at += 1
            elif char == quote and (quote == '"' or _ends_single(text, at)):
                quote = ""
        elif char == '"' or (char == "'" and _begins_single(text, at)):
            quote = char
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return None


def _begins_single(text: str, at: int) -> bool:
    return text[:at].rstrip()[-1:] in ("{", "[", "(", ",", ":")


def _ends_single(text: str, at: int) -> bool:
    return text[at + 1 :].lstrip()[:1] in (",", ":", "}", "]", ")", "")
