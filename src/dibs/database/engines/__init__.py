"""The differences between database engines, behind one short protocol.

An ``if`` about the engine anywhere else is a defect; extend the protocol instead.
"""

from contextlib import AbstractContextManager
from typing import Any, Protocol

from sqlalchemy import URL, Connection, TextClause
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import ArgumentError

from dibs.database.engines.servers import split_url
from dibs.errors import BadValue

_SUPPORTED = (
    "The database URL must be sqlite:///PATH, postgresql://USER:PASSWORD@HOST:PORT/NAME or mariadb://…, with commas"
    " between several HOST:PORT."
)


class Engine(Protocol):
    """One engine."""

    name: str
    dialect: Dialect
    """Compiles statements with named parameters; does not connect."""
    url: URL
    """The URL of the database; of its first server when it has several."""
    clock: TextClause
    """Selects the time of the server: microseconds since 1970 UTC."""
    reads_alone: bool
    """Whether a SELECT that is the whole transaction saves the round trips of BEGIN and COMMIT."""

    def exists(self) -> bool:
        """Return False when connecting would create an empty database, which only an upgrade may do."""

    def connect(self, *, writing: bool, upgrading: bool = False) -> Any:
        """Return a new driver connection.

        A writing connection sees at each statement what is committed; a reading one has one snapshot per transaction.
        Statements of an upgrade may take any time.
        """

    def begin(self, cursor: Any, *, alone: bool) -> None:
        """Run what each transaction of a store begins with; the driver itself sends BEGIN, but not for one SELECT."""

    def switch(self, connection: Any, *, writing: bool) -> None:
        """Turn a connection, which is in no transaction, into a reading or a writing one."""

    def refused(self, error: Exception) -> bool:
        """Return True when the whole transaction should be retried (deadlock, serialization failure, busy)."""

    def timed_out(self, error: Exception) -> bool:
        """Return True when the server stopped a statement that ran too long; a retry would be as slow."""

    def unavailable(self, error: Exception) -> bool:
        """Return True when the database cannot be reached or cannot write now."""

    def full(self, error: Exception) -> bool:
        """Return True when the server has no space to write, which is one reason to be unavailable."""

    def duplicate(self, error: Exception) -> str | None:
        """Return the name of the violated unique constraint; None for other errors."""

    def upgrade(self, connection: Connection) -> AbstractContextManager[None]:
        """Open a transaction for migrations, and keep those of other processes waiting until it ends.

        An upgrade that is killed at any moment can be repeated.
        """

    def problems(self, connection: Any) -> list[str]:
        """Return the server settings that would break the guarantees of the ledger."""


def engine_for(url: str) -> Engine:
    """Return the engine that a database URL names; import no other, because each driver costs time at start."""
    try:
        urls = split_url(url)
    except (ArgumentError, ValueError):
        raise BadValue(reason=_SUPPORTED) from None
    match urls[0].drivername.split("+")[0]:
        case "sqlite":
            from dibs.database.engines.sqlite import SQLite

            return SQLite(urls[0])
        case "postgresql" | "postgres":
            from dibs.database.engines.postgresql import PostgreSQL

            return PostgreSQL(urls)
        case "mariadb" | "mysql":
            from dibs.database.engines.mariadb import MariaDB

            return MariaDB(urls)
    raise BadValue(reason=_SUPPORTED)
