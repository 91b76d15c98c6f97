"""SQLite, the embedded default: one file, WAL mode, one writer at a time."""

import re
import sqlite3
from pathlib import Path

from sqlalchemy import URL
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine import Dialect

from dibs.errors import BadValue

BUSY_TIMEOUT_MILLISECONDS = 5_000
_UNIQUE = re.compile(r"UNIQUE constraint failed: (?P<columns>.+)")


class SQLite:
    """SQLite."""

    name = "sqlite"

    def __init__(self, url: URL) -> None:
        if not url.database or url.database == ":memory:":
            raise BadValue(reason="SQLite needs a file: sqlite:///relative/path or sqlite:////absolute/path.")
        self.url = url
        self.dialect: Dialect = SQLiteDialect_pysqlite(paramstyle="named")
        self.path = Path(url.database)

    def exists(self) -> bool:
        """Return False without a file: SQLite would create it when it connects."""
        return self.path.exists()

    def connect(self, *, writing: bool) -> sqlite3.Connection:
        """Return a connection without implicit transactions."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        for pragma in (
            f"busy_timeout = {BUSY_TIMEOUT_MILLISECONDS}",
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            f"query_only = {'OFF' if writing else 'ON'}",
        ):
            connection.execute(f"PRAGMA {pragma}")
        return connection

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
        """Return True when the file cannot be opened, read or written."""
        return isinstance(error, sqlite3.OperationalError) and _code(error) in (
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_IOERR,
            sqlite3.SQLITE_FULL,
            sqlite3.SQLITE_READONLY,
        )

    def duplicate(self, error: Exception) -> str | None:
        """Return the constraint of the columns that SQLite names, by the naming convention."""
        if not isinstance(error, sqlite3.IntegrityError) or not (match := _UNIQUE.search(str(error))):
            return None
        columns = [column.split(".") for column in match["columns"].split(", ")]
        return "_".join(["uq", columns[0][0], *(column for _, column in columns)])

    def lock_schema(self, connection: sqlite3.Connection) -> None:
        """Take the write lock; DDL is part of the transaction."""
        connection.execute("BEGIN IMMEDIATE")

    def problems(self, connection: sqlite3.Connection) -> list[str]:
        """Return nothing: ``connect`` sets everything that matters."""
        return []


def _code(error: sqlite3.OperationalError) -> int:
    return error.sqlite_errorcode & 0xFF
