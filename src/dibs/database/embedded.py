"""Transactions on SQLite: one writer, and concurrent readers.

SQLite has one writer at a time anyway. So writing transactions queue for one connection. The thread whose turn it is
runs each in its own savepoint and commits all that were waiting together: each is durable when it returns, and they
share one disk write. A refused transaction is rolled back to its savepoint and queues again; the others of its batch
are committed.
"""

import contextlib
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from time import perf_counter, thread_time
from typing import Any

from dibs.database.engines import Engine
from dibs.database.engines.sqlite import can_write
from dibs.database.engines.write_queue import Job, WriteQueue
from dibs.database.errors import StoreContended
from dibs.database.store import ATTEMPTS_MAX, Body, Reachability, Result, Statistics, pause_before, refused
from dibs.database.transaction import NotAlone, Transaction, compiler_of

Outcome = Callable[[], None]
"""Tells a job how it ended, once its batch is committed."""


class EmbeddedStore:
    """The store of an SQLite file."""

    full_at: float | None = None
    """A full disk is not remembered: every write needs space in the -wal file, that of a check as well."""

    def __init__(self, engine: Engine, statistics: Statistics) -> None:
        self.engine = engine
        self.statistics = statistics
        self._compiler = compiler_of(engine)
        self._reachability = Reachability()
        self._writes = WriteQueue(self._write_batch)
        self._writer: sqlite3.Connection | None = None
        self._writing = threading.Lock()
        """Held while the connection that writes is in use: at most by one thread of the queue and one that closes."""
        self._readers: deque[sqlite3.Connection] = deque()
        self._opening = threading.Lock()
        self._connecting = threading.Lock()
        self._process: int | None = None
        self._memory: dict[str, Any] = {}
        self._several: set[str] = set()
        """The names of reads that had more than one statement."""

    def read(self, body: Body[Result], name: str | None = None) -> Result:
        """See Store. One SELECT is its own snapshot: until a read has had another statement, it runs without BEGIN."""
        self._open()
        for attempt in range(ATTEMPTS_MAX):
            try:
                if name is not None and name not in self._several:
                    with contextlib.suppress(NotAlone):
                        return self._read_once(body, alone=True)
                    self._several.add(name)
                return self._read_once(body, alone=False)
            except Exception as error:
                self._raise_unless_refused(error)
            self.statistics.rerun()
            pause_before(attempt)
        raise StoreContended(attempts=ATTEMPTS_MAX)

    def write(self, body: Body[Result]) -> Result:
        # The thread of the caller pauses and retries, outside its turn: neighbours in the batch neither wait nor rerun.
        for attempt in range(ATTEMPTS_MAX):
            self._open()
            try:
                result: Result = self._writes.perform(body)
            except Exception as error:
                self._raise_unless_refused(error)
            else:
                return result
            self.statistics.rerun()
            pause_before(attempt)
        raise StoreContended(attempts=ATTEMPTS_MAX)

    def close(self) -> None:
        with self._writing:
            if self._process == os.getpid():
                self._drop_writer()
                self._process = None
        while self._readers:
            self._readers.pop().close()

    def _open(self) -> None:
        """Remember the process that uses the store.

        A connection that is used after a fork loses commits without an error, so the store refuses to run after one.
        """
        if self._process == os.getpid():
            return
        with self._opening:
            if self._process is None:
                self._process = os.getpid()
            elif self._process != os.getpid():
                raise RuntimeError("This store was opened before a fork. Open a store in each process.")

    def _read_once(self, body: Body[Result], *, alone: bool) -> Result:
        try:
            connection = self._readers.pop()
        except IndexError:
            with self._connecting:
                if self._is_read_only():
                    # SQLite shares the -shm file between the connections of a process. A connection that opened it
                    # read-only would keep later ones from writing, so it closes before another one opens.
                    with contextlib.closing(self._connect(writing=False)) as once:
                        return self._run_reader(once, body, alone)
                connection = self._connect(writing=False)
        try:
            result = self._run_reader(connection, body, alone)
        except sqlite3.Error:
            connection.close()
            raise
        except BaseException:
            # The body raised and was rolled back, so the connection is fit for the next transaction.
            self._readers.append(connection)
            raise
        self._readers.append(connection)
        return result

    def _run_reader(self, connection: sqlite3.Connection, body: Body[Result], alone: bool) -> Result:
        cursor = connection.cursor()
        if not alone:
            cursor.execute("BEGIN")
        transaction = Transaction(cursor, self._compiler, self.engine, self._memory, alone=alone)
        try:
            result = body(transaction)
        finally:
            if not alone:
                cursor.execute("ROLLBACK")
            self.statistics.ran(transaction.statements)
        transaction.committed()
        return result

    def _write_batch(self, batch: list[Job]) -> None:
        with self._writing:
            try:
                if self._writer is None:
                    self._writer = self._connect_writer()
                outcomes = self._commit_together(self._writer, batch)
            except Exception as error:
                outcomes = [partial(job.fail, error) for job in batch]
                if not refused(self.engine, error):
                    self._drop_writer()
            except BaseException:
                # A signal ends this thread, maybe within a transaction: the next one must not go on with it.
                self._drop_writer()
                raise
        for tell in outcomes:
            tell()

    def _drop_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _commit_together(self, connection: sqlite3.Connection, batch: list[Job]) -> list[Outcome]:
        finished: list[Transaction] = []
        try:
            connection.execute("BEGIN IMMEDIATE")
            outcomes = [self._run_in_savepoint(connection, job, finished) for job in batch]
            connection.execute("COMMIT")
        except Exception:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        self._reachability.reached()
        for transaction in finished:
            transaction.committed()
        return outcomes

    def _run_in_savepoint(self, connection: sqlite3.Connection, job: Job, finished: list[Transaction]) -> Outcome:
        # The queue is the only lock that there is.
        self.statistics.waited(perf_counter() - job.since)
        began = thread_time()
        connection.execute("SAVEPOINT one")
        transaction = Transaction(connection.cursor(), self._compiler, self.engine, self._memory)
        try:
            outcome = partial(job.succeed, job.body(transaction))
            transaction.finish()
            finished.append(transaction)
        except Exception as error:
            # SQLite itself rolls back the whole transaction after some errors; then the whole batch has failed.
            if self.engine.unavailable(error) or not connection.in_transaction:
                raise
            connection.execute("ROLLBACK TO one")
            outcome = partial(job.fail, error)
        connection.execute("RELEASE one")
        self.statistics.ran(transaction.statements)
        job.seconds = thread_time() - began
        return outcome

    def _raise_unless_refused(self, error: Exception) -> None:
        if self.engine.unavailable(error):
            raise self._reachability.lost(error) from error
        if not refused(self.engine, error):
            raise error

    def _connect_writer(self) -> sqlite3.Connection:
        with self._connecting:
            if self._is_read_only():
                raise self._reachability.lost(PermissionError(f"{self.engine.url.database} is read-only"))
            return self._connect(writing=True)

    def _is_read_only(self) -> bool:
        return self.engine.exists() and not can_write(self.engine.url.database or "")

    def _connect(self, *, writing: bool) -> sqlite3.Connection:
        try:
            connection: sqlite3.Connection = self.engine.connect(writing=writing)
        except Exception as error:
            if self.engine.unavailable(error):
                raise self._reachability.lost(error) from error
            raise
        return connection
