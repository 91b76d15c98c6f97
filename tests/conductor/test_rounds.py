"""Rounds of work: which failures end the round, and which concern one piece only."""

import pytest

from dibs.conductor.rounds import attempt, run_steps
from dibs.conductor.session import Session
from dibs.database.errors import StoreContended, StoreUnavailable

SESSION = Session("incarnation")


class Work:
    """Records its calls, and fails in the first one."""

    def __init__(self, error: Exception | None = None) -> None:
        self.calls: list[str] = []
        self.error = error

    def first(self, session: Session | None = None) -> bool:
        self.calls.append("first")
        if self.error is not None:
            raise self.error
        return True

    def second(self, session: Session | None = None) -> None:
        self.calls.append("second")


@pytest.mark.parametrize("error", [None, StoreContended(attempts=12)])
def test_steps_run_in_order_and_contention_in_one_does_not_delay_the_next(error: Exception | None) -> None:
    work = Work(error)
    run_steps((work.first, work.second), SESSION)
    assert work.calls == ["first", "second"]


@pytest.mark.parametrize("error", [StoreUnavailable(), RuntimeError("broken")])
def test_failed_step_ends_the_round(error: Exception) -> None:
    work = Work(error)
    with pytest.raises(type(error)):
        run_steps((work.first, work.second), SESSION)
    assert work.calls == ["first"]


def test_attempt_returns_what_the_work_returns() -> None:
    assert attempt("the work", Work().first) is True


def test_attempt_without_a_database_ends_the_round() -> None:
    with pytest.raises(StoreUnavailable):
        attempt("the work", Work(StoreUnavailable()).first)


def test_attempt_logs_an_unexpected_error_and_cleans_up(caplog: pytest.LogCaptureFixture) -> None:
    work = Work(RuntimeError("broken"))
    assert attempt("the work", work.first, work.second) is False
    assert work.calls == ["first", "second"]
    assert "the work failed" in caplog.text


def test_attempt_leaves_contention_to_the_next_round(caplog: pytest.LogCaptureFixture) -> None:
    work = Work(StoreContended(attempts=12))
    assert attempt("the work", work.first, work.second) is False
    assert work.calls == ["first"]
    assert "failed" not in caplog.text
