# The commands of every day. Each one installs what it needs first. CONTRIBUTING.md says more.
#
#   make serve                    run Dibs on http://127.0.0.1:8780 with an SQLite file under var/
#   make demo                     run it with a fleet of fake machines, and show what it does
#   make check PACKAGE=leases     lint one package and run its own tests on SQLite, in less than a minute
#   make test [ENGINE=sqlite]     lint and test everything: what depends on the engine on SQLite, PostgreSQL and MariaDB
#   make test-all                 the same with every test on every engine, as before a release
#   make lint                     style, types and layers only
#   make docs                     build the documentation into build/docs, without network access
#   make bench [QUICK=1]          measure Dibs beside Placement and Ironic, in three minutes with QUICK=1
#                                 (CURVES=1: how cost grows with size; SECTIONS='placement leases': only these parts)
#   make soak [SECONDS=60]        attack a server for a minute, and fail when another client or the conductor suffers
#   make faults [SECONDS=60]      kill, freeze and cut off processes under load on each engine, and check every answer given
#                                 (ENGINE=galera, ENGINE=patroni: clusters of three servers)
#   make lock                     write locks/, the exact versions and hashes of all dependencies, after a change of them
#   make release VERSION=0.2.0    set the version, close the changelog, build and check wheel, sdist and SBOM, commit and tag
#   make clean                    remove what these commands created, except var/, which holds your data
#
# Options of the tests: ENGINE=sqlite,mariadb  WORKERS=6  PYTEST_FLAGS='-x -k lease'  FAULTS_FLAGS='--seed 7'

PYTHON ?= python3
ENGINE ?= sqlite,postgresql,mariadb
# More than two cores can run: many tests wait for a server to start or for a conductor to be missed.
WORKERS ?= 6
PYTEST_FLAGS ?=
PACKAGE ?=
VERSION ?=
SECONDS ?= 60
QUICK ?=
CURVES ?=
SECTIONS ?=
# Without ENGINE on the command line, each part of the bench uses its own engines.
BENCH_ENGINE := $(if $(filter command line,$(origin ENGINE)),--engine $(ENGINE))
FAULTS_FLAGS ?=

VENV := .venv
BIN := $(VENV)/bin
# Python compiles each module when it is first imported. To compile all of them would take a third of the installation.
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt

# When pip last installed for each purpose. pip runs again when pyproject.toml or constraints.txt changes.
INSTALLED := $(VENV)/.installed
INSTALLED_FOR_TESTS := $(VENV)/.installed-for-tests
INSTALLED_FOR_DOCS := $(VENV)/.installed-for-docs

.PHONY: help serve demo check test test-all lint docs bench soak faults lock release clean
.DELETE_ON_ERROR:

help:
	@sed -n 's/^#   //p' Makefile

$(BIN)/python:
	@echo "==> creating a virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(INSTALLED): pyproject.toml constraints.txt | $(BIN)/python
	@echo "==> installing Dibs and its dependencies (about a minute the first time)"
	@$(PIP_INSTALL) --editable '.[all]'
	@touch $@

$(INSTALLED_FOR_TESTS): pyproject.toml constraints.txt | $(BIN)/python
	@echo "==> installing test dependencies: checkers and the real clients (one to two minutes the first time)"
	@$(PIP_INSTALL) --editable '.[test]'
	@touch $(INSTALLED) $(INSTALLED_FOR_DOCS) $@

$(INSTALLED_FOR_DOCS): pyproject.toml constraints.txt | $(BIN)/python
	@echo "==> installing the documentation builder (about a minute the first time)"
	@$(PIP_INSTALL) --editable '.[docs]'
	@touch $(INSTALLED) $@

serve: $(INSTALLED)
	@mkdir -p var
	@$(BIN)/dibs serve

demo: $(INSTALLED)
	@$(BIN)/python tools/demo.py

lint: $(INSTALLED_FOR_TESTS)
	@tools/check.sh

check: $(INSTALLED_FOR_TESTS)
	@test -n '$(PACKAGE)' || { echo 'Name a package: make check PACKAGE=leases' >&2; exit 2; }
	@tools/check.sh --package '$(PACKAGE)' --numprocesses $(WORKERS) --engine sqlite $(PYTEST_FLAGS)

test: $(INSTALLED_FOR_TESTS)
	@tools/debian_packages.sh $(ENGINE)
	@tools/check.sh --numprocesses $(WORKERS) --engine $(ENGINE) $(PYTEST_FLAGS)

test-all: $(INSTALLED_FOR_TESTS)
	@tools/debian_packages.sh $(ENGINE),galera,patroni,rabbitmq
	@tools/check.sh --numprocesses $(WORKERS) --engine $(ENGINE) --every-engine $(PYTEST_FLAGS)

docs: $(INSTALLED_FOR_DOCS)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --site-dir build/docs
	@echo "The documentation is in build/docs/index.html"

bench: $(INSTALLED_FOR_TESTS)
	@tools/debian_packages.sh $(ENGINE)
	@$(BIN)/python -m bench $(SECTIONS) $(if $(QUICK),--quick) $(if $(CURVES),--curves) $(BENCH_ENGINE)

soak: $(INSTALLED_FOR_TESTS)
	@$(BIN)/python -m bench.soak --seconds $(SECONDS)

faults: $(INSTALLED_FOR_TESTS)
	@tools/debian_packages.sh $(ENGINE)
	@$(BIN)/python -m faults --engine $(ENGINE) --seconds $(SECONDS) $(FAULTS_FLAGS)

lock: $(INSTALLED_FOR_TESTS)
	@$(BIN)/python tools/lock.py

release: $(INSTALLED_FOR_TESTS)
	@test -n '$(VERSION)' || { echo 'Name the version: make release VERSION=0.2.0' >&2; exit 2; }
	@$(BIN)/python tools/release.py '$(VERSION)'

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find src tests tools bench faults -name __pycache__ -prune -exec rm -rf {} +
	rm -rf src/*.egg-info
