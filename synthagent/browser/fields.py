"""Writes into fields and chooses in lists: check first, write once, read back.

Not responsible for buttons, keys and navigation; see `acting.py`.
"""

import re
from collections.abc import Callable
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator

from synthagent.browser.attempt import DONE, Attempt, failed, listed, rejected
from synthagent.browser.deadlines import first_line, is_dead
from synthagent.browser.hands import Hands
from synthagent.browser.masking import MASK
from synthagent.browser.raw import Target
from synthagent.records import Check, Select, TypeText, Upload

FORMATS = {
    "date": (r"\d{4,6}-\d{2}-\d{2}", "2031-05-09"),
    "time": (r"\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?", "14:30"),
    "datetime-local": (
        r"\d{4,6}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?",
        "2031-05-09T14:30",
    ),
    "month": (r"\d{4,6}-\d{2}", "2031-05"),
    "week": (r"\d{4,6}-W\d{2}", "2031-W19"),
    "color": (r"#[0-9a-fA-F]{6}", "#3366cc"),
    "range": (r"-?\d+(\.\d+)?", "40"),
    "number": (r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", "12.5"),
}
SET_AT_ONCE = frozenset(FORMATS) - {"number"}


async def type_text(hands: Hands, action: TypeText, target: Target) -> Attempt:
    """Write into a field, with real keys at the end so that widgets notice, and read it back."""
    info = await hands.info(target)
    if refusal := hands.refuse(info) or _refuse_typing(info, action):
        return refusal
    text = hands.masker.reveal(action.text)
    if info["tag"] == "input":
        text = " ".join(text.splitlines()) if "\n" in text else text
        if refusal := _refuse_format(info, text, action.text):
            return refusal
    locator = hands.locate(target)
    wanted = text if action.clear else _join(info["value"], text)
    try:
        await _write(locator, info, wanted, hands.milliseconds)
    except PlaywrightError as error:
        if is_dead(error):
            raise
        return failed("timeout", f"the field could not be written: {first_line(error)}")
    shown = await _read_back(hands, target)
    if hands.masker.holds_secret(action.text):
        hands.typed[(target.doc, target.id)] = action.text
    attempt = _judge(hands, action, wanted, shown)
    if attempt.status == "ok" and action.submit:
        await locator.press("Enter", timeout=hands.milliseconds)
    return attempt


def _refuse_typing(info: dict[str, Any], action: TypeText) -> Attempt | None:
    if info["tag"] == "select":
        options = listed(info["options"])
        return rejected("wrong_kind", f"this is a list: use select; its options are {options}")
    if info["type"] == "file":
        return rejected("wrong_kind", "this takes a file: use upload")
    if not info["editable"]:
        return rejected("wrong_kind", "this is no text field; click it, or type into another one")
    if info["readonly"]:
        return rejected(
            "disabled", "the field is read-only: nothing can be typed; click it to see what opens"
        )
    del action
    return None


def _refuse_format(info: dict[str, Any], text: str, shown: str) -> Attempt | None:
    kind = info["type"]
    if kind not in FORMATS or text == "":
        return None
    pattern, example = FORMATS[kind]
    if re.fullmatch(pattern, text):
        return None
    return rejected("bad_value", f'a {kind} field takes text like "{example}", not "{shown[:80]}"')


def _join(before: str, text: str) -> str:
    return before + text


async def _write(locator: Locator, info: dict[str, Any], text: str, milliseconds: float) -> None:
    is_plain = info["tag"] in {"input", "textarea"}
    if not is_plain or not text or info["type"] in SET_AT_ONCE or text[-1] == "\n":
        await locator.fill(text, timeout=milliseconds)
        return
    # `fill` alone fires no key events, and lists of suggestions live on them.
    await locator.fill(text[:-1], timeout=milliseconds)
    if text[:-1]:
        await locator.press("End", timeout=milliseconds)
    await locator.press_sequentially(text[-1], timeout=milliseconds)


async def _read_back(hands: Hands, target: Target) -> str | None:
    info = await hands.info(target, still=True)
    return None if info.get("gone") else str(info["value"])


def _judge(hands: Hands, action: TypeText, wanted: str, shown: str | None) -> Attempt:
    if shown is None:
        return DONE
    is_secret = hands.masker.holds_secret(action.text)
    said = hands.masker.field(shown)
    if is_secret:
        said = action.text if shown == wanted else MASK
    if _same(wanted, shown):
        return Attempt(typed_value=said)
    wrote = action.text[:100] if action.clear or is_secret else hands.masker.text(wanted)[:100]
    return failed("value_differs", f'wrote "{wrote}", the field shows "{said[:100]}"', said)


def _same(wanted: str, shown: str) -> bool:
    """Return whether the field shows what was written, separators aside that a mask put in."""
    if wanted == shown or " ".join(wanted.split()) == " ".join(shown.split()):
        return True
    letters = [re.sub(r"[\W_]+", "", text).casefold() for text in (wanted, shown)]
    if letters[0] and letters[0] == letters[1]:
        return True
    try:
        return float(wanted) == float(shown)
    except ValueError:
        return False


async def select_options(hands: Hands, action: Select, target: Target) -> Attempt:
    """Choose options of a list by label, else by value, else by label without regard to case."""
    info = await hands.info(target)
    if refusal := hands.refuse(info):
        return refusal
    if info["tag"] != "select":
        return await _select_in_popup(hands, action, info, target)
    if len(action.options) > 1 and not info["multiple"]:
        return rejected("bad_value", "only one option can be chosen here")
    found = [_match_option(info["options"], wanted) for wanted in action.options]
    if wrong := next((one for one in found if isinstance(one, Attempt)), None):
        return wrong
    return await _choose(hands, action, info, target, [at for at in found if isinstance(at, int)])


async def _choose(
    hands: Hands, action: Select, info: dict[str, Any], target: Target, indexes: list[int]
) -> Attempt:
    locator = hands.locate(target)
    await locator.select_option(
        index=indexes, timeout=hands.milliseconds, force=info["hiddenControl"]
    )
    after = await hands.info(target, still=True)
    if after.get("gone"):
        return DONE
    chosen = [at for at, option in enumerate(after["options"]) if option["selected"]]
    if sorted(indexes) != chosen and len(after["options"]) == len(info["options"]):
        return failed("value_differs", f'chose {action.options}, the list shows "{after["value"]}"')
    return Attempt(typed_value=hands.masker.field(after["value"]))


def _match_option(options: list[dict[str, Any]], wanted: str) -> int | Attempt:
    plain = " ".join(wanted.split())
    tests: tuple[Callable[[dict[str, Any]], bool], ...] = (
        lambda option: bool(option["label"] == plain),
        lambda option: bool(option["value"] == wanted),
        lambda option: bool(option["label"].casefold() == plain.casefold()),
    )
    for fits in tests:
        found = [at for at, option in enumerate(options) if fits(option)]
        usable = [at for at in found if not options[at]["disabled"]]
        if len(usable) == 1:
            return usable[0]
        if len(usable) > 1:
            values = ", ".join(f'"{options[at]["value"]}"' for at in usable[:8])
            return rejected(
                "no_such_option",
                f'"{wanted}" is there {len(usable)} times; give the value: {values}',
            )
        if found:
            return rejected("disabled", f'the option "{wanted}" is disabled')
    return rejected("no_such_option", f'no option "{wanted}"; there are {listed(options)}')


async def _select_in_popup(
    hands: Hands, action: Select, info: dict[str, Any], target: Target
) -> Attempt:
    """Click options of a list that the page draws itself, if they show."""
    options = info.get("popup", [])
    if not options:
        return rejected(
            "wrong_kind", "its options do not show yet: click it or type into it, then click one"
        )
    for wanted in action.options:
        plain = " ".join(wanted.split()).casefold()
        found = [option for option in options if option["label"].casefold() == plain]
        if len(found) != 1:
            return rejected("no_such_option", f'no option "{wanted}"; there are {listed(options)}')
        option = Target(target.frame, target.doc, found[0]["id"])
        seen = await hands.info(option)
        if refusal := hands.refuse(seen):
            return refusal
        await hands.locate(option).click(timeout=hands.milliseconds)
    return DONE


async def set_check(hands: Hands, action: Check, target: Target) -> Attempt:
    """Bring a checkbox, radio button or switch into the wanted state by a click."""
    info = await hands.info(target)
    if refusal := hands.refuse(info):
        return refusal
    if "checkable" not in info:
        return rejected("wrong_kind", "this cannot be checked: use click")
    if info["checked"] == action.on:
        return Attempt(note="it was so already")
    if info["checkable"] == "radio" and not action.on:
        return rejected("bad_value", "a radio button is cleared by choosing another one")
    await hands.locate(target).click(timeout=hands.milliseconds)
    after = await hands.info(target, still=True)
    if not after.get("gone") and after.get("checked") != action.on:
        state = "checked" if after.get("checked") else "not checked"
        return failed("value_differs", f"it was clicked and is {state}")
    return DONE


async def upload_file(hands: Hands, action: Upload, target: Target) -> Attempt:
    """Give a file of the session's folder to a file input, or to what opens a file chooser."""
    if hands.files is None:
        return rejected("bad_value", "this session has no files to upload")
    folder = hands.files.resolve()
    path = (folder / action.file).resolve()
    if not path.is_relative_to(folder) or not path.is_file():
        names = ", ".join(sorted(one.name for one in folder.iterdir() if one.is_file())[:12])
        return rejected("bad_value", f'no file "{action.file}"; there are: {names or "none"}')
    info = await hands.info(target)
    if refusal := hands.refuse(info):
        return refusal
    locator = hands.locate(target)
    if info["tag"] == "input" and info["type"] == "file":
        await locator.set_input_files(path, timeout=hands.milliseconds)
        after = await hands.info(target, still=True)
        return Attempt(typed_value=None if after.get("gone") else after["value"])
    try:
        async with hands.page.expect_file_chooser(timeout=hands.milliseconds) as chooser:
            await locator.click(timeout=hands.milliseconds)
        await (await chooser.value).set_files(path)
    except PlaywrightError as error:
        if is_dead(error):
            raise
        return failed("wrong_kind", "a click on it opens no file chooser")
    return Attempt(typed_value=path.name)
