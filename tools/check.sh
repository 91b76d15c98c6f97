#!/bin/sh
# Style, types and layers; and the tests, when arguments for pytest are given.
# Every check runs even when one before it fails, so that one look shows all there is to mend.
set -u
cd "$(dirname "$0")/.." || exit 1
summary=$(mktemp)
trap 'rm -f "$summary"' EXIT
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

check "style (ruff check)" .venv/bin/ruff check --quiet
check "format (ruff format)" .venv/bin/ruff format --check --quiet
check "types (mypy --strict)" .venv/bin/mypy --strict
check "layers (import-linter)" .venv/bin/lint-imports --no-logo
[ $# -eq 0 ] || check "tests (pytest)" .venv/bin/pytest --durations=10 "$@"

echo
cat "$summary"
! grep -q '^FAILED' "$summary"
