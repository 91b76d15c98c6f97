"""SQLite, the embedded default: one file, WAL mode, one writer at a time."""

import contextlib
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import URL, Connection, text
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine import Dialect

from dibs.errors import BadValue

BUSY_TIMEOUT_MILLISECONDS = 5_000
WRITER_STATEMENTS = 512
"""Statements that the connection which writes keeps prepared: those for several rows are others for each number."""
READER_STATEMENTS = 128

_UNIQUE = re.compile(r"UNIQUE constraint failed: (?P<columns>.+)")


class SQLite:
    """SQLite."""

    name = "sqlite"
    clock = text("SELECT CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)")
    reads_alone = True

    def __init__(self, url: URL) -> None:
        if not url.database or url.database == ":memory:":
            raise BadValue(reason="SQLite needs a file: sqlite:///relative/path or sqlite:////absolute/path.")
        self.url = url
        # By position: SQLite looks each name up in a list of all, which takes ten times as long for many rows.
        self.dialect: Dialect = SQLiteDialect_pysqlite(paramstyle="qmark")
        self.path = Path(url.database)

    def exists(self) -> bool:
        """Return False without a file: SQLite would create it when it connects."""
        return self.path.exists()

    def connect(self, *, writing: bool, upgrading: bool = False) -> sqlite3.Connection:
        """Return a connection without implicit transactions. Only the owner can read a file that this creates."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._create()
        self._make_log_writable()
        connection = sqlite3.connect(
            self.path,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=WRITER_STATEMENTS if writing else READER_STATEMENTS,
        )
        for pragma in (
            f"busy_timeout = {BUSY_TIMEOUT_MILLISECONDS}",
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            # The pages that a savepoint may have to restore: after 16 of them SQLite would write them to a new file.
            "temp_store = MEMORY",
        ):
            connection.execute(f"PRAGMA {pragma}")
        self.switch(connection, writing=writing)
        return connection

    def begin(self, cursor: sqlite3.Cursor, *, alone: bool) -> None:
        """Do nothing: connections keep their settings."""

    def switch(self, connection: sqlite3.Connection, *, writing: bool) -> None:
        """Permit or refuse changes."""
        connection.execute(f"PRAGMA query_only = {'OFF' if writing else 'ON'}")

    def _create(self) -> None:
        """Create an empty file if there is none; SQLite gives its mode to the -wal and -shm files.

        An existing file must not be opened here: closing it would drop the locks of this process's connections.
        """
        with contextlib.suppress(OSError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL, 0o600))

    def _make_log_writable(self) -> None:
        """Give -wal and -shm the mode of the database: those that were made for a read-only file stay read-only."""
        for ending in ("-wal", "-shm"):
            beside = self.path.with_name(f"{self.path.name}{ending}")
            if beside.exists() and can_write(self.path) and not can_write(beside):
                with contextlib.suppress(OSError):
                    beside.chmod(self.path.stat().st_mode & 0o777)

    def refused(self, error: Exception) -> bool:
        """Return True when another process held the write lock for longer than the busy timeout."""
        return isinstance(error, sqlite3.OperationalError) and _code(error) in (
            sqlite3.SQLITE_BUSY,
            sqlite3.SQLITE_LOCKED,
        )

    def timed_out(self, error: Exception) -> bool:
        """Return False: SQLite does not limit the time of a statement."""
        return False

    def unavailable(self, error: Exception) -> bool:
        """Return True when the file cannot be opened, read or written, or its folder cannot be created."""
        return isinstance(error, OSError) or (
            isinstance(error, sqlite3.OperationalError)
            and _code(error)
            in (
                sqlite3.SQLITE_CANTOPEN,
                sqlite3.SQLITE_IOERR,
                sqlite3.SQLITE_FULL,
                sqlite3.SQLITE_READONLY,
            )
        )

    def full(self, error: Exception) -> bool:
        """Return True for a full disk, which every write notices: it grows the -wal file."""
        return isinstance(error, sqlite3.OperationalError) and _code(error) == sqlite3.SQLITE_FULL

    def duplicate(self, error: Exception) -> str | None:
        """Return the constraint of the columns that SQLite names, by the naming convention."""
        if not isinstance(error, sqlite3.IntegrityError) or not (match := _UNIQUE.search(str(error))):
            return None
        columns = [column.split(".") for column in match["columns"].split(", ")]
        return "_".join(["uq", columns[0][0], *(column for _, column in columns)])

    @contextlib.contextmanager
    def upgrade(self, connection: Connection) -> Iterator[None]:
        """Take the write lock; DDL is part of the transaction."""
        with connection.begin():
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield

    def problems(self, connection: sqlite3.Connection) -> list[str]:
        """Return nothing: ``connect`` sets everything that matters."""
        return []


def can_write(path: str | Path) -> bool:
    """Return True when this process may write the file."""
    return os.access(path, os.W_OK, effective_ids=True)


def _code(error: sqlite3.OperationalError) -> int:
    return error.sqlite_errorcode & 0xFF
