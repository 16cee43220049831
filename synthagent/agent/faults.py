"""Tells faults of browser and site, which are nobody's failure, from outcomes of actions.

Not responsible for retrying; collection and exploration do that.
"""

from synthagent.errors import BrowserError, SiteUnreachable
from synthagent.records import Outcome

IN_A_ROW = 12
"""Work items spoiled one after the other before a stage gives up; it can be resumed."""


def raise_on_fault(outcome: Outcome) -> Outcome:
    """Return `outcome`, unless the browser or the site broke while it came about.

    Raises:
        BrowserError: the page crashed.
        SiteUnreachable: the site did not answer, or answered that it is broken itself.
    """
    error = outcome.error
    if error is not None and error.kind == "page_crashed":
        raise BrowserError(error.message)
    if error is not None and error.kind == "navigation_failed":
        raise SiteUnreachable(f"{outcome.url or 'the site'}: {error.message}")
    if outcome.http_status is not None and outcome.http_status >= 500:
        raise SiteUnreachable(f"{outcome.url} answered with status {outcome.http_status}")
    return outcome


class Breaker:
    """Stops a stage when nothing works any more: a dead site would spoil every item left."""

    def __init__(self) -> None:
        self._faults = 0

    def fine(self) -> None:
        """Take note of an item that was not spoiled."""
        self._faults = 0

    def fault(self, error: BaseException) -> None:
        """Take note of an item that infrastructure spoiled.

        Raises:
            BaseException: `error` itself, when it is the last of many in a row.
        """
        self._faults += 1
        if self._faults >= IN_A_ROW:
            raise error
