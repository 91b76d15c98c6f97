"""Leases that are moved for others while clients create, change and delete them: no host is booked twice."""

from collections.abc import Iterator

import pytest

from dibs.leases.model.errors import NotEnoughHosts
from dibs.leases.model.leases import Lease
from tests.booking_laws import broken_bookings
from tests.builders import Ledger
from tests.laws import read_tables
from tests.lease_builders import at, booked, change, delete, lease, make_host, whole
from tests.races.crowd import Caller, all_at_once, open_callers

CALLERS = 6
ROUNDS = 8


@pytest.fixture
def callers(ledger: Ledger, database_url: str) -> Iterator[list[Caller]]:
    with open_callers(ledger, database_url, CALLERS) as opened:
        yield opened


@pytest.fixture(autouse=True)
def check_bookings_afterwards(database_url: str) -> Iterator[None]:
    yield
    assert broken_bookings(read_tables(database_url)) == []


def split(ledger: Ledger, hour: int) -> list[Lease]:
    """Book a part of the day on each of three hosts: a lease of the whole day fits twice after moves."""
    return [lease(ledger, hour + part, hour + part + 1, whole(), seed=part) for part in range(3)]


def test_concurrent_leases_that_need_moves_get_the_hosts_that_there_are(ledger, callers):
    for _ in range(3):
        make_host(ledger)
    for number in range(ROUNDS):
        hour = 4 * number
        made = split(ledger, hour)
        answers = all_at_once(
            CALLERS, lambda caller, hour=hour: lease(callers[caller], hour, hour + 3, whole(), seed=None)
        )
        won = [answer for answer in answers if isinstance(answer, Lease)]
        assert all(isinstance(answer, Lease | NotEnoughHosts) for answer in answers), answers
        assert len(won) == 2
        assert len({host for each in made for host in booked(ledger, each)}) == 1


def test_lease_that_is_moved_and_changed_at_once_keeps_one_window(ledger, callers, database_url):
    for _ in range(3):
        make_host(ledger)
    for number in range(ROUNDS):
        hour = 4 * number
        made = split(ledger, hour)

        def act(caller: int, hour: int = hour, made: list[Lease] = made) -> object:
            if caller == 0:
                return change(callers[0], made[0], end_at=at(hour + 0.5))
            if caller == 1:
                return change(callers[1], made[1], start_at=at(hour + 0.5), end_at=at(hour + 2.5))
            if caller == 2:
                return delete(callers[2], made[2])
            return lease(callers[caller], hour, hour + 3, whole(), seed=None)

        answers = all_at_once(CALLERS, act)
        assert all(isinstance(each, Lease | NotEnoughHosts) or each is None for each in answers), answers
        assert broken_bookings(read_tables(database_url)) == []
