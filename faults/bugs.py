"""Dibs with a defect: patches its code, then runs the normal program. The checker must find each of them.

The patches replace functions of this process only. ``dibs_forks.py`` of the test bed runs ``main``.
"""

import contextlib
import time
from collections.abc import Callable, Mapping
from typing import Any
from unittest.mock import patch

import psycopg

from dibs.cli.main import main as run_dibs
from dibs.database import store
from dibs.database.engines import mariadb, postgresql
from dibs.database.transaction import Transaction
from dibs.ledger.operations import claiming
from dibs.ledger.queries import claims

SPLIT_SECONDS = 0.02
"""The time between the two halves, in which a process may be killed."""


def remove_capacity_check() -> None:
    """Grant claims that do not fit."""

    def accept(*_: object) -> None:
        pass

    patch.object(claiming, "check_amounts", accept).start()


def split_transaction() -> None:
    """Commit the claims of a consumer before the used amounts of the inventories."""
    add_to_used = claims.add_to_used

    def add_later(tx: Transaction, changes: Mapping[Any, int]) -> None:
        connection = tx._cursor.connection
        connection.commit()
        time.sleep(SPLIT_SECONDS)
        if hasattr(connection, "in_transaction"):
            # SQLite: the store expects a transaction with a savepoint.
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("SAVEPOINT one")
        add_to_used(tx, changes)

    patch.object(claims, "add_to_used", add_later).start()


def swallow_commit_error() -> None:
    """Acknowledge writes whose COMMIT failed, on PostgreSQL."""
    commit = postgresql._Connection.commit

    def commit_or_not(connection: postgresql._Connection) -> None:
        with contextlib.suppress(psycopg.Error):
            commit(connection)

    patch.object(postgresql._Connection, "commit", commit_or_not).start()


def drop_retry() -> None:
    """Fail when the engine refuses a transaction, instead of running it again."""

    def never(*_: object) -> bool:
        return False

    patch.object(store, "refused", never).start()


def read_late_on_galera() -> None:
    """Let a Galera node wait for earlier commits before SELECT only, not before the UPDATE that begins a write."""
    patch.object(mariadb, "SYNC_WAIT", 1).start()


BUGS: dict[str, Callable[[], None]] = {
    "removed-capacity-check": remove_capacity_check,
    "split-transaction": split_transaction,
    "swallowed-commit-error": swallow_commit_error,
    "dropped-retry": drop_retry,
    "wsrep-sync-wait-1": read_late_on_galera,
}


def main(words: list[str]) -> int | None:
    """Run ``dibs`` with the defect that the first word names."""
    bug, *rest = words
    BUGS[bug]()
    return run_dibs(rest)
