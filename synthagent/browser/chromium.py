"""Finds a Chromium on this machine and names the switches it is started with.

Not responsible for starting or ending it; see `launching.py`.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from synthagent.config import BrowserConfig
from synthagent.errors import BrowserMissing

HEADLESS_COMMANDS = ("chromium-headless-shell", "chrome-headless-shell")
"""The same engine without windows: a third of the processor time for each context."""
COMMANDS = (
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "microsoft-edge",
)
HEADLESS_PATTERNS = (
    "chromium_headless_shell-*/*/headless_shell",
    "chromium_headless_shell-*/*/chrome-headless-shell",
)
MAC_APPS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
QUIET_FLAGS = (
    "--disable-background-networking",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--disable-component-update",
    "--disable-sync",
    "--disable-crash-reporter",
    "--no-pings",
    "--no-first-run",
    "--mute-audio",
    "--dns-prefetch-disable",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--hide-scrollbars",
    "--disable-gpu",
    "--font-render-hinting=none",
    "--force-device-scale-factor=1",
    "--password-store=basic",
)


def find_chromium(config: BrowserConfig) -> Path:
    """Return the Chromium to use: the setting, else one on the PATH, else one of Playwright's.

    Raises:
        BrowserMissing: there is none; the message names three ways to get one.
    """
    if config.executable is not None:
        path = Path(config.executable).expanduser()
        if path.is_file() and os.access(path, os.X_OK):
            return path
        raise BrowserMissing(f"browser.executable = {str(path)!r} is no program that can be run")
    for path in _candidates(headless=config.headless):
        if path.is_file() and os.access(path, os.X_OK):
            return path
    raise BrowserMissing(
        "no Chromium found. Install one with the package manager (`apt install "
        "chromium-headless-shell`, or `chromium`), or with `playwright install chromium`, or give "
        "its path: --set browser.executable=/path/to/chrome"
    )


def launch_flags(hosts: tuple[str, ...] = ()) -> list[str]:
    """Return the switches that keep Chromium quiet, repeatable, and off all hosts but `hosts`."""
    flags = list(QUIET_FLAGS)
    if hosts:
        excluded = ", ".join(f"EXCLUDE {host}" for host in hosts)
        flags.append(f"--host-resolver-rules=MAP * ~NOTFOUND, {excluded}")
    if sys.platform == "linux" and os.geteuid() == 0:
        flags.append("--no-sandbox")
    return flags


def _candidates(*, headless: bool) -> Iterator[Path]:
    for command in (*(HEADLESS_COMMANDS if headless else ()), *COMMANDS):
        if found := shutil.which(command):
            yield Path(found)
    if sys.platform == "darwin":
        yield from map(Path, MAC_APPS)
    store = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    homes = [Path(store)] if store else [Path.home() / ".cache" / "ms-playwright"]
    homes.append(Path.home() / "Library" / "Caches" / "ms-playwright")
    for home in homes:
        for pattern in (
            *(HEADLESS_PATTERNS if headless else ()),
            "chromium-*/chrome-*/chrome",
            "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
        ):
            yield from sorted(home.glob(pattern), reverse=True)
