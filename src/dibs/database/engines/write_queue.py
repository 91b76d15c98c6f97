"""A queue of writes that needs no thread of its own: the threads that wait take turns in running the whole queue.

A thread that finds no other at work runs its own job at once. The jobs that come meanwhile wait, and the thread of the
oldest runs them all together as soon as the first is done. So a lone write needs no switch between threads, and many
writes share one turn.
"""

import threading
from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import Any

from dibs.access import processor_time
from dibs.database.errors import StoreUnavailable

BATCH_MAX = 64

Body = Callable[[Any], Any]
"""Takes the transaction in which it runs."""


class Job:
    """A function that waits for its transaction, and later its result or the error that it raised."""

    __slots__ = ("_failure", "_known", "_result", "body", "called", "ended", "has_turn", "seconds", "since")

    def __init__(self, body: Body) -> None:
        self.body = body
        self.since = perf_counter()
        self.seconds = 0.0
        """The processor time that the thread spent which ran it."""
        self.has_turn = self.ended = False
        self._known = False
        self._result: Any = None
        self._failure: Exception | None = None
        self.called = threading.Lock()
        """Released when the job has ended, or when it is the turn of its thread."""
        self.called.acquire()

    def succeed(self, result: Any) -> None:
        """Note the result of a job whose transaction is durable."""
        self._known, self._result = True, result

    def fail(self, failure: Exception) -> None:
        """Note the error of a job that has changed nothing."""
        self._known, self._failure = True, failure

    def outcome(self) -> Any:
        """Return the result, or raise the error."""
        if not self._known:
            # A signal ended the thread that ran the job, which may or may not have committed it.
            raise StoreUnavailable
        if self._failure is not None:
            raise self._failure
        return self._result


class WriteQueue:
    """Passes all jobs that wait to ``run``, which notes the outcome of each; one thread at a time."""

    def __init__(self, run: Callable[[list[Job]], None]) -> None:
        self._run = run
        self._waiting: deque[Job] = deque()
        self._busy = False
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return how many jobs wait for the next turn."""
        return len(self._waiting)

    def perform(self, body: Body) -> Any:
        """Return the result of a function, or raise its error, after it has run in this thread or in another one."""
        job = Job(body)
        with self._lock:
            self._waiting.append(job)
            my_turn = job.has_turn = not self._busy
            self._busy = True
        try:
            if not my_turn:
                job.called.acquire()
            if job.ended:
                processor_time.spent_by_another(job.seconds)
            else:
                self._take_turn(job)
        except BaseException:
            self._leave(job)
            raise
        return job.outcome()

    def _take_turn(self, own: Job) -> None:
        """Run the jobs that wait: that of this thread is the first of them."""
        with self._lock:
            batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), BATCH_MAX))]
        try:
            self._run(batch)
        finally:
            with self._lock:
                self._call_next()
            for job in batch:
                job.ended = True
                job.called.release()
            processor_time.spent_for_others(sum(job.seconds for job in batch if job is not own))

    def _call_next(self) -> None:
        """Give the turn to the oldest job that waits. The caller holds the lock."""
        self._busy = bool(self._waiting)
        if self._waiting:
            self._waiting[0].has_turn = True
            self._waiting[0].called.release()

    def _leave(self, job: Job) -> None:
        """Forget a job whose thread a signal ends while it waits; its turn may have come meanwhile."""
        with self._lock:
            if job in self._waiting:
                self._waiting.remove(job)
                if job.has_turn:
                    self._call_next()
