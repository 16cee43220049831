# Set-up and the commands of daily work. Each step of the set-up leaves a stamp in .venv, so that a
# second call is instant; `make clean` removes what can be made again.

.PHONY: setup demo test lint clean

setup: .venv/.browser

demo: setup
	.venv/bin/synthagent synthesize --site shop --run demo

test: setup
	.venv/bin/python -m pytest $(ARGS)

lint: .venv/.packages
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

clean:
	rm -rf .venv data/sites .pytest_cache .ruff_cache .mypy_cache .hypothesis

.venv/.packages: pyproject.toml constraints.txt .ci/packages.sh
	sh .ci/packages.sh
	@touch $@

.venv/.browser: .venv/.packages .ci/browser.sh
	sh .ci/browser.sh
	@touch $@
