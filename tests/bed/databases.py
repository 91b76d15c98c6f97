"""Fresh databases at low cost: each test process creates the schema once per engine, then copies or empties it."""

import itertools
import os
import shutil
from pathlib import Path
from typing import Any, Protocol

from dibs.database import Store, open_store
from dibs.database.engines.pool import PooledConnection
from dibs.database.migrate import upgrade
from dibs.database.store import PooledStore
from tests.bed.addresses import MariadbAddress, PostgresqlAddress

Row = tuple[Any, ...]

KEPT = "structure_versions"
"""A table whose rows stay as a test left them: any versions are as good as those of the migration."""

CONNECTIONS_KEPT = 4
"""How many connections of a store stay open for the next test."""

_numbers = itertools.count(1)


def unused_name() -> str:
    """Return a database name that no other test process of this run uses."""
    return f"dibs_{os.getpid()}_{next(_numbers)}"


class Databases(Protocol):
    """The source of databases of one engine."""

    def blank(self) -> str:
        """Return the URL of a database without tables."""

    def fresh(self) -> str:
        """Return the URL of a database with the newest schema and only the rows that migrations insert."""

    def discard(self, url: str) -> None:
        """Drop or recycle a database that its test no longer uses."""

    def open_store(self, url: str) -> Store:
        """Return a new store of a database."""

    def close_store(self, url: str, store: Store) -> None:
        """Close a store that its test no longer uses."""


class SqliteDatabases:
    """SQLite: a fresh database is a copy of a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.template: Path | None = None

    def blank(self) -> str:
        return f"sqlite:///{self.folder / unused_name()}.sqlite"

    def fresh(self) -> str:
        if self.template is None:
            url = self.blank()
            upgrade(url)
            self.template = Path(url.removeprefix("sqlite:///"))
        url = self.blank()
        shutil.copy(self.template, url.removeprefix("sqlite:///"))
        return url

    def discard(self, url: str) -> None:
        for ending in ("", "-wal", "-shm"):
            Path(url.removeprefix("sqlite:///") + ending).unlink(missing_ok=True)

    def open_store(self, url: str) -> Store:
        return open_store(url)

    def close_store(self, url: str, store: Store) -> None:
        store.close()


class ServerDatabases:
    """PostgreSQL and MariaDB: creating a schema is slow, so a used database is emptied and used again.

    So are some connections of its store: for each new one, PostgreSQL starts a process and reads the catalog again.
    """

    def __init__(self, server: PostgresqlAddress | MariadbAddress) -> None:
        self.server = server
        self.tables: list[str] = []
        self.seeds: dict[str, list[Row]] = {}
        self.with_schema: set[str] = set()
        self.emptied: list[str] = []
        self.connections: dict[str, Any] = {}
        self.kept: dict[str, list[PooledConnection]] = {}

    def blank(self) -> str:
        name = unused_name()
        self.server.execute(f"CREATE DATABASE {name}")
        return self.server.url(name)

    def fresh(self) -> str:
        if self.emptied:
            return self.emptied.pop()
        url = self.blank()
        upgrade(url)
        self.with_schema.add(url)
        if not self.tables:
            self._remember(url)
        return url

    def discard(self, url: str) -> None:
        if url in self.with_schema and self._emptied(url):
            self.emptied.append(url)
        else:
            if connection := self.connections.pop(url, None):
                connection.close()
            for kept in self.kept.pop(url, ()):
                kept.driver.close()
            self.server.drop(url.rpartition("/")[2])

    def open_store(self, url: str) -> Store:
        store = open_store(url)
        assert isinstance(store, PooledStore)
        store._pool._idle = self.kept.pop(url, [])
        return store

    def close_store(self, url: str, store: Store) -> None:
        assert isinstance(store, PooledStore)
        pool = store._pool
        with pool._lock:
            self.kept[url], pool._idle = pool._idle[-CONNECTIONS_KEPT:], pool._idle[:-CONNECTIONS_KEPT]
        for connection in self.kept[url]:
            connection.generation = 0
        store.close()

    def _remember(self, url: str) -> None:
        """Record the tables, and the rows that migrations insert."""
        with self._connection(url).cursor() as cursor:
            self.tables = [name for (name,) in _rows(cursor, self.server.table_names)]
            self.seeds = {name: _rows(cursor, f"SELECT * FROM {name}") for name in self._filled(cursor) if name != KEPT}

    def _emptied(self, url: str) -> bool:
        """Restore a database to the state of ``fresh``; return False when a test changed its tables."""
        with self._connection(url).cursor() as cursor:
            kept = {self.server.session_of(each.driver): each for each in self.kept.get(url, ())}
            alive = self.server.cut_other_connections(cursor, kept.keys())
            self.kept[url] = [connection for session, connection in kept.items() if session in alive]
            if [name for (name,) in _rows(cursor, self.server.table_names)] != self.tables:
                return False
            if used := [name for name in self._filled(cursor) if name not in {*self.seeds, KEPT}]:
                self.server.empty(cursor, used)
            for name, seeds in self.seeds.items():
                if _rows(cursor, f"SELECT * FROM {name}") != seeds:
                    self.server.empty(cursor, [name])
                    places = ", ".join(["%s"] * len(seeds[0]))
                    cursor.executemany(f"INSERT INTO {name} VALUES ({places})", seeds)
        return True

    def _connection(self, url: str) -> Any:
        """Return a connection that stays open: for a new one, PostgreSQL would read the definition of every table."""
        if url not in self.connections or not self.server.is_open(self.connections[url]):
            self.connections[url] = self.server.connect(url.rpartition("/")[2])
        return self.connections[url]

    def _filled(self, cursor: Any) -> list[str]:
        """Return the names of the tables that have rows."""
        selects = [f"SELECT '{name}' FROM (SELECT 1 FROM {name} LIMIT 1) AS found" for name in self.tables]
        return [name for (name,) in _rows(cursor, " UNION ALL ".join(selects))]


def _rows(cursor: Any, query: str) -> list[Row]:
    cursor.execute(query)
    return list(cursor.fetchall())
