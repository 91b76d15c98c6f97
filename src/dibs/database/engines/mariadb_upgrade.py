"""Upgrades of MariaDB: one process at a time, and a killed one can be repeated.

MariaDB commits each change of the schema at once, so a killed upgrade leaves some of a migration's statements done. A
row records how many are: the next upgrade runs the migration again and skips these. The same row is the lock. A named
lock (GET_LOCK) would be simpler, but another node of a Galera cluster does not see it.
"""

import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pymysql
from sqlalchemy import Connection, event

ALIVE_SECONDS = 20
"""How long the lock of a killed upgrade remains."""
RENEWAL_SECONDS = 4
WAIT_SECONDS = 600
"""How long an upgrade waits for another one."""
POLL_SECONDS = 0.2

_CREATE = (
    "CREATE TABLE IF NOT EXISTS dibs_upgrade (id SMALLINT PRIMARY KEY, owner VARCHAR(36), alive_until BIGINT NOT NULL, "
    "step INTEGER NOT NULL, begun SMALLINT NOT NULL) ENGINE=InnoDB"
)
_INSERT = "INSERT IGNORE INTO dibs_upgrade VALUES (1, NULL, 0, 0, 0)"
_TAKE = (
    "UPDATE dibs_upgrade SET owner = %s, alive_until = UNIX_TIMESTAMP() + %s "
    "WHERE id = 1 AND (owner IS NULL OR alive_until < UNIX_TIMESTAMP())"
)
_RENEW = "UPDATE dibs_upgrade SET alive_until = UNIX_TIMESTAMP() + %s WHERE id = 1 AND owner = %s"
_RELEASE = "UPDATE dibs_upgrade SET owner = NULL, alive_until = 0 WHERE id = 1 AND owner = %s"
_PROGRESS = "SELECT step, begun FROM dibs_upgrade WHERE id = 1"
_RECORD = "UPDATE dibs_upgrade SET step = %s, begun = %s WHERE id = 1 AND owner = %s"

_DONE_BEFORE = {
    1050,  # CREATE or RENAME: the table exists
    1051,  # DROP: unknown table
    1054,  # RENAME COLUMN: unknown column
    1060,  # ADD COLUMN: the column exists
    1061,  # CREATE INDEX: the index exists
    1091,  # DROP: the column or index does not exist
    1146,  # ALTER or RENAME: the table does not exist
}
"""What a change of the schema fails with when it was made before."""
_DEADLOCK = 1213

_SCHEMA_CHANGES = ("CREATE", "ALTER", "DROP", "RENAME")
_READS = ("SELECT", "SHOW", "DESC")
_VERSIONS = "alembic_version"

logger = logging.getLogger(__name__)


class UpgradeFailed(Exception):
    """The database cannot be upgraded now; the message says why."""


@contextmanager
def repeatable_upgrade(connection: Connection, connect: Callable[[], Any]) -> Iterator[None]:
    """Hold the lock, and record every statement on the connection. ``connect`` opens another one, for renewals."""
    driver = connection.connection.dbapi_connection
    owner = str(uuid.uuid4())
    _take_lock(driver, owner)
    renewal = _Renewal(connect, owner)
    renewal.start()
    steps = _Steps(driver, owner)
    event.listen(connection, "before_cursor_execute", steps.before, retval=True)
    event.listen(connection, "after_cursor_execute", steps.after)
    try:
        with connection.begin():
            yield
    except Exception:
        steps.record_failure()
        raise
    finally:
        renewal.stop()
    _run(driver, _RELEASE, owner)


