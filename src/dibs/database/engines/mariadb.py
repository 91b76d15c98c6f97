"""MariaDB through PyMySQL, alone or as a Galera cluster."""

import re
import socket
from collections.abc import Sequence
from contextlib import AbstractContextManager
from ssl import SSLContext
from typing import Any, ClassVar

from sqlalchemy import URL, Connection, create_engine, text
from sqlalchemy.engine import Dialect

from dibs.database.engines import timeouts
from dibs.database.engines.servers import Servers, Unreachable
from dibs.extras import needs_extra

with needs_extra("mariadb", "MariaDB"):
    import pymysql
    from pymysql.constants import CLIENT

SYNC_WAIT = 7
NOT_READY = 1047

_REFUSALS = {
    1205,  # lock wait time-out
    1213,  # deadlock; Galera also refuses with it, at any statement and at COMMIT
}
_FULL = {
    1021,  # no space on the disk
    1114,  # a table cannot grow
}
_UNAVAILABLE = {
    *_FULL,
    1040,  # too many connections
    NOT_READY,  # Galera: this node is not part of the primary component
    1053,  # shutting down
    1180,  # Galera: quorum was lost during COMMIT
    1290,  # read-only
    1927,  # connection was killed
    2003,  # cannot connect
    2006,  # has gone away
    2013,  # lost during a query
}
_DUPLICATE = re.compile(r"for key '(?P<key>[^']+)'$")


class _Connection(pymysql.Connection):
    """A connection that takes TLS when the server offers it, like PyMySQL's own, and notices a server that is gone.

    PyMySQL makes a TLS context for each connection and loads every certificate authority of the system into it: 30 ms
    of CPU, more than the rest of connecting. Without settings for TLS all contexts are the same, so one is enough.
    """

    _sock: socket.socket
    _shared_context: ClassVar[SSLContext | None] = None

    def _create_ssl_ctx(self, settings: dict[str, Any]) -> SSLContext:
        if settings:
            made: SSLContext = super()._create_ssl_ctx(settings)  # type: ignore[misc]
            return made
        if _Connection._shared_context is None:
            _Connection._shared_context = super()._create_ssl_ctx({})  # type: ignore[misc]
        return _Connection._shared_context

    def wait_for_answers(self, seconds: float | None) -> None:
        """Set the time for an answer, which was the time to connect until now; None: any time."""
        self._read_timeout = self._write_timeout = seconds
        if self._sock.family != socket.AF_UNIX:
            for option, value in (
                (socket.TCP_USER_TIMEOUT, int(timeouts.ANSWER_SECONDS * 1_000)),
                (socket.TCP_KEEPIDLE, timeouts.KEEPALIVE_IDLE_SECONDS),
                (socket.TCP_KEEPINTVL, timeouts.KEEPALIVE_INTERVAL_SECONDS),
                (socket.TCP_KEEPCNT, timeouts.KEEPALIVE_PROBES),
            ):
                self._sock.setsockopt(socket.IPPROTO_TCP, option, value)


