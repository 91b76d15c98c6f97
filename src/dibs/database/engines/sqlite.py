"""SQLite: the embedded default. One file, WAL, one writer at a time."""

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
    """Answers for SQLite."""

    name = "sqlite"

    def __init__(self, url: URL) -> None:
        if not url.database or url.database == ":memory:":
            raise BadValue(reason="SQLite needs a file: sqlite:///relative/path or sqlite:////absolute/path.")
        self.url = url
        self.dialect: Dialect = SQLiteDialect_pysqlite(paramstyle="named")
        self.path = Path(url.database)

    def exists(self) -> bool:
        """SQLite makes a missing file when it connects."""
        return self.path.exists()

    def connect(self, *, writing: bool) -> sqlite3.Connection:
        """A connection that begins and ends transactions only when told to."""
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
        """Another process held the write lock for longer than the busy time-out."""
        return isinstance(error, sqlite3.OperationalError) and _code(error) in (
            sqlite3.SQLITE_BUSY,
            sqlite3.SQLITE_LOCKED,
        )

    def away(self, error: Exception) -> bool:
        """The file cannot be opened, read or written."""
        return isinstance(error, sqlite3.OperationalError) and _code(error) in (
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_IOERR,
            sqlite3.SQLITE_FULL,
            sqlite3.SQLITE_READONLY,
        )

    def duplicate(self, error: Exception) -> str | None:
        """SQLite names columns, from which the naming convention gives the constraint."""
        if not isinstance(error, sqlite3.IntegrityError) or not (match := _UNIQUE.search(str(error))):
            return None
        columns = [column.split(".") for column in match["columns"].split(", ")]
        return "_".join(["uq", columns[0][0], *(column for _, column in columns)])

    def lock_schema(self, connection: sqlite3.Connection) -> None:
        """There is one writer, so taking the write lock is enough; DDL is part of the transaction."""
        connection.execute("BEGIN IMMEDIATE")

    def problems(self, connection: sqlite3.Connection) -> list[str]:
        """Everything that matters is set by ``connect``."""
        return []


def _code(error: sqlite3.OperationalError) -> int:
    return error.sqlite_errorcode & 0xFF
