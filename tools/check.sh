#!/bin/sh
# Style, types and layers. Every check runs even when one before it fails, so that one look shows all there is to mend.
set -u
cd "$(dirname "$0")/.." || exit 1
failed=""

check() {
    name=$1
    shift
    echo "==> $name"
    "$@" || failed="$failed $name;"
}

check "style (ruff check)" .venv/bin/ruff check --quiet
check "format (ruff format)" .venv/bin/ruff format --check --quiet
check "types (mypy --strict)" .venv/bin/mypy --strict
check "layers (import-linter)" .venv/bin/lint-imports --no-logo

if [ -n "$failed" ]; then
    echo "failed:$failed" >&2
    exit 1
fi
