"""Work that is repeated in a thread of its own."""

import threading

import pytest

from dibs.conductor.periodic import PeriodicTask
from dibs.database.errors import StoreUnavailable


@pytest.mark.parametrize("error", [StoreUnavailable(), RuntimeError("broken")])
def test_task_is_repeated_after_an_error(error: Exception) -> None:
    again = threading.Event()
    errors = [error]

    def run() -> None:
        if errors:
            raise errors.pop()
        again.set()

    task = PeriodicTask("t", run, registered=lambda: True, poll_seconds=0.01)
    task.start()
    try:
        assert again.wait(10)
    finally:
        task.stop()


def test_task_does_not_run_while_the_conductor_is_not_registered() -> None:
    asked, ran = threading.Event(), threading.Event()

    def registered() -> bool:
        asked.set()
        return False

    task = PeriodicTask("t", ran.set, registered=registered, poll_seconds=0.01)
    task.start()
    assert asked.wait(10)
    task.stop()
    task.thread.join(10)
    assert not ran.is_set()


def test_woken_task_does_not_wait_for_its_next_turn() -> None:
    """The turn would come in an hour."""
    ran = threading.Semaphore(0)
    task = PeriodicTask("t", ran.release, registered=lambda: True, poll_seconds=3_600)
    task.start()
    try:
        for _ in range(2):
            task.wake()
            assert ran.acquire(timeout=30)
    finally:
        task.stop()


def test_wake_up_between_polls_runs_only_what_it_announces() -> None:
    """The poll would come in an hour."""
    polled, woken = threading.Event(), threading.Event()
    task = PeriodicTask("t", polled.set, registered=lambda: True, poll_seconds=3_600, woken=woken.set)
    task.start()
    try:
        task.wake()
        assert woken.wait(30)
        assert not polled.is_set()
    finally:
        task.stop()


def test_wake_ups_do_not_put_off_the_poll() -> None:
    polled = threading.Event()
    task: PeriodicTask

    def wake_again() -> None:
        task.wake()

    task = PeriodicTask("t", polled.set, registered=lambda: True, poll_seconds=0.01, woken=wake_again)
    task.start()
    try:
        task.wake()
        assert polled.wait(30)
    finally:
        task.stop()
