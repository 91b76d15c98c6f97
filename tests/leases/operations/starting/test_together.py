"""Leases that start in one transaction, and those that are left to start alone."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dibs.access.access import SERVICE
from dibs.conductor.leases import LeaseWorker
from dibs.leases.model.leases import ACTIVE, ERROR, PENDING, Lease
from dibs.leases.operations.events import RETRY_MICROSECONDS
from dibs.leases.operations.starting import starts, together
from dibs.leases.operations.starting.together import StartedLeases, StartLeases, start_leases
from dibs.leases.queries import hosts
from dibs.leases.queries import leases as lease_queries
from dibs.ledger.queries import providers
from tests import event_rows
from tests import lease_builders as leases
from tests.builders import Ledger
from tests.provider_builders import statements
from tests.races.crowd import open_callers

WAIT_SECONDS = 60


def start(ledger: Ledger, made: list[Lease]) -> StartedLeases:
    command = StartLeases(leases=tuple(each.uuid for each in made))
    return ledger.runner.write(start_leases, SERVICE, command)


def make_leases(ledger: Ledger, count: int) -> list[Lease]:
    """Make leases, each with a host of its own, that start after an hour, and wait until then."""
    made = []
    for number in range(count):
        leases.make_host(ledger)
        wanted = leases.instances(2, vcpus=32) if number % 2 else leases.whole()
        made.append(leases.lease(ledger, 1, 2, wanted, rules=leases.NO_NOTICE))
    ledger.clock.move((leases.at(1) - ledger.clock()) / 1_000_000)
    return made


def states(ledger: Ledger, made: list[Lease]) -> list[str]:
    return [leases.shown(ledger, each).status for each in made]


def test_leases_start_together_once(ledger: Ledger) -> None:
    made = make_leases(ledger, 4)
    assert start(ledger, made) == StartedLeases(count=4)
    assert states(ledger, made) == [ACTIVE] * 4
    assert start(ledger, made) == StartedLeases(count=0)
    found = [row["type"] for row in event_rows.rows(ledger.store)]
    assert (found.count("lease.started"), found.count("booking.started")) == (4, 4)


def test_more_leases_take_no_more_statements(ledger: Ledger) -> None:
    made = make_leases(ledger, 8)
    few = statements(ledger, lambda: start(ledger, made[:2]))
    # One more locks the buckets of the structure, if there are several.
    assert statements(ledger, lambda: start(ledger, made[2:])) <= few + 1


def test_a_lease_that_is_not_due_or_follows_another_is_left_out(ledger: Ledger) -> None:
    leases.make_host(ledger)
    first = leases.lease(ledger, 1, 2, leases.whole())
    second = leases.lease(ledger, 2, 3, leases.whole())
    ledger.clock.move((leases.at(2) - ledger.clock()) / 1_000_000)
    leases.make_host(ledger)
    later = leases.lease(ledger, 3, 4, leases.whole())
    assert start(ledger, [first, second, later]) == StartedLeases(count=1)
    assert states(ledger, [first, second, later]) == [ACTIVE, PENDING, PENDING]


def test_leases_with_too_many_hosts_start_alone(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_leases(ledger, 3)
    monkeypatch.setattr(together, "HOSTS_MAX", 2)
    assert start(ledger, made) == StartedLeases(count=0, alone=frozenset(each.uuid for each in made))
    assert states(ledger, made) == [PENDING] * 3


def test_a_broken_lease_does_not_keep_others_from_starting(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, *sound = make_leases(ledger, 4)
    announce = starts.booking_started_event

    def fail(lease, provider):
        assert lease.uuid != broken.uuid
        return announce(lease, provider)

    monkeypatch.setattr(starts, "booking_started_event", fail)
    worker = LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=0, cleaning_minutes=0)
    assert worker.run_events() == 3
    assert states(ledger, [broken, *sound]) == [PENDING, ACTIVE, ACTIVE, ACTIVE]
    ledger.clock.move(RETRY_MICROSECONDS / 1_000_000)
    worker.run_events()
    assert states(ledger, [broken]) == [ERROR]


@contextmanager
def locked(ledger: Ledger, database_url: str, lease: Lease, provider_id: int) -> Iterator[None]:
    """Let another transaction hold the locks of a lease and of a provider."""
    holds, release = threading.Event(), threading.Event()

    def hold(tx):
        lease_queries.lock(tx, lease.uuid)
        providers.lock_many(tx, [provider_id], 0)
        holds.set()
        assert release.wait(WAIT_SECONDS)

    with open_callers(ledger, database_url, 1) as (other,):
        holder = threading.Thread(target=other.store.write, args=(hold,))
        holder.start()
        try:
            assert holds.wait(WAIT_SECONDS)
            yield
        finally:
            release.set()
            holder.join()


@pytest.mark.server_engines
def test_leases_do_not_wait_for_a_lock_of_another_one(ledger: Ledger, database_url: str) -> None:
    busy, on_busy_host, *others = made = make_leases(ledger, 4)
    (host_id,) = leases.booked(ledger, on_busy_host)
    (host,) = ledger.store.read(lambda tx: hosts.bare(tx, [host_id]))
    with locked(ledger, database_url, busy, host.provider_id):
        assert start(ledger, made) == StartedLeases(count=2, alone=frozenset({on_busy_host.uuid}))
    assert states(ledger, others) == [ACTIVE, ACTIVE]
    assert start(ledger, made) == StartedLeases(count=2)


def test_leases_that_start_change_the_rows_of_their_hosts(ledger: Ledger) -> None:
    """A Galera cluster compares the changed rows of two transactions, not their locks."""
    made = make_leases(ledger, 2)
    booked = [host_id for each in made for host_id in leases.booked(ledger, each)]
    uuids = [host.provider for host in ledger.store.read(lambda tx: hosts.bare(tx, booked))]
    start(ledger, made)
    found = ledger.store.read(lambda tx: providers.find(tx, uuids))
    assert [each.updated_at is not None and each.updated_at >= leases.at(1) for each in found.values()] == [True, True]
