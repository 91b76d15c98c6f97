"""How to talk to a throw-away database server as its administrator; all that a test process needs to know of it."""

from dataclasses import dataclass
from typing import Any

import psycopg
import pymysql

UNKNOWN_THREAD = 1094


@dataclass(frozen=True)
class PostgresqlAddress:
    """A PostgreSQL server."""

    port: int

    def url(self, database: str) -> str:
        return f"postgresql://dibs@127.0.0.1:{self.port}/{database}"

    def check(self) -> bool:
        try:
            self.execute("SELECT 1")
        except psycopg.OperationalError as error:
            raise ConnectionError(str(error)) from error
        return True

    def execute(self, *statements: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True, connect_timeout=3) as connection:
            for statement in statements:
                connection.execute(statement.encode())


@dataclass(frozen=True)
class MariadbAddress:
    """A MariaDB server."""

    port: int

    def url(self, database: str) -> str:
        return f"mariadb://dibs@127.0.0.1:{self.port}/{database}"

    def check(self) -> bool:
        try:
            # The system takes connections for a frozen server; without a limit we would wait for its greeting for ever.
            self._connect(read_timeout=3).close()
        except pymysql.err.OperationalError as error:
            raise ConnectionError(str(error)) from error
        return True

    def execute(self, *statements: str) -> None:
        with self._connect() as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Give the rows of one query."""
        with self._connect() as connection, connection.cursor() as cursor:
            cursor.execute(query)
            return list(cursor.fetchall())

    def cut_connections(self, database: str) -> None:
        """End every connection to a database; one that a killed process left behind may still hold locks."""
        for (connection,) in self.rows(f"SELECT id FROM information_schema.processlist WHERE db = '{database}'"):
            try:
                self.execute(f"KILL {connection}")
            except pymysql.err.MySQLError as error:
                if error.args[0] != UNKNOWN_THREAD:
                    raise

    def _connect(self, read_timeout: int = 60) -> "pymysql.Connection[pymysql.cursors.Cursor]":
        return pymysql.connect(
            host="127.0.0.1", port=self.port, user="dibs", autocommit=True, connect_timeout=3, read_timeout=read_timeout
        )
