"""What an action works with: the tab, the elements it was given, the secrets and the limits.

Not responsible for what the actions do; see `acting.py` and `fields.py`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Locator, Page

from synthagent.browser.attempt import Attempt, rejected
from synthagent.browser.masking import Masker
from synthagent.browser.network import Network
from synthagent.browser.raw import Target
from synthagent.browser.walking import ask
from synthagent.config import BrowserConfig
from synthagent.records import Origins

INFO_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Hands:
    """Everything one action needs."""

    page: Page
    config: BrowserConfig
    origins: Origins
    masker: Masker
    network: Network
    files: Path | None
    typed: dict[tuple[str, int], str]

    @property
    def milliseconds(self) -> float:
        """Return the time limit of one act."""
        return self.config.action_seconds * 1000

    def locate(self, target: Target) -> Locator:
        """Return the locator of exactly this element."""
        return self.page.locator(target.selector)

    async def info(self, target: Target, *, still: bool = False) -> dict[str, Any]:
        """Return what an element is now; brings it into view first unless `still`."""
        options = {"doc": target.doc, "id": target.id, "still": still}
        return await ask(self.page, "info", options, chain=target.frame, seconds=INFO_SECONDS)

    def refuse(self, info: dict[str, Any]) -> Attempt | None:
        """Return why an element cannot be acted on, None when it can."""
        if info.get("gone"):
            return rejected("stale_element", "the element is not on the page any more; look again")
        if info["disabled"]:
            return rejected("disabled", "it is disabled; something else must be done first")
        if cover := info.get("cover"):
            said = self.masker.text(cover)
            return rejected("covered", f"it is covered by {said}; deal with that first")
        if info.get("visible") is False:
            return rejected("not_visible", "it does not show on the page now")
        return None