class _Steps:
    """Counts the statements of the running migration, and skips those that an earlier upgrade has run."""

    def __init__(self, driver: Any, owner: str) -> None:
        self._driver = driver
        self._owner = owner
        self._step = 0
        ((step, begun),) = _rows(driver, _PROGRESS)
        self._done = step - begun
        self._doubtful = step if begun else None
        """The step that was running when an earlier upgrade was killed: it may have been made."""

    def before(
        self, connection: Connection, cursor: Any, statement: str, parameters: Any, context: Any, many: bool
    ) -> tuple[str, Any]:
        """Return the statement to run, which is one without effect in place of one that is done."""
        if _is_read(statement) or _VERSIONS in statement:
            return statement, parameters
        self._step += 1
        if self._step > self._done and not self._was_done(cursor, statement, parameters):
            return statement, parameters
        return "DO 0", ()

    def after(
        self, connection: Connection, cursor: Any, statement: str, parameters: Any, context: Any, many: bool
    ) -> None:
        """Record that a statement has run. A change of rows and its record are committed together."""
        if _is_read(statement):
            return
        if _VERSIONS in statement:
            # The migration is complete; that its version is recorded and that its steps end is one commit.
            self._step = self._done = 0
            self._doubtful = None
        elif self._step <= self._done:
            return
        self._record(begun=False)

    def record_failure(self) -> None:
        """Record that the running statement was refused, so that the next upgrade does not take it for done."""
        try:
            self._driver.rollback()
            self._step -= self._step > self._done
            self._record(begun=False)
            _run(self._driver, _RELEASE, self._owner)
        except (pymysql.MySQLError, UpgradeFailed):
            logger.debug("the state of the upgrade is recorded by the next one")

    def _was_done(self, cursor: Any, statement: str, parameters: Any) -> bool:
        """Record that a step begins; return True when an earlier upgrade, which was killed, had made it."""
        if not statement.lstrip().upper().startswith(_SCHEMA_CHANGES):
            return False
        self._record(begun=True)
        if self._step != self._doubtful:
            return False
        try:
            cursor.execute(statement, parameters)
        except pymysql.MySQLError as error:
            if error.args[0] not in _DONE_BEFORE:
                raise
        return True

    def _record(self, *, begun: bool) -> None:
        if _run(self._driver, _RECORD, self._step, int(begun), self._owner) != 1:
            raise UpgradeFailed("Another process upgrades this database: this one was stopped for too long.")
        if not begun:
            self._done = self._step


class _Renewal:
    """Keeps the lock while a statement runs, which may take hours, with a connection of its own."""

    def __init__(self, connect: Callable[[], Any], owner: str) -> None:
        self._connect = connect
        self._owner = owner
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._renew_until_stopped, name="dibs-upgrade-lock", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def _renew_until_stopped(self) -> None:
        while not self._stopping.wait(RENEWAL_SECONDS):
            try:
                with self._connect() as driver:
                    _run(driver, _RENEW, ALIVE_SECONDS, self._owner)
            except pymysql.MySQLError as error:
                logger.warning("cannot renew the lock of the upgrade: %s", error)


def _take_lock(driver: Any, owner: str) -> None:
    _run(driver, _CREATE)
    deadline = time.monotonic() + WAIT_SECONDS
    while not _take(driver, owner):
        if time.monotonic() > deadline:
            raise UpgradeFailed(f"Another process has been upgrading this database for {WAIT_SECONDS} seconds.")
        time.sleep(POLL_SECONDS)


def _take(driver: Any, owner: str) -> bool:
    try:
        _run(driver, _INSERT)
        return _run(driver, _TAKE, owner, ALIVE_SECONDS) == 1
    except pymysql.MySQLError as error:
        if error.args[0] != _DEADLOCK:
            raise
        # Of two Galera nodes that take the lock at once, one is refused at COMMIT.
        return False


def _run(driver: Any, statement: str, *values: Any) -> int:
    """Run and commit a statement; return the number of rows."""
    try:
        with driver.cursor() as cursor:
            cursor.execute(statement, values)
            count = int(cursor.rowcount)
        driver.commit()
    except pymysql.MySQLError:
        driver.rollback()
        raise
    return count


def _rows(driver: Any, query: str) -> list[Any]:
    with driver.cursor() as cursor:
        cursor.execute(query)
        return list(cursor.fetchall())


def _is_read(statement: str) -> bool:
    return statement.lstrip().upper().startswith(_READS)
