#!/bin/sh
# Makes sure that there is a Chromium: an installed one, else Playwright's, else the distribution's.
# Called by make after the packages are there.
set -eu

works() {
    [ -n "$1" ] && command -v "$1" >/dev/null 2>&1 && "$1" --version >/dev/null 2>&1
}

installed() {
    for name in "${SYNTHAGENT_BROWSER__EXECUTABLE:-}" chromium-headless-shell chromium \
        chromium-browser google-chrome google-chrome-stable; do
        if works "$name"; then
            command -v "$name"
            return
        fi
    done
    bundled=$(.venv/bin/python - <<'PYTHON' 2>/dev/null || true
from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
PYTHON
    )
    if works "$bundled"; then
        echo "$bundled"
    fi
}

report() {
    browser=$(installed)
    if [ -n "$browser" ]; then
        echo "browser: $browser"
        exit 0
    fi
}

report
echo "no Chromium is installed; trying: playwright install chromium"
timeout 600 .venv/bin/python -m playwright install chromium 2>&1 | tail -n 3
report
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -q || true
    # The windowless engine is the same one for a third of the processor time.
    for package in chromium-headless-shell chromium; do
        echo "trying the distribution's package: apt-get install $package"
        DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
            "$package" fonts-liberation || true
        report
    done
fi
cat >&2 <<'TEXT'
No Chromium could be had. One of these helps:
  1. install it with your package manager, e.g. `sudo apt-get install chromium-headless-shell`
  2. let Playwright fetch one, with its system packages: `sudo .venv/bin/playwright install --with-deps chromium`
  3. name one that you have: `export SYNTHAGENT_BROWSER__EXECUTABLE=/path/to/chrome`
Then run the same command again.
TEXT
exit 1
