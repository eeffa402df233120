# make demo: install (with the page and figures) and score an example.   make test: install and run the tests.
PYTHON ?= python3
VENV ?= .venv
TORCH ?= torch==2.13.0  # a CPU build where one is offered under this version
BUILD := pyproject.toml setup.py $(wildcard src/monge/transport/native/* src/monge/storage/native/*)
BIN := $(VENV)/bin

.PHONY: demo test test-slow lint test-torch bench docs site notebooks clean

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "monge needs Python 3.11 or newer ($(PYTHON) is older)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip

$(VENV)/.installed: $(BUILD) | $(BIN)/python
	$(BIN)/python -m pip install -q -e '.[serve,plot]'
	@touch $@

$(VENV)/.installed-test: $(BUILD) | $(BIN)/python
	$(BIN)/python -m pip install -q -e '.[test,lint]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-torch: $(BUILD) | $(BIN)/python
	$(BIN)/python -m pip install -q $(TORCH)
	$(BIN)/python -m pip install -q -e '.[test,torch,peers]'
	@touch $@

demo: $(VENV)/.installed
	@PATH="$(abspath $(BIN)):$$PATH" sh examples/demo.sh

# compiled modules are kept, whatever the environment says: tests start Python 100 times and pytest rewrites 600 modules
KEEP_COMPILED := PYTHONDONTWRITEBYTECODE=

test: $(VENV)/.installed-test
	$(KEEP_COMPILED) $(BIN)/python -m pytest -n auto -m "not torch and not slow"

test-slow: $(VENV)/.installed-test
	$(KEEP_COMPILED) $(BIN)/python -m pytest -m "slow and not torch"

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test-torch: $(VENV)/.installed-torch
	$(KEEP_COMPILED) $(BIN)/python -m pytest -m torch

docs: $(VENV)/.installed-test
	$(BIN)/python docs/build.py

$(VENV)/.installed-docs: $(BUILD) | $(BIN)/python
	$(BIN)/python -m pip install -q -e '.[docs]'
	@touch $@

site: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

notebooks: $(VENV)/.installed-test
	$(BIN)/python examples/notebooks/build.py

bench: $(VENV)/.installed-torch
	$(BIN)/python -m pip install -q --no-deps moverscore pyemd
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf build .venv .venv-torch .mypy_cache .ruff_cache .pytest_cache
