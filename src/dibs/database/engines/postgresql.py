"""PostgreSQL through psycopg 3."""

from sqlalchemy import URL
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.engine import Dialect

from dibs.extras import needs_extra

with needs_extra("postgresql", "PostgreSQL"):
    import psycopg
    from psycopg import IsolationLevel, errors

CONNECT_TIMEOUT_SECONDS = 5
STATEMENT_TIMEOUT_MILLISECONDS = 30_000
LOCK_TIMEOUT_MILLISECONDS = 10_000
"""Shorter than the statement timeout, so that a long wait for a lock is recognized as such and retried."""

_REFUSALS = (
    errors.SerializationFailure,
    errors.DeadlockDetected,
    errors.LockNotAvailable,
)
_UNAVAILABLE = (
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.ReadOnlySqlTransaction,
    errors.TooManyConnections,
    errors.DiskFull,
)


class PostgreSQL:
    """PostgreSQL."""

    name = "postgresql"
    is_file = False

    def __init__(self, url: URL) -> None:
        self.url = url
        self.dialect: Dialect = PGDialect_psycopg(paramstyle="pyformat")  # type: ignore[no-untyped-call]

    def exists(self) -> bool:
        """Return True: a server does not create databases on connect."""
        return True

    def connect(self, *, writing: bool) -> psycopg.Connection[tuple[object, ...]]:
        """Return a connection; a writing one at READ COMMITTED, because operations lock before they read."""
        connection = psycopg.connect(
            self.url.set(drivername="postgresql").render_as_string(hide_password=False),
            connect_timeout=CONNECT_TIMEOUT_SECONDS,
            options=f"-c statement_timeout={STATEMENT_TIMEOUT_MILLISECONDS} "
            f"-c lock_timeout={LOCK_TIMEOUT_MILLISECONDS} -c timezone=UTC",
            tcp_user_timeout=STATEMENT_TIMEOUT_MILLISECONDS,
        )
        connection.isolation_level = IsolationLevel.READ_COMMITTED if writing else IsolationLevel.REPEATABLE_READ
        connection.read_only = not writing
        return connection

    def refused(self, error: Exception) -> bool:
        """Return True for 40001, 40P01 and 55P03."""
        return isinstance(error, _REFUSALS)

    def timed_out(self, error: Exception) -> bool:
        """Return True for 57014."""
        return isinstance(error, errors.QueryCanceled)

    def unavailable(self, error: Exception) -> bool:
        """Return True for a lost connection, which has no SQLSTATE, and for a server that stops or starts."""
        if isinstance(error, _UNAVAILABLE):
            return True
        return isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)) and error.sqlstate is None

    def duplicate(self, error: Exception) -> str | None:
        """Return the constraint of a 23505."""
        return error.diag.constraint_name if isinstance(error, errors.UniqueViolation) else None

    def lock_schema(self, connection: psycopg.Connection[tuple[object, ...]]) -> None:
        """Take an advisory lock, which ends with the transaction."""
        connection.execute("SELECT pg_advisory_xact_lock(hashtext('dibs schema'))")

    def problems(self, connection: psycopg.Connection[tuple[object, ...]]) -> list[str]:
        """Return a problem with the encoding, which limits the names that can be stored."""
        row = connection.execute("SELECT current_setting('server_encoding')").fetchone()
        encoding = row[0] if row else "unknown"
        return [] if encoding == "UTF8" else [f"The encoding of the database is {encoding}; Dibs needs UTF8."]
