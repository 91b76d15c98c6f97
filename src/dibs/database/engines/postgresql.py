"""PostgreSQL through psycopg 3."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, text
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.engine import Dialect

from dibs.database.engines import timeouts
from dibs.database.engines.servers import Servers, Unreachable
from dibs.errors import BadValue
from dibs.extras import needs_extra

with needs_extra("postgresql", "PostgreSQL"):
    import psycopg
    from psycopg import IsolationLevel, errors
    from psycopg.abc import PQGen
    from psycopg.pq import Format

PGBOUNCER = "pgbouncer"
"""The parameter of a URL, with the value true, for a server behind PgBouncer in transaction mode.

Each transaction may run on another connection of PgBouncer to the server, so that no setting and no prepared statement
of a connection outlives it. This must be known: a prepared statement of another client may have the same name.
"""

PREPARE_THRESHOLD = 5
"""After this many runs on a connection the server keeps the plan of a statement."""

_BEHIND_POOLER = (
    "The settings of a connection do not reach the server. If the server is behind PgBouncer, add"
    f" ?{PGBOUNCER}=true to the URL of the database."
)

Returned = TypeVar("Returned")

_REFUSALS = (
    errors.SerializationFailure,
    errors.DeadlockDetected,
    errors.LockNotAvailable,
)
_UNAVAILABLE = (
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.IdleInTransactionSessionTimeout,
    errors.ReadOnlySqlTransaction,
    errors.FeatureNotSupported,  # BEGIN READ WRITE on a standby
    errors.TooManyConnections,
    errors.DiskFull,
    Unreachable,
)


class _Connection(psycopg.Connection[tuple[object, ...]]):
    """A connection that gives up on a server that does not answer; psycopg would wait for ever.

    The kernel notices a peer that is gone, but not a server that hangs while its kernel acknowledges the packets.
    """

    answer_seconds: float | None = None
    """Time for an answer; None: any time."""

    def wait(self, gen: PQGen[Returned], interval: float = 0.1, timeout: float | None = None) -> Returned:
        try:
            return super().wait(gen, interval, self.answer_seconds if timeout is None else timeout)
        except errors._WaitTimeout:
            self.close()
            raise psycopg.OperationalError(f"the server did not answer within {self.answer_seconds} seconds") from None


class PostgreSQL:
    """PostgreSQL."""

    name = "postgresql"
    clock = text("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")

    def __init__(self, urls: Sequence[URL]) -> None:
        self._pooled = urls[0].query.get(PGBOUNCER) == "true"
        self.reads_alone = not self._pooled
        self._servers = Servers([url.difference_update_query([PGBOUNCER]) for url in urls])
        self.url = self._servers.urls[0]
        self.dialect: Dialect = PGDialect_psycopg(paramstyle="pyformat")  # type: ignore[no-untyped-call]

    def exists(self) -> bool:
        """Return True: a server does not create databases on connect."""
        return True

    def connect(self, *, writing: bool, upgrading: bool = False) -> _Connection:
        """Return a connection; a writing one at READ COMMITTED, because operations lock before they read."""
        connection = self._servers.connect(lambda url: self._connect(url, upgrading=upgrading), self.unavailable)
        connection.answer_seconds = None if upgrading else timeouts.ANSWER_SECONDS
        self.switch(connection, writing=writing)
        return connection

    def _connect(self, url: URL, *, upgrading: bool) -> _Connection:
        """Connect to one server. Of several, only the primary will do: a standby answers reads with an older state."""
        conninfo = url.set(drivername="postgresql").render_as_string(hide_password=False)
        options = self._options(upgrading=upgrading)
        try:
            return _Connection.connect(conninfo, **options)
        except psycopg.OperationalError as error:
            if "unsupported startup parameter" in str(error):
                raise BadValue(reason=_BEHIND_POOLER) from error
            raise

    def _options(self, *, upgrading: bool) -> dict[str, Any]:
        return {
            "connect_timeout": timeouts.CONNECT_SECONDS,
            "target_session_attrs": "read-write" if self._servers.several else "any",
            "prepare_threshold": None if self._pooled else PREPARE_THRESHOLD,
            "options": None if self._pooled else _options(upgrading=upgrading),
            "tcp_user_timeout": int(timeouts.ANSWER_SECONDS * 1_000),
            "keepalives_idle": timeouts.KEEPALIVE_IDLE_SECONDS,
            "keepalives_interval": timeouts.KEEPALIVE_INTERVAL_SECONDS,
            "keepalives_count": timeouts.KEEPALIVE_PROBES,
        }

    def begin(self, cursor: psycopg.Cursor[tuple[object, ...]], *, alone: bool) -> None:
        """Set for the transaction what a connection through PgBouncer cannot have set."""
        # Numbers as text cost the server and the driver more.
        cursor.format = Format.BINARY
        connection = cursor.connection
        if connection.autocommit != alone:
            connection.autocommit = alone
        if self._pooled:
            cursor.execute(_LIMIT_TRANSACTION, _settings(upgrading=False))

    def switch(self, connection: psycopg.Connection[tuple[object, ...]], *, writing: bool) -> None:
        """Set what BEGIN says from now on; the server need not know before."""
        connection.isolation_level = IsolationLevel.READ_COMMITTED if writing else IsolationLevel.REPEATABLE_READ
        connection.read_only = not writing

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

    def full(self, error: Exception) -> bool:
        """Return True for 53100."""
        return isinstance(error, errors.DiskFull)

    def duplicate(self, error: Exception) -> str | None:
        """Return the constraint of a 23505."""
        return error.diag.constraint_name if isinstance(error, errors.UniqueViolation) else None

    @contextmanager
    def upgrade(self, connection: Connection) -> Iterator[None]:
        """Take an advisory lock, which ends with the transaction; DDL is part of it.

        Another upgrade may take any time, but no statement waits long for a table: all others would queue behind it.
        """
        with connection.begin():
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
            connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('dibs schema'))")
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {timeouts.LOCK_SECONDS * 1_000}")
            yield

    def problems(self, connection: psycopg.Connection[tuple[object, ...]]) -> list[str]:
        """Return an encoding that limits the names that can be stored, and a pooler that the URL does not name."""
        row = connection.execute(
            "SELECT current_setting('server_encoding'), current_setting('lock_timeout')"
        ).fetchone()
        encoding, lock_timeout = row if row else ("unknown", "unknown")
        problems = []
        if encoding != "UTF8":
            problems.append(f"The encoding of the database is {encoding}; Dibs needs UTF8.")
        if not self._pooled and lock_timeout != f"{timeouts.LOCK_SECONDS}s":
            problems.append(_BEHIND_POOLER)
        return problems


def _options(*, upgrading: bool) -> str:
    return " ".join(f"-c {name}={value}" for name, value in _settings(upgrading=upgrading).items())


def _settings(*, upgrading: bool) -> dict[str, str]:
    """Return the limits of the server's waits, in milliseconds, of which 0 is none, and ``jit``.

    A search with a LIMIT stops early, but the planner expects it to read all rows, and compiles it at each run: for 30
    to 60 ms, where the rows take less than one.
    """
    limits = {
        "statement_timeout": 0 if upgrading else timeouts.STATEMENT_SECONDS,
        "lock_timeout": timeouts.LOCK_SECONDS,
        "idle_in_transaction_session_timeout": timeouts.IDLE_TRANSACTION_SECONDS,
    }
    return {"jit": "off", **{name: str(int(seconds * 1_000)) for name, seconds in limits.items()}}


_LIMIT_TRANSACTION = "SELECT " + ", ".join(
    f"set_config('{name}', %({name})s, true)" for name in _settings(upgrading=False)
)
