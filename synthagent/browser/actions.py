"""Carries out one action: look whether it can be done, do it once, read back what it did.

Every refusal is a sentence that a model can act on. Never by coordinates, never by force on what is
covered, never by a script's click.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator
from playwright.async_api import TimeoutError as PlaywrightTimeout

from synthagent.browser.fingerprint import find
from synthagent.browser.snapshot import Snapshot
from synthagent.browser.walking import Target, ask, locate
from synthagent.records import (
    Action,
    ActionError,
    Back,
    Check,
    Click,
    CloseTab,
    Drag,
    Forward,
    Goto,
    Hover,
    NewTab,
    Node,
    Press,
    Reload,
    Scroll,
    Select,
    SwitchTab,
    TypeText,
    Upload,
    Wait,
)
from synthagent.records.actions import ActionErrorKind

if TYPE_CHECKING:
    from synthagent.browser.session import Session

ISO_FORMATS = {
    "date": (r"\d{4}-\d{2}-\d{2}", "YYYY-MM-DD"),
    "time": (r"\d{2}:\d{2}(:\d{2})?", "HH:MM"),
    "month": (r"\d{4}-\d{2}", "YYYY-MM"),
    "week": (r"\d{4}-W\d{2}", "YYYY-Www"),
    "datetime-local": (r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?", "YYYY-MM-DDTHH:MM"),
    "color": (r"#[0-9a-fA-F]{6}", "#rrggbb"),
    "number": (r"-?\d+([.]\d+)?([eE][-+]?\d+)?", "a number such as 12 or 3.5"),
    "range": (r"-?\d+([.]\d+)?", "a number"),
}
MAX_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Done:
    """What carrying out an action gave, before the page came to rest."""

    touched: bool
    error: ActionError | None = None
    typed_value: str | None = None
    rebound: bool = False


@dataclass(frozen=True, slots=True)
class Element:
    """The element that an action means, as it is now."""

    node: Node
    target: Target
    locator: Locator
    info: dict[str, Any]
    rebound: bool

    def done(self, error: ActionError | None = None, typed: str | None = None) -> Done:
        """Return that the element was acted on."""
        return Done(touched=True, error=error, typed_value=typed, rebound=self.rebound)


class Refusal(Exception):
    """An action that cannot be done as asked."""

    def __init__(self, kind: ActionErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind: ActionErrorKind = kind

    @property
    def error(self) -> ActionError:
        """Return the refusal as part of an outcome."""
        return ActionError(kind=self.kind, message=str(self)[:300])


async def perform(session: "Session", action: Action) -> Done:
    """Do `action` and return what it gave; the page has not come to rest yet."""
    try:
        return await _HANDLERS[type(action)](session, action)
    except Refusal as refusal:
        return Done(touched=False, error=refusal.error)
    except PlaywrightTimeout as error:
        return Done(touched=True, error=_timed_out(error.message))
    except PlaywrightError as error:
        if session.page.is_closed():
            raise
        kind: ActionErrorKind = "stale_element" if "detached" in error.message else "timeout"
        said = error.message.partition("\n")[0][:200]
        return Done(touched=True, error=ActionError(kind=kind, message=said))


def _timed_out(message: str) -> ActionError:
    cover = re.search(r"<([^>]{1,120})> .*intercepts pointer events", message)
    if cover:
        said = f"something covers the element: <{cover[1]}>; close it or scroll first"
        return ActionError(kind="covered", message=said[:300])
    return ActionError(kind="timeout", message="the element did not become ready in time")


# -- finding ---------------------------------------------------------------------------------


async def _element(session: "Session", ref: str, *, reach: bool = True) -> Element:
    """Return the element `ref`, found again by its fingerprint when it was redrawn.

    Raises:
        Refusal: it is unknown, gone, disabled, covered or not visible.
    """
    snapshot = await session.look()
    node = snapshot.page.by_ref.get(ref)
    if node is None:
        known = ", ".join(snapshot.page.by_ref) or "none"
        raise Refusal("unknown_ref", f"there is no element [{ref}]; the page has {known[:200]}")
    target, rebound = snapshot.targets[ref], False
    info = await _info(session, target, still=not reach)
    if info.get("gone"):
        node, target = await _rebind(session, node)
        rebound = True
        info = await _info(session, target, still=not reach)
    if info.get("gone"):
        raise Refusal("stale_element", f"[{ref}] keeps being redrawn; look again")
    if info["disabled"]:
        raise Refusal("disabled", f"[{ref}] {_said(node)} is disabled")
    if reach and not info["hiddenControl"]:
        if info.get("cover"):
            said = f"[{ref}] {_said(node)} is covered by {info['cover']}; deal with that first"
            raise Refusal("covered", said)
        if not info.get("visible", True):
            raise Refusal("not_visible", f"[{ref}] {_said(node)} cannot be brought into view")
    return Element(node, target, locate(session.page, target), info, rebound)


async def _info(session: "Session", target: Target, *, still: bool) -> dict[str, Any]:
    options = {"doc": target.doc, "id": target.id, "still": still}
    try:
        return await ask(
            session.page, "info", options, chain=target.frame, seconds=session.config.action_seconds
        )
    except PlaywrightTimeout:
        return {"gone": True}


async def _rebind(session: "Session", node: Node) -> tuple[Node, Target]:
    snapshot: Snapshot = await session.look(again=True)
    match = find(snapshot.page, node.fingerprint) if node.fingerprint is not None else None
    if match is None or match.ref is None:
        alike = ", ".join(f"[{one.ref}] {_said(one)}" for one in match.candidates) if match else ""
        hint = f"; look-alikes: {alike}" if alike else ""
        raise Refusal("stale_element", f"{_said(node)} is no longer on the page{hint}")
    return snapshot.page.by_ref[match.ref], snapshot.targets[match.ref]


def _said(node: Node) -> str:
    return f'{node.role} "{node.name}"' if node.name else node.role


# -- pointer and keys ----------------------------------------------------------------------------


async def _click(session: "Session", action: Click) -> Done:
    element = await _element(session, action.ref)
    if element.info["tag"] == "input" and element.info["type"] == "file":
        raise Refusal("wrong_kind", f"[{action.ref}] takes a file: use upload")
    if element.info["hiddenControl"]:
        raise Refusal("wrong_kind", f"[{action.ref}] is a list: use select")
    await element.locator.click(
        button=action.button, click_count=action.count, modifiers=list(action.modifiers)
    )
    return element.done()


async def _hover(session: "Session", action: Hover) -> Done:
    element = await _element(session, action.ref)
    await element.locator.hover()
    return element.done()


async def _press(session: "Session", action: Press) -> Done:
    try:
        if action.ref is None:
            await session.page.keyboard.press(action.keys)
            return Done(touched=True)
        element = await _element(session, action.ref)
        await element.locator.press(action.keys)
    except PlaywrightError as error:
        if "Unknown key" in error.message:
            raise Refusal("bad_value", f"unknown key in {action.keys!r}; write Control+a") from None
        raise
    return element.done()


async def _drag(session: "Session", action: Drag) -> Done:
    source = await _element(session, action.ref)
    target = await _element(session, action.target)
    await source.locator.drag_to(target.locator)
    return source.done()


async def _scroll(session: "Session", action: Scroll) -> Done:
    options: dict[str, Any] = {"direction": action.direction, "amount": action.amount}
    chain = ""
    if action.ref is not None:
        target = (await _element(session, action.ref, reach=False)).target
        options |= {"doc": target.doc, "id": target.id}
        chain = target.frame
    seconds = session.config.action_seconds
    moved = await ask(session.page, "move", options, chain=chain, seconds=seconds)
    if moved.get("gone"):
        raise Refusal("stale_element", f"[{action.ref}] is no longer on the page")
    if moved["moved"] == 0 and not moved["end"]:
        await session.page.mouse.move(*moved["wheel"])
        await session.page.mouse.wheel(*moved["step"])
    return Done(touched=True)


# -- fields ----------------------------------------------------------------------------------


async def _type(session: "Session", action: TypeText) -> Done:
    element = await _element(session, action.ref)
    info, masker = element.info, session.reading.masker
    _refuse_wrong_field(action, element)
    text = masker.reveal(action.text)
    if not action.clear:
        text = str(info["value"]) + text
    _refuse_format(info, action, text)
    keyed = info["combobox"] and len(text) > 1
    if info["editable"] and info["tag"] not in {"input", "textarea"}:
        await element.locator.fill(text)
    else:
        await element.locator.fill(text[:-1] if keyed else text)
        if keyed:
            await element.locator.press_sequentially(text[-1])
    after = await _info(session, element.target, still=True)
    if action.submit:
        await element.locator.press("Enter")
    if after.get("gone"):
        return element.done()
    shown = str(after["value"])
    typed = masker.field(shown)
    if _same(shown, text):
        return element.done(typed=typed)
    said = f'wrote "{masker.field(text)}", the field shows "{typed}"'
    return element.done(ActionError(kind="value_differs", message=said[:300]), typed)


def _refuse_wrong_field(action: TypeText, element: Element) -> None:
    info = element.info
    if info["tag"] == "select" or info.get("options"):
        shown = _options(info["options"])
        raise Refusal("wrong_kind", f"[{action.ref}] is a list: use select; options: {shown}")
    if not info["editable"]:
        raise Refusal("wrong_kind", f"[{action.ref}] {_said(element.node)} takes no text")
    if info["readonly"]:
        raise Refusal("disabled", f"[{action.ref}] {_said(element.node)} is read-only")


def _refuse_format(info: dict[str, Any], action: TypeText, text: str) -> None:
    pattern, example = ISO_FORMATS.get(info["type"], ("", ""))
    if pattern and text and not re.fullmatch(pattern, text):
        said = f"[{action.ref}] takes {example}, not {action.text!r}"
        raise Refusal("bad_value", said)


def _same(shown: str, text: str) -> bool:
    return shown.replace("\r\n", "\n").strip() == text.replace("\r\n", "\n").strip()


async def _select(session: "Session", action: Select) -> Done:
    element = await _element(session, action.ref)
    options = element.info.get("options")
    if options is None:
        raise Refusal("wrong_kind", f"[{action.ref}] {_said(element.node)} is no list: use click")
    if len(action.options) > 1 and not element.info["multiple"]:
        raise Refusal("bad_value", f"[{action.ref}] takes one option only")
    chosen = [_option(wanted, options, action.ref) for wanted in action.options]
    hidden = bool(element.info["hiddenControl"])
    await element.locator.select_option(value=[one["value"] for one in chosen], force=hidden)
    after = await _info(session, element.target, still=True)
    shown = None if after.get("gone") else str(after["value"])
    return element.done(typed=shown)


def _option(wanted: str, options: list[dict[str, Any]], ref: str) -> dict[str, Any]:
    """Return the one option meant: by label, by value, by label in any case."""
    label = " ".join(wanted.split())
    for found in (
        [one for one in options if one["label"] == label],
        [one for one in options if one["value"] == wanted],
        [one for one in options if one["label"].casefold() == label.casefold()],
    ):
        if len(found) > 1:
            values = ", ".join(repr(one["value"]) for one in found)
            raise Refusal("no_such_option", f"[{ref}] has {wanted!r} twice; values: {values}")
        if found and found[0]["disabled"]:
            raise Refusal("disabled", f"the option {wanted!r} of [{ref}] is disabled")
        if found:
            return found[0]
    raise Refusal("no_such_option", f"[{ref}] has no option {wanted!r}; it has {_options(options)}")


def _options(options: list[dict[str, Any]]) -> str:
    shown = " | ".join(one["label"] for one in options[:MAX_SHOWN])
    rest = len(options) - MAX_SHOWN
    return shown + (f" | … {rest} more" if rest > 0 else "")


async def _check(session: "Session", action: Check) -> Done:
    element = await _element(session, action.ref)
    if "checkable" not in element.info:
        raise Refusal("wrong_kind", f"[{action.ref}] {_said(element.node)} cannot be ticked")
    if element.info["checkable"] == "radio" and not action.on:
        raise Refusal("bad_value", f"[{action.ref}] is a radio button: choose another one instead")
    if element.info["checked"] == action.on:
        return element.done()
    await element.locator.click()
    after = await _info(session, element.target, still=True)
    if not after.get("gone") and after.get("checked") != action.on:
        said = f"[{action.ref}] is still {'off' if action.on else 'on'}"
        return element.done(ActionError(kind="value_differs", message=said))
    return element.done()


async def _upload(session: "Session", action: Upload) -> Done:
    element = await _element(session, action.ref, reach=False)
    if session.files is None:
        raise Refusal("bad_value", "this session has no files to upload")
    path = (session.files / action.file).resolve()
    if not path.is_relative_to(session.files.resolve()) or not path.is_file():
        there = ", ".join(sorted(one.name for one in session.files.iterdir()))[:200]
        raise Refusal("bad_value", f"no file {action.file!r}; there are: {there}")
    if element.info["type"] != "file":
        raise Refusal("wrong_kind", f"[{action.ref}] {_said(element.node)} takes no file")
    await element.locator.set_input_files(path)
    return element.done(typed=path.name)


# -- pages ----------------------------------------------------------------------------------


async def _goto(session: "Session", action: Goto) -> Done:
    return await _open(session, action.url)


async def _open(session: "Session", url: str) -> Done:
    origins = session.reading.origins
    if not origins.owns(url):
        known = ", ".join(canonical for canonical, _ in origins.pairs)
        raise Refusal("blocked", f"{url!r:.120} is not on the site; it has {known}")
    return await _navigate(
        session, lambda: session.page.goto(origins.actual(url), wait_until="domcontentloaded")
    )


async def _navigate(session: "Session", go: Callable[[], Awaitable[object]]) -> Done:
    try:
        await go()
    except PlaywrightError as error:
        message = error.message.partition("\n")[0]
        if "Download is starting" in message or "ERR_ABORTED" in message:
            return Done(touched=True)
        if session.traffic.blocked:
            said = f"the address leads off the site: {session.traffic.blocked[0]}"
            return Done(touched=True, error=ActionError(kind="blocked", message=said[:300]))
        error_said = ActionError(kind="navigation_failed", message=message[:300])
        return Done(touched=True, error=error_said)
    return Done(touched=True)


async def _back(session: "Session", action: Back) -> Done:
    return await _navigate(session, lambda: session.page.go_back(wait_until="commit"))


async def _forward(session: "Session", action: Forward) -> Done:
    return await _navigate(session, lambda: session.page.go_forward(wait_until="commit"))


async def _reload(session: "Session", action: Reload) -> Done:
    return await _navigate(session, lambda: session.page.reload(wait_until="commit"))


async def _new_tab(session: "Session", action: NewTab) -> Done:
    if action.url is not None and not session.reading.origins.owns(action.url):
        raise Refusal("blocked", f"{action.url!r:.120} is not on the site")
    await session.new_tab()
    return await _open(session, action.url) if action.url is not None else Done(touched=True)


async def _switch_tab(session: "Session", action: SwitchTab) -> Done:
    if action.index >= len(session.tabs):
        raise Refusal("bad_value", f"there is no tab {action.index}; {len(session.tabs)} are open")
    session.switch_to(session.tabs[action.index])
    await session.page.bring_to_front()
    return Done(touched=True)


async def _close_tab(session: "Session", action: CloseTab) -> Done:
    if len(session.tabs) == 1:
        raise Refusal("bad_value", "the last tab cannot be closed")
    await session.page.close()
    return Done(touched=True)


async def _wait(session: "Session", action: Wait) -> Done:
    page = session.page
    if action.text is None:
        await page.wait_for_timeout(action.seconds * 1000)
        return Done(touched=True)
    try:
        shown = page.get_by_text(action.text).first
        await shown.wait_for(state="visible", timeout=action.seconds * 1000)
    except PlaywrightTimeout:
        said = f"{action.text!r:.100} did not show within {action.seconds:g} s"
        return Done(touched=True, error=ActionError(kind="timeout", message=said))
    return Done(touched=True)


_HANDLERS: dict[type, Callable[..., Awaitable[Done]]] = {
    Click: _click,
    TypeText: _type,
    Select: _select,
    Check: _check,
    Hover: _hover,
    Press: _press,
    Scroll: _scroll,
    Drag: _drag,
    Upload: _upload,
    Goto: _goto,
    Back: _back,
    Forward: _forward,
    Reload: _reload,
    NewTab: _new_tab,
    SwitchTab: _switch_tab,
    CloseTab: _close_tab,
    Wait: _wait,
}
