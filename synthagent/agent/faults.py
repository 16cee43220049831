"""Tells faults of browser and site, which are nobody's failure, from outcomes of actions.

Not responsible for retrying; collection and exploration do that.
"""

from synthagent.errors import BrowserError, SiteUnreachable
from synthagent.records import Outcome


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
