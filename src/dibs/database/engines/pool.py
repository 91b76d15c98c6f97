"""The connections of a store to a database server, a bounded number for reading and writing together."""

import threading
from contextlib import suppress
from typing import Any

import msgspec

from dibs.database.engines import Engine

WAIT_SECONDS = 10
"""How long a transaction waits for a connection."""


class PoolExhausted(Exception):
    """Every connection stayed in use for as long as a transaction waits for one."""


class PooledConnection(msgspec.Struct):
    """A connection that is in use by one thread, or idle in its pool."""

    driver: Any
    writing: bool
    generation: int


class Pool:
    """Opens connections when they are needed, and keeps them for the next transaction.

    SQLAlchemy's pool would need a limit for each kind of connection, forgets the connections in use when it drops the
    idle ones, and sends MariaDB a ROLLBACK after each COMMIT.
    """

    def __init__(self, engine: Engine, size: int) -> None:
        self._engine = engine
        self._size = size
        self._permits = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()
        self._idle: list[PooledConnection] = []
        self._in_use = 0
        self._generation = 0

    def take(self, *, writing: bool) -> PooledConnection:
        """Return a connection of the kind, of which the caller is the only user until ``put_back`` or ``discard``."""
        if not self._permits.acquire(timeout=WAIT_SECONDS):
            raise PoolExhausted
        with self._lock:
            self._in_use += 1
            generation = self._generation
            found = self._idle_connection(writing=writing)
        try:
            if found is None:
                return PooledConnection(self._engine.connect(writing=writing), writing, generation)
            if found.writing != writing:
                self._engine.switch(found.driver, writing=writing)
                found.writing = writing
        except BaseException:
            self._release()
            if found is not None:
                _close(found)
            raise
        return found

    def put_back(self, connection: PooledConnection) -> None:
        """Keep a connection, which is in no transaction, for the next transaction."""
        with self._lock:
            current = connection.generation == self._generation
            if current:
                self._idle.append(connection)
        self._release()
        if not current:
            _close(connection)

    def discard(self, connection: PooledConnection) -> None:
        """Close a connection whose state is unknown."""
        self._release()
        _close(connection)

    def drop(self) -> None:
        """Close the idle connections now, and those in use when they are put back: the server may have closed them."""
        with self._lock:
            self._generation += 1
            dropped, self._idle = self._idle, []
        for connection in dropped:
            _close(connection)

    def _idle_connection(self, *, writing: bool) -> PooledConnection | None:
        """Return the last used connection of the kind; one of the other kind when no more may be opened."""
        for place in range(len(self._idle) - 1, -1, -1):
            if self._idle[place].writing == writing:
                return self._idle.pop(place)
        full = self._in_use + len(self._idle) > self._size
        return self._idle.pop(0) if full else None

    def _release(self) -> None:
        with self._lock:
            self._in_use -= 1
        self._permits.release()


def _close(connection: PooledConnection) -> None:
    # A connection that broke may fail once more.
    with suppress(Exception):
        connection.driver.close()
