"""Administer a throw-away database server through its port: test processes know nothing else about it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
import pymysql
from pymysql.constants import CLIENT

UNKNOWN_THREAD = 1094


@dataclass(frozen=True)
class PostgresqlAddress:
    """A PostgreSQL server."""

    port: int

    table_names = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"

    def url(self, database: str) -> str:
        return f"postgresql://dibs@127.0.0.1:{self.port}/{database}"

    def check(self) -> bool:
        try:
            self.execute("SELECT 1")
        except psycopg.OperationalError as error:
            raise ConnectionError(str(error)) from error
        return True

    def execute(self, *statements: str) -> None:
        with self.connect("postgres") as connection:
            for statement in statements:
                connection.execute(statement)

    def connect(self, database: str) -> Any:
        """Open a connection in autocommit mode."""
        return psycopg.connect(self.url(database), autocommit=True, connect_timeout=3)

    def is_open(self, connection: Any) -> bool:
        """Return False when a test closed the connection at the server."""
        try:
            connection.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def drop(self, database: str) -> None:
        self.execute(f"DROP DATABASE {database} WITH (FORCE)")

    def session_of(self, connection: Any) -> int:
        """Return the number that the server gave to a connection."""
        return int(connection.info.backend_pid)

    def cut_other_connections(self, cursor: Any, spared: Collection[int]) -> set[int]:
        """Close every other connection to this database, and return the spared ones that are open.

        The connection of a killed process may still hold locks.
        """
        cursor.execute(
            "SELECT pid, CASE WHEN pid <> ALL(%s) THEN pg_terminate_backend(pid) END FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()",
            [list(spared)],
        )
        return {pid for pid, _ in cursor.fetchall()}.intersection(spared)

    def empty(self, cursor: Any, tables: Sequence[str]) -> None:
        """Delete every row of these tables. DELETE, because TRUNCATE recreates each table, which takes 100 ms."""
        deletes = [f"DELETE FROM {table}" for table in tables]
        # A session in this role does not check foreign keys.
        role = "session_replication_role"
        cursor.execute("; ".join([f"SET {role} = replica", *deletes, f"RESET {role}"]))


@dataclass(frozen=True)
class MariadbAddress:
    """A MariaDB server."""

    port: int

    table_names = "SHOW TABLES"

    def url(self, database: str) -> str:
        return f"mariadb://dibs@127.0.0.1:{self.port}/{database}"

    def check(self) -> bool:
        try:
            # The kernel accepts connections for a frozen server; without a limit this would wait forever.
            self.connect(None, read_timeout=3).close()
        except pymysql.err.OperationalError as error:
            raise ConnectionError(str(error)) from error
        return True

    def execute(self, *statements: str) -> None:
        with self.connect(None) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def connect(self, database: str | None, read_timeout: int = 60) -> Any:
        """Open a connection in autocommit mode."""
        return pymysql.connect(
            host="127.0.0.1",
            port=self.port,
            user="dibs",
            database=database,
            autocommit=True,
            connect_timeout=3,
            read_timeout=read_timeout,
            client_flag=CLIENT.MULTI_STATEMENTS,
            ssl_disabled=True,
        )

    def is_open(self, connection: Any) -> bool:
        """Return False when a test closed the connection at the server."""
        try:
            connection.ping(reconnect=False)
        except pymysql.err.MySQLError:
            return False
        return True

    def drop(self, database: str) -> None:
        self.execute(f"DROP DATABASE {database}")

    def session_of(self, connection: Any) -> int:
        """Return the number that the server gave to a connection."""
        return int(connection.thread_id())

    def cut_other_connections(self, cursor: Any, spared: Collection[int]) -> set[int]:
        """Close every other connection to this database, and return the spared ones that are open.

        The connection of a killed process may still hold locks.
        """
        cursor.execute("SELECT id FROM information_schema.processlist WHERE db = database() AND id <> connection_id()")
        found = {session for (session,) in cursor.fetchall()}
        for connection in found.difference(spared):
            try:
                cursor.execute(f"KILL {connection}")
            except pymysql.err.MySQLError as error:
                if error.args[0] != UNKNOWN_THREAD:
                    raise
        return found.intersection(spared)

    def empty(self, cursor: Any, tables: Sequence[str]) -> None:
        """Delete every row of these tables. DELETE, because TRUNCATE recreates each table, which is slow."""
        deletes = [f"DELETE FROM {table}" for table in tables]
        cursor.execute("; ".join(["SET foreign_key_checks = 0", "BEGIN", *deletes, "COMMIT"]))
        while cursor.nextset():
            pass
