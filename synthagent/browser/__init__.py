"""Pages as data and actions on them; the only user of Playwright."""

from synthagent.browser.launching import Browser
from synthagent.browser.session import DialogPolicy, Look, Session, SessionOptions

__all__ = ["Browser", "DialogPolicy", "Look", "Session", "SessionOptions"]
