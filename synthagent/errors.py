"""The one tree of errors that synthagent raises.

Expected results of an action or a check are values (`Outcome`, `Verdict`), not errors.
Infrastructure errors (`SiteError`, `BrowserError`, `ModelError`) are never the fault of a task.
"""


class SynthError(Exception):
    """Root of all errors raised on purpose; the message names the value and the fix."""

    exit_code = 1


class ConfigError(SynthError):
    """A setting, argument or file given by the user cannot be used."""

    exit_code = 2


class DataError(SynthError):
    """A stored record or an exported file is not what its schema says."""


class SiteError(SynthError):
    """A website cannot be used: unreachable, not logged in, or not reset."""


class SiteUnreachable(SiteError):
    """The site does not answer, answers with an error, or is another site."""


class LoginFailed(SiteError):
    """A role could not be logged in, or its private page sends it back to the login form."""


class ResetFailed(SiteError):
    """The site could not be brought back to its seeded state."""


class BrowserError(SynthError):
    """The browser, its driver or a page failed: missing, crashed, or over a deadline."""


class BrowserMissing(BrowserError):
    """No usable Chromium was found."""


class ModelError(SynthError):
    """A model server did not give a usable reply."""


class ModelUnavailable(ModelError):
    """Rate limit, overload, timeout or connection fault that outlasted its retries."""


class ModelAccessDenied(ModelError):
    """Wrong key, no quota left, or an unknown model: nothing but the user can mend it."""


class ModelReplyMalformed(ModelError):
    """The reply did not fit the schema, also after the repair round."""


class ModelReplyTruncated(ModelError):
    """The reply was cut at the token limit, also after asking again."""


class ModelRefused(ModelError):
    """The model declined to answer."""


class BudgetExceeded(SynthError):
    """A limit in money, tokens, calls or time was reached; the run can be resumed."""

    exit_code = 3


INFRASTRUCTURE_ERRORS = (SiteError, BrowserError, ModelError)
