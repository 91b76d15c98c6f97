#!/bin/sh
# Check style, types and layers, and run tests when arguments for pytest are given.
#
#   check.sh                        lint everything
#   check.sh PYTEST-ARGUMENT...     lint everything, and run pytest with these arguments
#   check.sh --package leases ...   lint src/dibs/leases and its tests, and run those tests
#
# Every check runs even when another one failed, so that one run shows every problem. The lint commands run beside the
# tests, and their output follows that of the tests. The end of the output says how long each check took.
# .pre-commit-config.yaml runs the same four lint commands; a test compares them.
set -u
# Tests start hundreds of Python processes. Without compiled files, each would compile Dibs again.
unset PYTHONDONTWRITEBYTECODE
cd "$(dirname "$0")/.." || exit 1
summary=$(mktemp)
problems=$(mktemp)
trap 'rm -f "$summary" "$problems"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

check() {
    name=$1
    shift
    echo "==> $name"
    started=$(date +%s)
    outcome=ok
    "$@" || outcome=FAILED
    printf '%-8s%-28s%5d s\n' "$outcome" "$name" $(($(date +%s) - started)) >>"$summary"
}

# Print the source and the tests of a package, as far as they exist: a folder, or one module.
paths_of() {
    folder=$(dirname "$1")
    for path in "src/dibs/$1" "src/dibs/$1.py" "tests/$1" "tests/$folder/test_$(basename "$1").py"; do
        [ ! -e "$path" ] || echo "$path"
    done
}

lint_all() {
    check "style (ruff check)" .venv/bin/ruff check --quiet
    check "format (ruff format)" .venv/bin/ruff format --check --quiet
    check "types (mypy --strict)" .venv/bin/mypy --strict
    check "layers (import-linter)" .venv/bin/lint-imports --no-logo
}

lint_package() {
    # shellcheck disable=SC2086
    check "style (ruff check)" .venv/bin/ruff check --quiet $1
    # shellcheck disable=SC2086
    check "format (ruff format)" .venv/bin/ruff format --check --quiet $1
    # shellcheck disable=SC2086
    check "types (mypy --strict)" .venv/bin/mypy --strict $2
    check "layers (import-linter)" .venv/bin/lint-imports --no-logo
}

if [ "${1-}" = --package ]; then
    paths=$(paths_of "$2")
    sources=$(echo "$paths" | grep '^src/')
    tests=$(echo "$paths" | grep '^tests/')
    if [ -z "$sources" ]; then
        echo "There is no package or module src/dibs/$2. Name one as in PACKAGE=leases or PACKAGE=dialects/placement." >&2
        exit 2
    fi
    shift 2
    lint_package "$paths" "$sources" >"$problems" 2>&1 &
    # shellcheck disable=SC2086
    [ -z "$tests" ] || check "tests (pytest)" .venv/bin/pytest "$@" $tests
elif [ $# -eq 0 ]; then
    lint_all
else
    lint_all >"$problems" 2>&1 &
    check "tests (pytest)" .venv/bin/pytest --durations=10 "$@"
fi

wait
echo
cat "$problems" "$summary"
! grep -q '^FAILED' "$summary"
