"""The cost of the requests of each caller."""

from dibs.http.edge.guards.callers import Caller
from dibs.http.edge.guards.limits import EXPENSIVE_SECONDS
from dibs.http.edge.guards.spending import HALVING_SECONDS, Spending

ONE = Caller("127.0.0.1", "one")
OTHER = Caller("127.0.0.1", "other")


class Clock:
    """A clock that the test moves."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_old_requests_count_less_and_are_forgotten() -> None:
    clock = Clock()
    spending = Spending(clock)
    spending.add(ONE, 4.0, 0)
    clock.now += 2 * HALVING_SECONDS
    spending.add(OTHER, 3.0, 0)
    assert (spending.of(ONE), spending.of(OTHER)) == (1.0, 3.0)
    clock.now += 20 * HALVING_SECONDS
    spending.add(OTHER, 0.0, 0)
    assert spending.of(ONE) == 0.0


def test_caller_of_expensive_requests_is_expensive_until_they_are_forgotten() -> None:
    clock = Clock()
    spending = Spending(clock)
    _add(spending, 30, EXPENSIVE_SECONDS)
    assert spending.is_expensive(ONE)
    clock.now += HALVING_SECONDS
    _add(spending, 1, 0.0)
    assert not spending.is_expensive(ONE)


def test_caller_of_cheap_requests_is_never_expensive() -> None:
    spending = Spending()
    _add(spending, 1_000, EXPENSIVE_SECONDS / 2, 100)
    assert not spending.is_expensive(ONE)


def test_single_expensive_request_makes_no_caller_expensive() -> None:
    spending = Spending()
    _add(spending, 1, 10 * EXPENSIVE_SECONDS)
    assert not spending.is_expensive(ONE)


def test_cheap_requests_do_not_hide_expensive_ones() -> None:
    spending = Spending()
    _add(spending, 30, EXPENSIVE_SECONDS)
    _add(spending, 10_000, EXPENSIVE_SECONDS / 10)
    assert spending.is_expensive(ONE)


def test_large_bodies_and_answers_are_expensive() -> None:
    spending = Spending()
    _add(spending, 30, 0.001, 4_000_000)
    assert spending.is_expensive(ONE)


def _add(spending: Spending, count: int, seconds: float, size: int = 0) -> None:
    for _ in range(count):
        spending.add(ONE, seconds, size)
