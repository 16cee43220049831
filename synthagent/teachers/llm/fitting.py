"""Whether what a model replied can be: actions against the page, tasks and edits against the facts.

Pure; raises `Unfit` with sentences that the model can act on. Nothing is replaced by a neighbour.
"""

import re
from collections.abc import Collection
from urllib.parse import urljoin, urlsplit

from synthagent.llm import Unfit
from synthagent.records import (
    Action,
    Answer,
    Check,
    Click,
    Drag,
    Edit,
    Goto,
    Infeasible,
    MoveStep,
    NewTab,
    Node,
    Page,
    RemoveStep,
    Select,
    SetAnswer,
    SwitchTab,
    TaskType,
    Trajectory,
    TypeText,
    Upload,
    target_ref,
)

TEXT_ROLES = frozenset({"textbox", "searchbox", "combobox", "spinbutton", "slider"})
CHECK_ROLES = frozenset(
    {"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio", "option", "treeitem"}
)
_LEANS_ON_PAGE = re.compile(
    r"\b(?:this|the (?:current|present|given|shown)) (?:page|view|screen|website page)\b"
    r"|\b(?:shown|listed|mentioned|seen) (?:above|below|here)\b|\[\w+\]",
    re.IGNORECASE,
)


def origin(url: str) -> str:
    """Return scheme, host and port of `url`."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def fit_action(action: Action, page: Page, owned: Collection[str]) -> Action:
    """Return `action` with its refs as the page writes them.

    Args:
        action: As the model wrote it.
        page: The page it was shown.
        owned: Origins that belong to the site.

    Raises:
        Unfit: the page has no such element, it is of another kind, or the address is foreign.
    """
    fitted = action
    for name in ("ref", "target"):
        written = getattr(action, name, None)
        if written is not None:
            fitted = fitted.with_(**{name: find_ref(written, page)})
    ref = target_ref(fitted)
    if ref is not None:
        _check_element(fitted, page.by_ref[ref])
    if isinstance(fitted, Drag):
        _check_enabled(page.by_ref[fitted.target])
    if isinstance(fitted, Goto | NewTab) and fitted.url is not None:
        return fitted.with_(url=_owned_url(fitted.url, page, owned))
    if isinstance(fitted, SwitchTab) and fitted.index >= max(1, len(page.tabs)):
        raise Unfit(f"there is no tab {fitted.index}; open are 0 to {max(0, len(page.tabs) - 1)}")
    if isinstance(fitted, Infeasible) and not fitted.evidence.strip():
        raise Unfit("infeasible needs evidence: quote what the page shows")
    return fitted


def find_ref(written: str, page: Page) -> str:
    """Return the ref of `page` that a model meant by `written`, when it can mean only one.

    Taken are `17`, `[17]`, `17.0`, and `17 button Search` where role or name is that of 17.
    """
    text = written.strip()
    if text in page.by_ref:
        return text
    match = re.match(r"\*?\[?\s*([A-Za-z]?[\w.]*\w)\s*\]?\s*(.*)$", text, re.DOTALL)
    if match:
        bare, rest = match[1], match[2].strip()
        for form in (bare, bare.removesuffix(".0")):
            node = page.by_ref.get(form)
            if node is not None and (not rest or _describes(rest, node)):
                return form
    known = ", ".join(list(page.by_ref)[:40])
    raise Unfit(f"there is no element {written!r} on the page; its refs are: {known or 'none'}")


def _describes(rest: str, node: Node) -> bool:
    words = re.sub(r"[\"'“”:\[\]()]", " ", rest).lower().split()
    own = f"{node.role} {node.name}".lower().split()
    return bool(words) and all(word in own for word in words)


def _check_element(action: Action, node: Node) -> None:
    _check_enabled(node)
    what = f'[{node.ref}] is the {node.role} "{node.name}"'
    if isinstance(action, TypeText):
        if node.role not in TEXT_ROLES:
            raise Unfit(f"{what}: text cannot be typed into it; fields are {_named(TEXT_ROLES)}")
        if "readonly" in node.states:
            raise Unfit(f"{what}: it is read-only")
        if node.options and node.role == "combobox":
            raise Unfit(f"{what}: use select with one of {', '.join(node.options[:20])}")
    if isinstance(action, Select):
        _check_options(action, node, what)
    if isinstance(action, Check) and node.role not in CHECK_ROLES:
        raise Unfit(f"{what}: it cannot be checked; use click")
    if isinstance(action, Upload) and node.input_type != "file":
        raise Unfit(f"{what}: it does not take files")
    if isinstance(action, Click) and node.role == "option" and not node.ref:
        raise Unfit(f"{what}: use select on its list")


def _check_enabled(node: Node) -> None:
    if "disabled" in node.states:
        raise Unfit(f'[{node.ref}] is the {node.role} "{node.name}": it is disabled now')


def _check_options(action: Select, node: Node, what: str) -> None:
    if not node.options:
        if node.role not in ("combobox", "listbox"):
            raise Unfit(f"{what}: it has no options; use click")
        return
    complete = node.options_total <= len(node.options)
    missing = [option for option in action.options if option not in node.options]
    if missing and complete:
        raise Unfit(f"{what}: it has no option {missing[0]!r}, but {', '.join(node.options)}")
    if len(action.options) > 1 and "multiple" not in node.states:
        raise Unfit(f"{what}: only one option can be chosen")


def _owned_url(url: str, page: Page, owned: Collection[str]) -> str:
    absolute = urljoin(page.url, url.strip())
    if origin(absolute) not in owned:
        raise Unfit(f"{url!r} is not an address of the site; stay on {', '.join(sorted(owned))}")
    return absolute


def _named(roles: frozenset[str]) -> str:
    return ", ".join(sorted(roles))


def fit_answer(action: Action, kind: TaskType) -> Action:
    """Return `action`; an empty answer to a question is not one."""
    if kind == "information" and isinstance(action, Answer) and not action.text.strip():
        raise Unfit("the task asks for information: put the answer into the text of `answer`")
    return action


def stands_alone(intent: str) -> bool:
    """Return whether a task can be understood without the page it was made from."""
    return bool(intent.strip()) and not _LEANS_ON_PAGE.search(intent)


def fit_edits(decision: str, edits: tuple[Edit, ...], trajectory: Trajectory) -> tuple[Edit, ...]:
    """Return the edits of a review that is consistent in itself and with the trajectory.

    Raises:
        Unfit: an index is not there, or edits and decision contradict each other.
    """
    problems = list(_edit_problems(decision, edits, len(trajectory.steps)))
    if problems:
        raise Unfit(*problems)
    return edits


def _edit_problems(decision: str, edits: tuple[Edit, ...], count: int) -> list[str]:
    problems = []
    if decision == "edit" and not edits:
        problems.append("the decision is edit, but no edits are given")
    if decision != "edit" and edits:
        problems.append(f"the decision is {decision}, but edits are given")
    removed = [edit.index for edit in edits if isinstance(edit, RemoveStep)]
    if len(set(removed)) >= count > 0:
        problems.append("the edits remove all steps")
    if len(set(removed)) < len(removed):
        problems.append("a step is removed twice")
    if sum(isinstance(edit, SetAnswer) for edit in edits) > 1:
        problems.append("the answer is set twice")
    for edit in edits:
        indexes: tuple[int, ...] = (edit.index,) if isinstance(edit, RemoveStep) else ()
        indexes = (edit.index, edit.to) if isinstance(edit, MoveStep) else indexes
        problems += [f"there is no step {i}; steps are 0 to {count - 1}" for i in indexes
                     if i >= count]  # fmt: skip
    return problems
