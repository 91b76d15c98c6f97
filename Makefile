# Dibs: the commands of every day. Each one sets up what it needs first.
#
#   make serve                    run Dibs on http://127.0.0.1:8780 with an SQLite file under var/
#   make demo                     run it with a fleet of fake machines, and show what it does
#   make test [ENGINE=sqlite]     every check and every test, on SQLite, PostgreSQL and MariaDB or only some of them
#   make lint                     the checks alone: style, types, layers
#   make docs                     build the documentation into build/docs, with no network
#   make bench [ENGINE=sqlite]    measure, on each engine or only some of them
#   make clean                    remove what these commands made, but not var/, which holds your data

PYTHON ?= python3
ENGINE ?= sqlite,postgresql,mariadb
WORKERS ?= 2
PYTEST_FLAGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# What pip installed, for running and for testing: installed again when what we ask for changes.
INSTALLED := $(VENV)/.installed
INSTALLED_FOR_TESTS := $(VENV)/.installed-for-tests
INSTALLED_FOR_DOCS := $(VENV)/.installed-for-docs

.PHONY: help serve demo test lint docs bench clean
.DELETE_ON_ERROR:

help:
	@sed -n 's/^#   //p' Makefile

$(BIN)/python:
	@echo "==> making a virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(INSTALLED): pyproject.toml constraints.txt | $(BIN)/python
	@echo "==> installing what Dibs runs on (a minute or so the first time)"
	@$(PIP_INSTALL) --editable '.[all]'
	@touch $@

$(INSTALLED_FOR_TESTS): pyproject.toml constraints.txt | $(BIN)/python
	@echo "==> installing what the tests need: checkers and the real clients (a minute or two the first time)"
	@$(PIP_INSTALL) --editable '.[test]'
	@touch $(INSTALLED) $(INSTALLED_FOR_DOCS) $@

$(INSTALLED_FOR_DOCS): pyproject.toml constraints.txt | $(BIN)/python
	@echo "==> installing what builds the documentation (a minute or so the first time)"
	@$(PIP_INSTALL) --editable '.[docs]'
	@touch $(INSTALLED) $@

serve: $(INSTALLED)
	@mkdir -p var
	@$(BIN)/dibs serve

demo: $(INSTALLED)
	@$(BIN)/python tools/demo.py

lint: $(INSTALLED_FOR_TESTS)
	@tools/check.sh

test: $(INSTALLED_FOR_TESTS)
	@tools/database_servers.sh $(ENGINE)
	@tools/check.sh --numprocesses $(WORKERS) --engine $(ENGINE) $(PYTEST_FLAGS)

docs: $(INSTALLED_FOR_DOCS)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --site-dir build/docs
	@echo "The documentation is in build/docs/index.html"

bench: $(INSTALLED_FOR_TESTS)
	@tools/database_servers.sh $(ENGINE)
	@$(BIN)/python -m bench --engine $(ENGINE)

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find src tests tools bench -name __pycache__ -prune -exec rm -rf {} +
	rm -rf src/*.egg-info
