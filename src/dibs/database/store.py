"""The store: runs a function in a transaction, and retries it when the engine refuses the transaction."""

import logging
import random
import time
from collections.abc import Callable
from threading import Lock
from typing import Any, Protocol, TypeVar

from dibs.database.engines import Engine
from dibs.database.engines.pool import Pool, PooledConnection, PoolExhausted
from dibs.database.errors import StatementTimeout, StoreContended, StoreUnavailable
from dibs.database.transaction import Again, NotAlone, Transaction, compiler_of

Result = TypeVar("Result")
Body = Callable[[Transaction], Result]

ATTEMPTS_MAX = 12
FIRST_PAUSE_SECONDS = 0.005
LONGEST_PAUSE_SECONDS = 0.25
BREAKS_WITHIN_SECONDS = 5
"""A connection that broke while it was idle in the pool fails sooner than this, at its first use."""

CONNECTION_LOST = "lost connection to the database"
CONNECTION_BACK = "connected to the database again"

logger = logging.getLogger(__name__)


def _ignore(value: object) -> None:
    pass


class Statistics:
    """Counts of the store since it was opened, which are also passed to callbacks (the metrics)."""

    def __init__(
        self,
        on_statements: Callable[[int], None] = _ignore,
        on_rerun: Callable[[int], None] = _ignore,
        on_lock_wait: Callable[[float], None] = _ignore,
        on_refusal: Callable[[str], None] = _ignore,
    ) -> None:
        self.statements = 0
        self.reruns = 0
        self._on_statements = on_statements
        self._on_rerun = on_rerun
        self._on_refusal = on_refusal
        self.waited = on_lock_wait
        """Takes the seconds for which a writing transaction waited for locks at most."""

    def ran(self, statements: int) -> None:
        """Count the statements of a finished transaction."""
        self.statements += statements
        self._on_statements(statements)

    def refused(self, error: Exception) -> None:
        """Count an operation that was refused, by the name of the error."""
        self._on_refusal(type(error).__name__)

    def rerun(self) -> None:
        """Count a retry of a refused transaction."""
        self.reruns += 1
        self._on_rerun(1)


class Store(Protocol):
    """Runs functions in transactions. A function may run several times, so it must not touch anything else."""

    engine: Engine
    statistics: Statistics
    full_at: float | None
    """When a write failed last because the disk of the server was full, by the monotonic clock."""

    def read(self, body: Body[Result], name: str | None = None) -> Result:
        """Run a function that only reads, on one snapshot; ``name`` is that of all functions that do the same."""

    def write(self, body: Body[Result]) -> Result:
        """Run a function that may change rows. The change is durable on return; there is none when this raises."""

    def close(self) -> None:
        """Close every connection. A later transaction opens new ones."""


def pause_before(attempt: int) -> None:
    """Sleep before a retry: longer each time, and with jitter, so that two transactions do not collide again."""
    time.sleep(random.uniform(0, min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2**attempt)))  # noqa: S311 - not a secret


def refused(engine: Engine, error: Exception) -> bool:
    """Return True when the transaction must be retried."""
    return isinstance(error, Again) or engine.refused(error)


class Reachability:
    """Logs once that the connection to the database was lost, and once that it is back.

    Threads report at the same time, and while a server shuts down one connection may still succeed after another one
    failed. So a loss may be logged more than once, but never twice without a recovery between.
    """

    def __init__(self) -> None:
        self._lost = False
        self._lock = Lock()

    def lost(self, error: BaseException) -> StoreUnavailable:
        """Record a failure; return the error to raise."""
        with self._lock:
            if not self._lost:
                self._lost = True
                logger.error(f"{CONNECTION_LOST}: %s", " ".join(str(error).split()))
        return StoreUnavailable()

    def reached(self) -> None:
        """Record a success."""
        # The usual case is checked without the lock, because every transaction comes here.
        if self._lost:
            with self._lock:
                if self._lost:
                    self._lost = False
                    logger.warning(CONNECTION_BACK)


class PooledStore:
    """PostgreSQL and MariaDB: each transaction takes a connection from a pool."""

    def __init__(self, engine: Engine, connections: int, statistics: Statistics) -> None:
        self.engine = engine
        self.statistics = statistics
        self._compiler = compiler_of(engine)
        self._reachability = Reachability()
        self._pool = Pool(engine, connections)
        self.full_at: float | None = None
        self._memory: dict[str, Any] = {}
        self._several: set[str] = set()
        """The names of reads that had more than one statement."""

    def read(self, body: Body[Result], name: str | None = None) -> Result:
        """See Store. One SELECT is its own snapshot: until a read has had another statement, it runs without BEGIN."""
        if self.engine.reads_alone and name is not None and name not in self._several:
            try:
                return self._attempt(body, writing=False, alone=True)
            except NotAlone:
                self._several.add(name)
        return self._attempt(body, writing=False)

    def write(self, body: Body[Result]) -> Result:
        return self._attempt(body, writing=True)

    def close(self) -> None:
        self._pool.drop()

    def _attempt(self, body: Body[Result], *, writing: bool, alone: bool = False) -> Result:
        for attempt in range(ATTEMPTS_MAX):
            connection = self._connection(writing=writing)
            started, committing = time.monotonic(), False
            try:
                cursor = connection.driver.cursor()
                transaction = Transaction(cursor, self._compiler, self.engine, self._memory, alone=alone)
                self.engine.begin(cursor, alone=alone)
                try:
                    result = body(transaction)
                    transaction.finish()
                finally:
                    # A refused transaction has run statements too.
                    self.statistics.ran(transaction.statements)
                    if writing:
                        self.statistics.waited(transaction.longest_change)
                committing = True
                if not alone:
                    connection.driver.commit()
            except Exception as error:
                if self.engine.unavailable(error):
                    self._discard(connection)
                    if self.engine.full(error):
                        self.full_at = time.monotonic()
                    # A retry on a new connection is for one that broke while it was idle. After a COMMIT was sent its
                    # outcome is unknown, so the caller has to read it back.
                    if committing or attempt > 0 or time.monotonic() - started > BREAKS_WITHIN_SECONDS:
                        raise self._reachability.lost(error) from error
                else:
                    self._roll_back(connection)
                    self._raise_unless_refused(error)
            except BaseException:
                self._pool.discard(connection)
                raise
            else:
                self._pool.put_back(connection)
                self._reachability.reached()
                transaction.committed()
                return result
            self.statistics.rerun()
            pause_before(attempt)
        raise StoreContended(attempts=ATTEMPTS_MAX)

    def _raise_unless_refused(self, error: Exception) -> None:
        if refused(self.engine, error):
            return
        if self.engine.timed_out(error):
            raise StatementTimeout() from error
        raise error

    def _discard(self, connection: PooledConnection) -> None:
        """Close a broken connection, and the others: the server may have closed them too."""
        self._pool.discard(connection)
        self._pool.drop()

    def _roll_back(self, connection: PooledConnection) -> None:
        try:
            connection.driver.rollback()
        except Exception:
            self._pool.discard(connection)
        else:
            self._pool.put_back(connection)

    def _connection(self, *, writing: bool) -> PooledConnection:
        try:
            return self._pool.take(writing=writing)
        except PoolExhausted as error:
            raise StoreContended(attempts=1) from error
        except Exception as error:
            if self.engine.unavailable(error):
                raise self._reachability.lost(error) from error
            raise
