"""Answers native dialogs at once, since an open one freezes everything.

Not responsible for dialogs that a page draws itself; those are part of the page.
"""

from dataclasses import dataclass

from playwright.async_api import Dialog as NativeDialog
from playwright.async_api import Error as PlaywrightError

from synthagent.browser.deadlines import is_dead
from synthagent.records.actions import DialogAnswer


@dataclass(frozen=True, slots=True)
class DialogPolicy:
    """How each kind of dialog is answered; a prompt without a text is dismissed."""

    alert: DialogAnswer = "accept"
    confirm: DialogAnswer = "accept"
    beforeunload: DialogAnswer = "accept"
    prompt: str | None = None

    def answer(self, kind: str, wanted: DialogAnswer | None) -> DialogAnswer:
        """Return the answer to a dialog; `wanted` is what the action asks for."""
        if wanted is not None and kind in {"confirm", "prompt"}:
            return wanted
        if kind == "prompt":
            return "dismiss" if self.prompt is None else "accept"
        if kind == "confirm":
            return self.confirm
        return self.beforeunload if kind == "beforeunload" else self.alert


async def answer_dialog(dialog: NativeDialog, answer: DialogAnswer, policy: DialogPolicy) -> None:
    """Answer `dialog`; one that has gone meanwhile needs no answer."""
    try:
        if answer == "dismiss":
            await dialog.dismiss()
        elif dialog.type == "prompt":
            await dialog.accept(policy.prompt or dialog.default_value)
        else:
            await dialog.accept()
    except PlaywrightError as error:
        if not is_dead(error) and "no dialog" not in str(error).lower():
            raise
