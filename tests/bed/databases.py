"""Fresh databases, one after another, cheaply: the schema is made once per test process and engine, then copied."""

import itertools
import os
import shutil
from pathlib import Path
from typing import Protocol

from dibs.store.migrate import upgrade
from tests.bed.addresses import MariadbAddress, PostgresqlAddress

_numbers = itertools.count(1)


def unused_name() -> str:
    """Make a database name that no other test process of this run uses."""
    return f"dibs_{os.getpid()}_{next(_numbers)}"


class Databases(Protocol):
    """Where the databases of one engine come from."""

    def blank(self) -> str:
        """Give the URL of a database without any table."""

    def fresh(self) -> str:
        """Give the URL of a database with the newest schema and no rows but those that migrations made."""

    def discard(self, url: str) -> None:
        """Take a database back; nobody uses it any more."""


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


class PostgresqlDatabases:
    """PostgreSQL: a fresh database is made from a template."""

    def __init__(self, server: PostgresqlAddress) -> None:
        self.server = server
        self.template: str | None = None

    def blank(self) -> str:
        name = unused_name()
        self.server.execute(f"CREATE DATABASE {name}")
        return self.server.url(name)

    def fresh(self) -> str:
        if self.template is None:
            url = self.blank()
            upgrade(url)
            self.template = url.rpartition("/")[2]
        name = unused_name()
        self.server.execute(f"CREATE DATABASE {name} TEMPLATE {self.template}")
        return self.server.url(name)

    def discard(self, url: str) -> None:
        self.server.execute(f"DROP DATABASE {url.rpartition('/')[2]} WITH (FORCE)")


class MariadbDatabases:
    """MariaDB: making tables is slow there, so used databases are emptied and given out again."""

    def __init__(self, server: MariadbAddress) -> None:
        self.server = server
        self.template: str | None = None
        self.tables: list[str] = []
        self.seeded: list[str] = []
        self.emptied: list[str] = []
        self.reusable: set[str] = set()

    def blank(self) -> str:
        name = unused_name()
        self.server.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        return self.server.url(name)

    def fresh(self) -> str:
        if self.template is None:
            self._make_template()
        if self.emptied:
            return self.emptied.pop()
        url = self.blank()
        upgrade(url)
        self.reusable.add(url)
        return url

    def discard(self, url: str) -> None:
        name = url.rpartition("/")[2]
        self.server.cut_connections(name)
        if url not in self.reusable or self._tables_of(name) != self.tables:
            self.server.execute(f"DROP DATABASE {name}")
            return
        emptying = [f"DELETE FROM {name}.{table}" for table in self.tables]
        seeding = [f"INSERT INTO {name}.{table} SELECT * FROM {self.template}.{table}" for table in self.seeded]
        self.server.execute("SET foreign_key_checks = 0", *emptying, *seeding)
        self.emptied.append(url)

    def _make_template(self) -> None:
        url = self.blank()
        upgrade(url)
        self.template = url.rpartition("/")[2]
        self.tables = self._tables_of(self.template)
        self.seeded = [t for t in self.tables if self.server.rows(f"SELECT 1 FROM {self.template}.{t} LIMIT 1")]

    def _tables_of(self, name: str) -> list[str]:
        query = f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{name}' ORDER BY table_name"
        return [table for (table,) in self.server.rows(query)]
