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
    assert not spending.is_expensive(ONE)
    spending.add(ONE, 2 * EXPENSIVE_SECONDS, 0)
    spending.add(OTHER, EXPENSIVE_SECONDS / 2, 0)
    assert spending.is_expensive(ONE)
    assert not spending.is_expensive(OTHER)
    clock.now += 20 * HALVING_SECONDS
    spending.add(OTHER, 0.0, 0)
    assert not spending.is_expensive(ONE)


def test_caller_of_cheap_requests_is_never_expensive() -> None:
    spending = Spending()
    for _ in range(1_000):
        spending.add(ONE, EXPENSIVE_SECONDS / 2, 1_000)
    assert not spending.is_expensive(ONE)


def test_many_cheap_requests_do_not_hide_a_few_expensive_ones() -> None:
    spending = Spending()
    spending.add(ONE, 30 * EXPENSIVE_SECONDS, 0)
    for _ in range(100):
        spending.add(ONE, EXPENSIVE_SECONDS / 10, 0)
    assert spending.is_expensive(ONE)


def test_large_bodies_and_answers_are_expensive() -> None:
    spending = Spending()
    spending.add(ONE, 0.001, 4_000_000)
    assert spending.is_expensive(ONE)
