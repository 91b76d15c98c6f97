import pytest

from dibs.http.edge.guards.attempts import Attempts
from dibs.http.edge.guards.limits import FAILED_CHECKS_MAX, FAILED_CHECKS_WINDOW_SECONDS


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def failing(attempts: Attempts, *pairs: tuple[str, str]) -> None:
    for number in range(FAILED_CHECKS_MAX):
        attempts.failed(*pairs[number % len(pairs)])


def test_address_that_failed_often_waits_until_the_end_of_the_window() -> None:
    clock = Clock()
    attempts = Attempts(clock)
    failing(attempts, ("a", "eva"), ("a", "ada"))
    clock.now += 1
    assert attempts.wait_seconds("a", "ida") == FAILED_CHECKS_WINDOW_SECONDS
    assert attempts.wait_seconds("b", "ida") == 0
    clock.now += FAILED_CHECKS_WINDOW_SECONDS
    assert attempts.wait_seconds("a", "ida") == 0


@pytest.mark.parametrize("name", ["eva", ""])
def test_name_that_was_guessed_from_many_addresses_waits_at_every_address(name: str) -> None:
    attempts = Attempts(Clock())
    failing(attempts, *((f"a{number}", name) for number in range(10)))
    assert bool(attempts.wait_seconds("b", name)) == bool(name)
    assert attempts.wait_seconds("b", "ada") == 0


def test_guesses_elsewhere_do_not_lock_out_an_address_that_has_proven_the_name() -> None:
    attempts = Attempts(Clock())
    attempts.succeeded("home", "eva")
    failing(attempts, *((f"a{number}", "eva") for number in range(10)))
    assert attempts.wait_seconds("home", "eva") == 0
    assert attempts.wait_seconds("cafe", "eva") > 0