class MariaDB:
    """MariaDB."""

    name = "mariadb"
    clock = text("SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS INTEGER)")
    reads_alone = False

    def __init__(self, urls: Sequence[URL]) -> None:
        self.url = urls[0]
        self._servers = Servers(urls)
        self.dialect: Dialect = create_engine("mariadb+pymysql://").dialect
        # SQLAlchemy asks the server's version before it uses INSERT … RETURNING; every supported MariaDB has it.
        self.dialect.insert_returning = True

    def exists(self) -> bool:
        """Return True: a server does not create databases on connect."""
        return True

    def connect(self, *, writing: bool, upgrading: bool = False) -> _Connection:
        """Return a connection; a writing one at READ COMMITTED, because operations lock before they read.

        ``wsrep_sync_wait`` makes a Galera node apply what the cluster had committed before; a single server ignores it.
        1 waits at BEGIN and SELECT, 2 at UPDATE and DELETE, 4 at INSERT: a write begins with any of them, and PyMySQL
        sends no BEGIN.
        """
        connection = self._servers.connect(
            lambda url: self._connect(url, writing=writing, upgrading=upgrading), self.unavailable
        )
        connection.wait_for_answers(None if upgrading else timeouts.ANSWER_SECONDS)
        return connection

    def _connect(self, url: URL, *, writing: bool, upgrading: bool) -> _Connection:
        """Connect to one server. Of several, one will do that its Galera cluster has made ready for writes."""
        connection = _Connection(
            host=url.host or "127.0.0.1",
            port=url.port or 3306,
            user=url.username,
            password=str(url.password or ""),
            database=url.database,
            unix_socket=url.query.get("unix_socket"),
            charset="utf8mb4",
            collation="utf8mb4_nopad_bin",
            client_flag=CLIENT.FOUND_ROWS,
            connect_timeout=timeouts.CONNECT_SECONDS,
            read_timeout=timeouts.CONNECT_SECONDS,
            write_timeout=timeouts.CONNECT_SECONDS,
            init_command=(
                f"SET SESSION tx_isolation='{_isolation(writing=writing)}', sql_mode='TRADITIONAL', "
                f"time_zone='+00:00', innodb_lock_wait_timeout={timeouts.LOCK_SECONDS}, "
                f"lock_wait_timeout={timeouts.LOCK_SECONDS}, wsrep_sync_wait={SYNC_WAIT}, "
                f"max_statement_time={0 if upgrading else timeouts.STATEMENT_SECONDS}, "
                f"idle_transaction_timeout={timeouts.IDLE_TRANSACTION_SECONDS}"
            ),
        )
        if self._servers.several:
            _refuse_unready(connection)
        return connection

    def begin(self, cursor: Any, *, alone: bool) -> None:
        """Do nothing: connections keep their settings."""

    def switch(self, connection: "pymysql.Connection[pymysql.cursors.Cursor]", *, writing: bool) -> None:
        """Set the isolation of the transactions that follow."""
        with connection.cursor() as cursor:
            cursor.execute(f"SET SESSION tx_isolation='{_isolation(writing=writing)}'")

    def refused(self, error: Exception) -> bool:
        """Return True for 1205 and 1213."""
        return isinstance(error, pymysql.MySQLError) and _code(error) in _REFUSALS

    def timed_out(self, error: Exception) -> bool:
        """Return True for 1969: the limit ``max_statement_time``."""
        return isinstance(error, pymysql.MySQLError) and _code(error) == 1969

    def unavailable(self, error: Exception) -> bool:
        """Return True for a lost connection; PyMySQL raises InterfaceError(0) on one that broke earlier."""
        if isinstance(error, Unreachable):
            return True
        return isinstance(error, pymysql.MySQLError) and (
            _code(error) in _UNAVAILABLE or isinstance(error, pymysql.InterfaceError)
        )

    def full(self, error: Exception) -> bool:
        """Return True for 1021 and 1114."""
        return isinstance(error, pymysql.MySQLError) and _code(error) in _FULL

    def duplicate(self, error: Exception) -> str | None:
        """Return the key that a 1062 names; the primary key is always PRIMARY."""
        if not isinstance(error, pymysql.IntegrityError) or _code(error) != 1062:
            return None
        match = _DUPLICATE.search(str(error.args[1]))
        return match["key"] if match else "unknown"

    def upgrade(self, connection: Connection) -> AbstractContextManager[None]:
        """See ``mariadb_upgrade``: DDL commits implicitly here."""
        from dibs.database.engines.mariadb_upgrade import repeatable_upgrade

        return repeatable_upgrade(connection, lambda: self.connect(writing=True))

    def problems(self, connection: "pymysql.Connection[pymysql.cursors.Cursor]") -> list[str]:
        """Return a wrong isolation level, at which two claims could both succeed, and a server that is not MariaDB."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT @@tx_isolation, @@version")
            row = cursor.fetchone()
        connection.rollback()
        isolation, version = row if row else ("unknown", "unknown")
        problems = []
        if isolation != "READ-COMMITTED":
            problems.append(f"Transactions run at {isolation}; Dibs needs READ-COMMITTED.")
        if "MariaDB" not in version:
            problems.append(f"The server is {version}; Dibs needs MariaDB 10.11 or later.")
        return problems


def _refuse_unready(connection: _Connection) -> None:
    """Raise 1047 for a Galera node that is not part of the primary component, or that still receives its state.

    Such a node accepts connections, and would refuse the first statement only.
    """
    with connection.cursor() as cursor:
        cursor.execute("SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_provider_name', 'wsrep_ready')")
        status = dict(cursor.fetchall())
    if status.get("wsrep_provider_name") and status.get("wsrep_ready") != "ON":
        connection.close()
        raise pymysql.OperationalError(NOT_READY, "the Galera node is not ready: wsrep_ready is OFF")


def _isolation(*, writing: bool) -> str:
    return "READ-COMMITTED" if writing else "REPEATABLE-READ"


def _code(error: pymysql.MySQLError) -> int:
    return error.args[0] if error.args and isinstance(error.args[0], int) else 0
