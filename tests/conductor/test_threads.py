"""Threads that note their progress."""

import threading
import time

import pytest

from dibs.conductor import threads
from dibs.conductor.threads import WatchedThread, note_progress
from tests.bed.waiting import eventually


@pytest.fixture
def hang():
    """Let a watched thread hang until the end of the test."""
    released = threading.Event()
    yield released.wait
    released.set()


def test_thread_without_progress_is_a_problem(hang, monkeypatch):
    monkeypatch.setattr(threads, "STUCK_SECONDS", 0.01)

    def round_of_work():
        note_progress()
        hang()

    thread = WatchedThread("rounds", round_of_work)
    assert thread.problem() is None
    thread.start()
    assert "dibs-rounds has made no progress" in eventually(thread.problem)


def test_thread_that_rests_is_no_problem(hang, monkeypatch):
    monkeypatch.setattr(threads, "STUCK_SECONDS", 0)
    rested = threading.Event()

    def rest():
        thread.note_progress()
        thread.rest()
        rested.set()
        hang()

    thread = WatchedThread("rounds", rest)
    thread.start()
    assert rested.wait(10)
    assert thread.problem() is None


def test_thread_that_died_is_a_problem():
    thread = WatchedThread("rounds", lambda: None)
    thread.start()
    thread.join(10)
    assert thread.problem() == "the thread dibs-rounds has ended"


def test_join_ends_at_the_deadline(hang):
    thread = WatchedThread("rounds", hang)
    thread.start()
    assert not thread.join_until(time.monotonic() + 0.01)
