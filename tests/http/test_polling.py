"""The thread that polls for open streams."""

import threading

from dibs.database.errors import StoreUnavailable
from dibs.http.polling import Poller
from tests.bed.waiting import eventually


def test_thread_runs_while_streams_are_open_and_starts_again() -> None:
    polled = threading.Event()
    poller = Poller("t", polled.set, 0.01)
    assert not poller.is_running
    for _ in range(2):
        polled.clear()
        poller.open()
        poller.open()
        poller.close()
        assert poller.is_running
        assert polled.wait(10)
        poller.close()
        eventually(lambda: not poller.is_running)


def test_failed_call_is_repeated() -> None:
    errors = [RuntimeError("broken"), StoreUnavailable()]
    again = threading.Event()

    def poll() -> None:
        if errors:
            raise errors.pop()
        again.set()

    poller = Poller("t", poll, 0.01)
    poller.open()
    try:
        assert again.wait(10)
    finally:
        poller.close()
