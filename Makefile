# Two commands: `make run` starts the service, `make test` runs every check. Each sets up all it needs.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
# More workers than processors: tests wait for processes, disks and pauses that they are about.
WORKERS ?= 3

.PHONY: run demo doctor test check format lock browser agents clean

run: $(VENV)/.run
	$(BIN)/mama-bot run

demo: $(VENV)/.run
	$(BIN)/mama-bot demo

doctor: $(VENV)/.run
	$(BIN)/mama-bot doctor

test: $(VENV)/.test browser
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.names
	# What pytest makes of each test file is kept, also where Python is told to keep nothing: half of the time of a start.
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal

format: $(VENV)/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The page is tested in Chromium. Where it is missing and can be installed it is; else those tests are skipped, aloud.
browser:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  export DEBIAN_FRONTEND=noninteractive && apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk >/dev/null; } || \
	echo "No chromium: the tests of the page will be skipped. Install it to run them."

# Other CLIs, in their exact versions, and what plays their models. Without them their tests are skipped, aloud.
agents: .agents/.installed
.agents/.installed: requirements/agents/package.json requirements/agents/package-lock.json
	mkdir -p .agents
	cp requirements/agents/package*.json .agents/
	npm ci --prefix .agents --ignore-scripts --no-audit --no-fund --loglevel error
	# Of this one only the binary is taken, where there is one for the machine.
	[ ! -e .agents/node_modules/opencode-linux-x64 ] || ln -sf ../opencode-linux-x64/bin/opencode .agents/node_modules/.bin/opencode
	touch $@

# uv comes from its own hash-pinned list; the rest is installed with it, in seconds.
$(UV):
	$(PYTHON) -c 'import sys; sys.exit("mama-bot needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 run" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/uv.txt

$(VENV)/.run: $(UV) requirements/run.txt pyproject.toml
	[ -f $(VENV)/.test ] || $(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements/run.txt
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/.test: $(UV) requirements/test.txt pyproject.toml
	$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements/test.txt
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	touch $@ $(VENV)/.run

# Write the lists of exact versions anew from pyproject.toml.
COMPILE := $(UV) pip compile --universal --generate-hashes --no-emit-index-url --no-header --quiet --python-version 3.11
lock: $(UV)
	$(COMPILE) --extra build pyproject.toml --output-file requirements/run.txt
	$(COMPILE) --extra build --extra test pyproject.toml --output-file requirements/test.txt
	echo uv | $(COMPILE) - --output-file requirements/uv.txt

clean:
	rm -rf $(VENV) .agents .mypy_cache .ruff_cache .pytest_cache
