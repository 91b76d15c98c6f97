"""The thread that looks for work."""

import threading
from collections.abc import Iterator

import pytest

from dibs.conductor.dispatcher import Dispatcher, Step
from dibs.conductor.session import Session
from dibs.database.errors import StoreContended, StoreUnavailable

NEVER = 3600.0
SESSION = Session("incarnation")


class Steps:
    """Steps that record their calls and fail on demand."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.finished = threading.Event()
        self.error: Exception | None = None

    def first(self, session: Session) -> None:
        self.calls.append("first")
        if self.error is not None:
            error, self.error = self.error, None
            raise error

    def last(self, session: Session) -> None:
        self.calls.append("last")
        self.finished.set()

    def both(self) -> tuple[Step, ...]:
        return self.first, self.last


@pytest.fixture
def steps() -> Steps:
    return Steps()


@pytest.fixture
def running(steps: Steps) -> Iterator[list[Dispatcher]]:
    """Dispatchers to be stopped at the end."""
    started: list[Dispatcher] = []
    yield started
    for dispatcher in started:
        dispatcher.stop()


def test_wake_runs_the_steps_in_order(steps: Steps, running: list[Dispatcher]) -> None:
    dispatcher = Dispatcher("c", steps.both(), session=lambda: SESSION, poll_seconds=NEVER)
    running.append(dispatcher)
    dispatcher.start()
    dispatcher.wake()
    assert steps.finished.wait(10)
    assert steps.calls == ["first", "last"]


@pytest.mark.parametrize("error", [StoreUnavailable(), RuntimeError("broken")])
def test_failed_step_ends_the_round_and_the_next_round_starts_again(
    steps: Steps, running: list[Dispatcher], error: Exception
) -> None:
    steps.error = error
    dispatcher = Dispatcher("c", steps.both(), session=lambda: SESSION, poll_seconds=0.01)
    running.append(dispatcher)
    dispatcher.start()
    assert steps.finished.wait(10)
    assert steps.calls[:3] == ["first", "first", "last"]


def test_contention_in_one_step_does_not_delay_the_next(steps: Steps, running: list[Dispatcher]) -> None:
    steps.error = StoreContended(attempts=12)
    dispatcher = Dispatcher("c", steps.both(), session=lambda: SESSION, poll_seconds=NEVER)
    running.append(dispatcher)
    dispatcher.start()
    dispatcher.wake()
    assert steps.finished.wait(10)
    assert steps.calls == ["first", "last"]


def test_without_a_session_no_step_runs(steps: Steps) -> None:
    looked = threading.Event()

    def no_session() -> None:
        looked.set()

    dispatcher = Dispatcher("c", steps.both(), session=no_session, poll_seconds=NEVER)
    dispatcher.start()
    dispatcher.wake()
    assert looked.wait(10)
    dispatcher.stop()
    dispatcher.thread.join(10)
    assert steps.calls == []
