"""Pages as data, typed actions with outcomes; the only folder that knows Playwright."""

from synthagent.browser.launching import Browser
from synthagent.browser.session import Look, Session

__all__ = ["Browser", "Look", "Session"]
