"""The queue of writes: who runs them, together with which others, and what happens when one fails."""

import ctypes
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any

import pytest

from dibs.access.processor_time import own_seconds
from dibs.database.engines.write_queue import BATCH_MAX, Body, Job, WriteQueue
from dibs.database.errors import StoreUnavailable
from dibs.database.transaction import Transaction
from tests.bed.waiting import eventually

COST = 1000.0
"""The processor seconds that each job seems to take."""


def start(act: Callable[..., Any], *arguments: Any) -> "Future[Any]":
    """Call a function in a thread that keeps no test run alive: a job that is lost must fail a test, not stop it."""
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(act(*arguments))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


class Recorder:
    """Runs batches without a database, and remembers them and the threads that ran them."""

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.threads: list[int] = []
        self.spent: list[float] = []
        self.queue = WriteQueue(self._run)

    def _run(self, batch: list[Job]) -> None:
        self.batches.append(len(batch))
        self.threads.append(threading.get_ident())
        for job in batch:
            try:
                job.seconds = COST
                job.succeed(job.body(None))
            except ValueError as error:
                job.fail(error)

    def _perform(self, body: Body) -> Any:
        before = own_seconds()
        try:
            return self.queue.perform(body)
        finally:
            self.spent.append(own_seconds() - before)

    def perform_while_busy(self, bodies: list[Body]) -> list["Future[Any]"]:
        """Let all bodies wait while another one runs; note the processor seconds that each thread then counts."""
        gate, entered = threading.Event(), threading.Event()

        def occupy(tx: Transaction) -> None:
            entered.set()
            gate.wait(10)

        start(self.queue.perform, occupy)
        entered.wait(10)
        performed = []
        for count, body in enumerate(bodies, 1):
            performed.append(start(self._perform, body))
            eventually(lambda count=count: len(self.queue) == count)
        gate.set()
        assert not wait(performed, timeout=10).not_done
        return performed


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


def test_lone_job_runs_in_the_thread_of_its_caller(recorder: Recorder) -> None:
    assert [recorder.queue.perform(lambda tx: "a"), recorder.queue.perform(lambda tx: "b")] == ["a", "b"]
    assert recorder.batches == [1, 1]
    assert set(recorder.threads) == {threading.get_ident()}


def test_jobs_that_wait_run_together_in_the_order_in_which_they_came(recorder: Recorder) -> None:
    ran: list[int] = []
    performed = recorder.perform_while_busy([lambda tx, n=n: ran.append(n) or n for n in range(5)])
    assert recorder.batches == [1, 5]
    assert ran == [future.result() for future in performed] == [0, 1, 2, 3, 4]


def test_batch_has_a_limit_and_the_rest_follows(recorder: Recorder) -> None:
    performed = recorder.perform_while_busy([lambda tx, n=n: n for n in range(BATCH_MAX + 3)])
    assert recorder.batches == [1, BATCH_MAX, 3]
    assert [future.result() for future in performed] == list(range(BATCH_MAX + 3))


def test_error_reaches_its_own_caller_only(recorder: Recorder) -> None:
    def refuse(tx: Transaction) -> None:
        raise ValueError("refused")

    good, bad, last = recorder.perform_while_busy([lambda tx: 1, refuse, lambda tx: 3])
    assert (good.result(), str(bad.exception()), last.result()) == (1, "refused", 3)


def test_interrupted_turn_passes_on_and_its_jobs_do_not_seem_done(recorder: Recorder) -> None:
    def interrupt(tx: Transaction) -> None:
        raise SystemExit

    first, second = recorder.perform_while_busy([interrupt, lambda tx: 2])
    assert isinstance(first.exception(), SystemExit)
    assert isinstance(second.exception(), StoreUnavailable)
    assert recorder.queue.perform(lambda tx: 3) == 3


def test_thread_that_ends_when_its_turn_comes_passes_it_on(recorder: Recorder) -> None:
    """As the main thread does when a signal raises while it waits."""
    waiting: list[int] = []

    def end_the_first_that_waits(tx: Transaction) -> None:
        eventually(lambda: len(recorder.queue) == 2)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(waiting[0]), ctypes.py_object(SystemExit))

    def perform(body: Body) -> Any:
        waiting.append(threading.get_ident())
        return recorder.queue.perform(body)

    start(recorder.queue.perform, end_the_first_that_waits)
    eventually(lambda: recorder.batches == [1])
    first = start(perform, lambda tx: 1)
    eventually(lambda: len(recorder.queue) == 1)
    second = start(perform, lambda tx: 2)
    assert isinstance(first.exception(10), SystemExit)
    assert second.result(10) == 2


def test_processor_time_is_counted_for_the_caller_and_not_for_the_thread_that_ran_the_job(recorder: Recorder) -> None:
    recorder.perform_while_busy([lambda tx: None] * 3)
    # The first of them ran all three: its own job is in its own processor time.
    assert sorted(round(seconds, -2) for seconds in recorder.spent) == [-2 * COST, COST, COST]


class SlowLock:
    """A lock after which a thread pauses once, until ``resume``: as if another thread got the processor there."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.slow: int | None = None
        self.resume = threading.Event()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()
        if threading.get_ident() == self.slow:
            self.slow = None
            self.resume.wait(10)


def test_turn_that_comes_before_its_thread_waits_is_taken(recorder: Recorder) -> None:
    lock, gate = SlowLock(), threading.Event()
    recorder.queue._lock = lock  # type: ignore[assignment]

    def perform_slowly() -> Any:
        lock.slow = threading.get_ident()
        return recorder.queue.perform(lambda tx: 1)

    leader = start(recorder.queue.perform, lambda tx: gate.wait(10))
    eventually(lambda: recorder.batches == [1])
    slow = start(perform_slowly)
    eventually(lambda: len(recorder.queue) == 1)
    other = start(recorder.queue.perform, lambda tx: 2)
    eventually(lambda: len(recorder.queue) == 2)
    gate.set()
    leader.result(10)
    lock.resume.set()
    assert [slow.result(10), other.result(10)] == [1, 2]
