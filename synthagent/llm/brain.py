"""Rules that answer the prompts of the LLM teacher, so that a run works without a model.

Not a teacher: it knows a page only by the text in the prompt, as a model does. It stands behind
the scripted server (`scripted.py`) and follows tasks that name their path in quotes.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from synthagent.prompting import FENCES

_ELEMENT = re.compile(
    r'\s*\*?\[(?P<ref>[\w.]+)\] (?P<role>[\w-]+)(?: "(?P<name>.*?)")?(?P<rest> .*)?$'
)
_HEADING = re.compile(r"^\s*(?:\[[\w.]+\] )?heading \d: (.+)$", re.MULTILINE)
_OPTIONS = re.compile(r"\(([^()]* \| [^()]*)\)")
_UNWANTED = re.compile(r"sign ?out|log ?out|delete|remove|cancel|pay|unsubscribe", re.IGNORECASE)
_ROLES = (
    "link|button|tab|menuitem|option|checkbox|radio|switch|combobox|listbox|textbox|searchbox"
    "|spinbutton|image|img|heading|row|cell"
)
_STEP = re.compile(
    r'type "(?P<text>[^"]*)" into the [\w-]+ "(?P<field>[^"]*)"(?P<enter> and press enter)?'
    r'|choose "(?P<option>[^"]*)" in the [\w-]+ "(?P<list>[^"]*)"'
    r'|(?P<un>un)?check the [\w-]+ "(?P<box>[^"]*)"'
    rf'|(?P<role>{_ROLES}) "(?P<name>[^"]*)"',
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Element:
    """A control in a page text."""

    ref: str
    role: str
    name: str
    rest: str


def answer(request: Mapping[str, Any]) -> str:
    """Return the reply to a chat request whose prompt is one of the LLM teacher's."""
    system, user = _texts(request)
    heading = system.lstrip().split("\n", 1)[0].lower()
    for word, brain in _BRAINS.items():
        if word in heading:
            return json.dumps(brain(user), ensure_ascii=False)
    return '{"ok": true}'


def _texts(request: Mapping[str, Any]) -> tuple[str, str]:
    """Return the system text and the first user text, parted or not."""
    texts: list[str] = []
    for message in request.get("messages", ()):
        content = message.get("content") or ""
        if isinstance(content, list):
            content = "".join(part.get("text", "") for part in content)
        texts.append(content)
    joined = texts[0] if texts else ""
    return joined, texts[1] if len(texts) > 1 else joined


def _fenced(user: str, name: str) -> list[str]:
    assert name in FENCES
    return re.findall(rf"^<{name}>\n(.*?)\n?^</{name}>$", user, re.DOTALL | re.MULTILINE)


def _elements(page: str) -> list[Element]:
    found = []
    for line in page.split("\n"):
        match = _ELEMENT.match(line)
        if match:
            found.append(
                Element(match["ref"], match["role"], match["name"] or "", match["rest"] or "")
            )
    return found


def _line(user: str, label: str) -> str:
    match = re.search(rf"^{re.escape(label)}: ?(.*)$", user, re.MULTILINE)
    return match[1].strip() if match else ""


def _categorize(user: str) -> dict[str, Any]:
    controls = []
    for element in _elements("\n".join(_fenced(user, "page"))):
        if not element.name or _UNWANTED.search(element.name):
            continue
        tried = _trial(element)
        if tried:
            category, action = tried
            controls.append({"category": category, "action": action, "fills": []})
    return {"controls": controls[:30]}


def _trial(element: Element) -> tuple[str, dict[str, Any]] | None:
    """Return category and action for trying one control."""
    role, ref = element.role, element.ref
    if "disabled" in element.rest:
        return None
    if role == "searchbox" or (role == "textbox" and "search" in element.name.lower()):
        return "search", {"type": "type", "ref": ref, "text": "book", "submit": True}
    if role in _TEXTS:
        return "form", {"type": "type", "ref": ref, "text": _TEXTS[role]}
    if role in ("combobox", "listbox"):
        options = _OPTIONS.search(element.rest)
        names = [name.strip() for name in options[1].split(" | ")] if options else []
        action = {"type": "select", "ref": ref, "options": names[1:2]}
        return ("filter", action) if names[1:2] else None
    verb = "check" if role in ("checkbox", "radio", "switch") else "click"
    category = _CATEGORIES.get(role)
    return (category, {"type": verb, "ref": ref}) if category else None


_TEXTS = {"textbox": "Example", "spinbutton": "2"}
_CATEGORIES = {
    "link": "navigation",
    "button": "form",
    "tab": "tab",
    "menuitem": "menu",
    "checkbox": "form",
    "radio": "form",
    "switch": "form",
}


def _propose(user: str) -> dict[str, Any]:
    facts = "\n".join(_fenced(user, "transition"))
    before, after = ([*_fenced(user, "page"), "", ""])[:2]
    action = _line(facts, "Action").split(" -> ")[0]
    path = [step for step in _line(facts, "Path").split("; then ") if step and step != "none"]
    steps = ", then ".join(_lower_first(step) for step in [*path, action] if step)
    old, _, _ = _line(facts, "Before").partition(" ")
    new, _, title = _line(facts, "After").partition(" ")
    start = "site" if path else "page"
    tasks: list[dict[str, Any]] = []
    if not _STEP.search(action):
        return {"tasks": []}
    if urlsplit(new).path != urlsplit(old).path or urlsplit(new).query != urlsplit(old).query:
        query = [list(pair) for pair in parse_qsl(urlsplit(new).query)]
        check = {"type": "url_matches", "path": urlsplit(new).path or "/", "query": query}
        intent = f'Reach the page "{title.replace(chr(34), "")}": {steps}.'
        tasks.append({"type": "navigation", "intent": intent, "start": start, "check": check})
    heading = next(
        (h for h in _HEADING.findall(after) if h and h not in _HEADING.findall(before)), ""
    )
    if heading:
        check = {"type": "answer_equals", "expected": heading, "kind": "text"}
        intent = f"Tell the main heading of the page that appears when you {steps}."
        tasks.append({"type": "information", "intent": intent, "start": start, "check": check})
    sent = re.search(
        r"^(POST|PUT|PATCH) (\S+)", facts.partition("Requests that changed the site: ")[2], re.M
    )
    if sent:
        check = {
            "type": "request_sent",
            "method": sent[1],
            "path": urlsplit(sent[2]).path,
            "fields": [],
        }
        intent = f"Make the site take this in: {steps}."
        tasks.append({"type": "modification", "intent": intent, "start": start, "check": check})
    limit = re.search(r"At most (\d+)", user)
    return {"tasks": tasks[: int(limit[1]) if limit else 3]}


