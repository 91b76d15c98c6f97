"""What differs between the engines: a short, fixed list of questions.

An ``if`` about the engine anywhere else is a defect; ask one more question here instead.
"""

from typing import Any, Protocol

from sqlalchemy import URL, make_url
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import ArgumentError

from dibs.errors import BadValue

_SUPPORTED = "The database URL must begin with sqlite:///, postgresql:// or mariadb://."


class Engine(Protocol):
    """The questions."""

    name: str
    dialect: Dialect
    """Compiles statements, with named parameters; never used to connect."""
    url: URL

    def exists(self) -> bool:
        """False when connecting would make an empty database, which only an upgrade should do."""

    def connect(self, *, writing: bool) -> Any:
        """A new driver connection. A writing one sees what others committed at each statement; a reading one sees the
        state of one moment for a whole transaction."""

    def refused(self, error: Exception) -> bool:
        """True when the whole transaction may simply be run again (deadlock, serialisation, busy)."""

    def away(self, error: Exception) -> bool:
        """True when the database cannot be reached, or cannot write just now."""

    def duplicate(self, error: Exception) -> str | None:
        """The name of the unique constraint that was violated, if that is what happened."""

    def lock_schema(self, connection: Any) -> None:
        """Keep every other process from migrating until this connection's transaction ends."""

    def problems(self, connection: Any) -> list[str]:
        """What about the server's set-up would break the laws of the ledger."""


def engine_for(url: str) -> Engine:
    """Return the engine that a database URL names; import no other, because each driver costs time at start."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise BadValue(reason=_SUPPORTED) from None
    match parsed.drivername.split("+")[0]:
        case "sqlite":
            from dibs.database.engines.sqlite import SQLite

            return SQLite(parsed)
        case "postgresql" | "postgres":
            from dibs.database.engines.postgresql import PostgreSQL

            return PostgreSQL(parsed)
        case "mariadb" | "mysql":
            from dibs.database.engines.mariadb import MariaDB

            return MariaDB(parsed)
    raise BadValue(reason=_SUPPORTED)
