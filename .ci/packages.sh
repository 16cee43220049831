#!/bin/sh
# Makes .venv and installs the project with its test tools, in the versions of constraints.txt.
# Called by make; works in the current folder.
set -eu

find_python() {
    for name in "${PYTHON:-}" python3.11 python3.12 python3.13 python3; do
        if [ -n "$name" ] && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
}

python=$(find_python)
if [ -z "$python" ]; then
    echo "synthagent needs Python 3.11 or newer; install it, or name one: make setup PYTHON=/path/to/python3" >&2
    exit 1
fi

if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    rm -rf .venv
    echo "making .venv with $("$python" --version)"
    if ! "$python" -m venv .venv; then
        rm -rf .venv
        if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
            apt-get update -q && apt-get install -y -q python3-venv
            "$python" -m venv .venv
        else
            echo "the module venv is missing; on Debian and Ubuntu: apt-get install python3-venv" >&2
            exit 1
        fi
    fi
fi

echo "installing packages into .venv"
.venv/bin/python -m pip install --quiet --disable-pip-version-check \
    --constraint constraints.txt --editable '.[sites,dev]'