def _decide(user: str) -> dict[str, Any]:
    intent = "\n".join(_fenced(user, "task"))
    history = "\n".join(_fenced(user, "steps"))
    page = "\n".join(_fenced(user, "page"))
    plan = list(_STEP.finditer(intent))
    reworded = re.search(r"^The task was reworded before step (\d+)", user, re.MULTILINE)
    done = _steps_done(history, int(reworded[1]) if reworded else 0)
    heading = next(iter(_HEADING.findall(page)), "")
    if done < len(plan):
        return _next_step(plan[done], page, heading)
    question = _line(user, "Type of the task") == "information"
    text = heading if question else ""
    if question and not text:
        evidence = f"no heading on the page {_line(user, 'Title')!r}"
        return _decision(
            evidence,
            "Give up",
            {"type": "infeasible", "kind": "missing_control", "evidence": evidence},
        )
    return _decision("All steps of the task are done.", "Answer", {"type": "answer", "text": text})


def _steps_done(history: str, first: int) -> int:
    """Return how many steps from `first` on had an effect; those not shown count as such."""
    shown = re.findall(r"^(\d+)\. .*?(?:-> (rejected|failed).*)?$", history, re.MULTILINE)
    if not shown:
        return 0
    bad = sum(bool(fault) for number, fault in shown if int(number) >= first)
    return int(shown[-1][0]) + 1 - first - bad


def _next_step(step: re.Match[str], page: str, heading: str) -> dict[str, Any]:
    name = step["name"] or step["field"] or step["list"] or step["box"] or ""
    element = _find(_elements(page), step["role"], name)
    if element is None:
        evidence = f'nothing is called "{name}" on the page "{heading}"'
        return _decision(evidence, "Report that it cannot be done", _infeasible(evidence))
    what = f'the {element.role} "{element.name}"'
    action: dict[str, Any]
    if step["field"] is not None:
        action = {
            "type": "type",
            "ref": element.ref,
            "text": step["text"],
            "submit": bool(step["enter"]),
        }
        words = f'Type "{step["text"]}" into {what}' + " and press Enter" * bool(step["enter"])
    elif step["list"] is not None:
        action = {"type": "select", "ref": element.ref, "options": [step["option"]]}
        words = f'Choose "{step["option"]}" in {what}'
    elif step["box"] is not None:
        action = {"type": "check", "ref": element.ref, "on": not step["un"]}
        words = f"{'Uncheck' if step['un'] else 'Check'} {what}"
    else:
        action = {"type": "click", "ref": element.ref}
        words = f"Click {what}"
    return _decision(f"The task names {what}, and it is on the page.", words, action)


def _find(elements: list[Element], role: str | None, name: str) -> Element | None:
    tests: list[Callable[[Element], bool]] = [
        lambda e: e.name == name and (role is None or e.role == role.lower()),
        lambda e: e.name == name,
        lambda e: e.name.lower() == name.lower(),
    ]
    for test in tests:
        for element in elements:
            if test(element):
                return element
    return None


def _infeasible(evidence: str) -> dict[str, Any]:
    return {"type": "infeasible", "kind": "missing_control", "evidence": evidence}


def _decision(why: str, words: str, action: dict[str, Any]) -> dict[str, Any]:
    return {
        "observation": why,
        "reasoning": "It is the next step of the task.",
        "instruction": words,
        "action": action,
    }


def _rewrite(user: str) -> dict[str, Any]:
    intent = "\n".join(_fenced(user, "task"))
    links = [e for e in _elements("\n".join(_fenced(user, "page"))) if e.role == "link" and e.name]
    links = [e for e in links if not _UNWANTED.search(e.name) and '"' not in e.name]
    if not links:
        return {
            "rule": "none",
            "reason": "the page offers nothing",
            "intent": intent,
            "check": None,
        }
    words = set(re.findall(r"\w{3,}", intent.lower()))
    best = max(links, key=lambda e: len(words & set(re.findall(r"\w{3,}", e.name.lower()))))
    question = _line(user, "Type of the task") == "information"
    wording = (
        f'Tell the main heading of the page behind the link "{best.name}".'
        if question
        else f'Open the page behind the link "{best.name}".'
    )
    return {"rule": "align", "reason": "the site offers this", "intent": wording, "check": None}


def _review(user: str) -> dict[str, Any]:
    ended = _line(user, "How it ended")
    done = ended.startswith("completed") and "check: False" not in ended
    if done:
        return {"reason": "Done, without detours.", "decision": "keep", "score": 90, "edits": []}
    return {"reason": f"Not done: {ended}", "decision": "drop", "score": 10, "edits": []}


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


_BRAINS: dict[str, Callable[[str], dict[str, Any]]] = {
    "categorize": _categorize,
    "propose": _propose,
    "decide": _decide,
    "rewrite": _rewrite,
    "review": _review,
}
