"""What differs between the engines: a short, fixed list of questions.

An ``if`` about the engine anywhere else is a defect; ask one more question here instead.
"""

from collections.abc import Callable
from typing import Any, Protocol

from sqlalchemy import URL, make_url
from sqlalchemy.engine import Dialect

from dibs.errors import BadValue


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
    """The engine that a database URL names."""
    from dibs.database.engines import mariadb, postgresql, sqlite

    builders: dict[str, Callable[[URL], Engine]] = {
        "sqlite": sqlite.SQLite,
        "postgresql": postgresql.PostgreSQL,
        "postgres": postgresql.PostgreSQL,
        "mariadb": mariadb.MariaDB,
        "mysql": mariadb.MariaDB,
    }
    try:
        parsed = make_url(url)
        build = builders[parsed.drivername.split("+")[0]]
    except Exception as error:
        raise BadValue(
            reason="The database URL must begin with sqlite:///, postgresql:// or mariadb://; nothing else is known."
        ) from error
    return build(parsed)
