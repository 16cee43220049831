# Set-up and the commands of daily work. Each step of the set-up leaves a stamp in .venv, so that a
# second call is instant; `make clean` removes what can be made again.

.PHONY: setup demo demo-llm test lint clean

setup: .venv/.browser

demo: setup
	.venv/bin/synthagent synthesize --site shop --run demo

# The same with a model server that follows a script: no key, no cost, the real protocol.
demo-llm: setup
	@mkdir -p data && rm -f data/scripted.url; \
	.venv/bin/python -m synthagent.llm.scripted --log data/requests.jsonl > data/scripted.url & \
	server=$$!; trap 'kill $$server 2>/dev/null' EXIT INT TERM; \
	while kill -0 $$server && ! [ -s data/scripted.url ]; do sleep 0.1; done; \
	.venv/bin/synthagent synthesize --site shop --run demo-llm --teacher llm --model scripted \
	    --base-url "$$(cat data/scripted.url)" $(ARGS)

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
