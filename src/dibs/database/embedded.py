"""Transactions on SQLite: one writer thread, and concurrent readers.

SQLite has one writer at a time anyway. So writing transactions queue for one thread, which runs each in its own
savepoint and commits all that were waiting together: each is durable when it returns, and they share one disk write.
A refused transaction is rolled back to its savepoint and queues again; the others of its batch are committed.
"""

import os
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from functools import partial
from time import perf_counter
from typing import Any

from dibs.database.engines import Engine
from dibs.database.engines.sqlite import can_write
from dibs.database.errors import StoreContended
from dibs.database.store import ATTEMPTS_MAX, Body, Reachability, Result, Statistics, pause_before, refused
from dibs.database.transaction import Transaction, compiler_of

BATCH_MAX = 64

Job = tuple[Callable[[Transaction], Any], "Future[Any]"]
Outcome = tuple["Future[Any]", Any, Exception | None]


class EmbeddedStore:
    """The store of an SQLite file."""

    full_at: float | None = None
    """A full disk is not remembered: every write needs space in the -wal file, that of a check as well."""

    def __init__(self, engine: Engine, statistics: Statistics) -> None:
        self.engine = engine
        self.statistics = statistics
        self._compiler = compiler_of(engine)
        self._reachability = Reachability()
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._readers: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        self._starting = threading.Lock()
        self._connecting = threading.Lock()
        self._writer: threading.Thread | None = None
        self._process: int | None = None
        self._memory: dict[str, Any] = {}

    def read(self, body: Body[Result], name: str | None = None) -> Result:
        self._open()
        for attempt in range(ATTEMPTS_MAX):
            try:
                return self._read_once(body)
            except Exception as error:
                self._raise_unless_refused(error)
            self.statistics.rerun()
            pause_before(attempt)
        raise StoreContended(attempts=ATTEMPTS_MAX)

    def write(self, body: Body[Result]) -> Result:
        # The thread of the caller pauses and retries, not the writer: neighbours in the batch neither wait nor rerun.
        for attempt in range(ATTEMPTS_MAX):
            self._open()
            done: Future[Result] = Future()
            self._jobs.put((partial(self._run_queued, body, perf_counter()), done))
            try:
                return done.result()
            except Exception as error:
                self._raise_unless_refused(error)
            self.statistics.rerun()
            pause_before(attempt)
        raise StoreContended(attempts=ATTEMPTS_MAX)

    def _run_queued(self, body: Body[Result], since: float, transaction: Transaction) -> Result:
        """Run a function that waited for the writer, which is the only lock that there is."""
        self.statistics.waited(perf_counter() - since)
        return body(transaction)

    def close(self) -> None:
        if self._writer is not None and self._process == os.getpid():
            self._jobs.put(None)
            self._writer.join()
            self._writer = self._process = None
        while not self._readers.empty():
            self._readers.get_nowait().close()

    def _open(self) -> None:
        """Start the writer thread at first use, in the process that uses it.

        A connection that is used after a fork loses commits without an error, so the store refuses to run after one.
        """
        if self._process == os.getpid():
            return
        with self._starting:
            if self._process is None:
                self._process = os.getpid()
                self._writer = threading.Thread(target=self._write_forever, name="dibs-sqlite-writer", daemon=True)
                self._writer.start()
            elif self._process != os.getpid():
                raise RuntimeError("This store was opened before a fork. Open a store in each process.")

    def _read_once(self, body: Body[Result]) -> Result:
        try:
            connection = self._readers.get_nowait()
        except queue.Empty:
            with self._connecting:
                if self._is_read_only():
                    # SQLite shares the -shm file between the connections of a process. A connection that opened it
                    # read-only would keep later ones from writing, so it closes before another one opens.
                    with closing(self._connect(writing=False)) as once:
                        return self._run_reader(once, body)
                connection = self._connect(writing=False)
        try:
            result = self._run_reader(connection, body)
        except sqlite3.Error:
            connection.close()
            raise
        except BaseException:
            # The body raised and was rolled back, so the connection is fit for the next transaction.
            self._readers.put(connection)
            raise
        self._readers.put(connection)
        return result

    def _run_reader(self, connection: sqlite3.Connection, body: Body[Result]) -> Result:
        cursor = connection.cursor()
        cursor.execute("BEGIN")
        transaction = Transaction(cursor, self._compiler, self.engine, self._memory)
        try:
            result = body(transaction)
        finally:
            cursor.execute("ROLLBACK")
            self.statistics.ran(transaction.statements)
        transaction.committed()
        return result

    def _write_forever(self) -> None:
        connection: sqlite3.Connection | None = None
        while (batch := self._next_batch()) is not None:
            try:
                if connection is None:
                    connection = self._connect_writer()
                outcomes = self._commit_together(connection, batch)
            except Exception as error:
                outcomes = [(done, None, error) for _, done in batch]
                if connection is not None and not refused(self.engine, error):
                    connection.close()
                    connection = None
            for done, result, failure in outcomes:
                if failure is None:
                    done.set_result(result)
                else:
                    done.set_exception(failure)
        if connection is not None:
            connection.close()

    def _next_batch(self) -> list[Job] | None:
        """Return all waiting jobs, at most ``BATCH_MAX``; None when the store closes."""
        batch: list[Job] = []
        job = self._jobs.get()
        while job is not None:
            batch.append(job)
            if len(batch) == BATCH_MAX:
                return batch
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return batch
        if batch:
            # The closing mark came after jobs: run the jobs first, then get the mark again.
            self._jobs.put(None)
            return batch
        return None

    def _commit_together(self, connection: sqlite3.Connection, batch: list[Job]) -> list[Outcome]:
        finished: list[Transaction] = []
        try:
            connection.execute("BEGIN IMMEDIATE")
            outcomes = [self._run_in_savepoint(connection, body, done, finished) for body, done in batch]
            connection.execute("COMMIT")
        except Exception:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        self._reachability.reached()
        for transaction in finished:
            transaction.committed()
        return outcomes

    def _run_in_savepoint(
        self,
        connection: sqlite3.Connection,
        body: Callable[[Transaction], Any],
        done: "Future[Any]",
        finished: list[Transaction],
    ) -> Outcome:
        connection.execute("SAVEPOINT one")
        transaction = Transaction(connection.cursor(), self._compiler, self.engine, self._memory)
        try:
            outcome: Outcome = (done, body(transaction), None)
            transaction.finish()
            finished.append(transaction)
        except Exception as error:
            # SQLite itself rolls back the whole transaction after some errors; then the whole batch has failed.
            if self.engine.unavailable(error) or not connection.in_transaction:
                raise
            connection.execute("ROLLBACK TO one")
            outcome = (done, None, error)
        connection.execute("RELEASE one")
        self.statistics.ran(transaction.statements)
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
