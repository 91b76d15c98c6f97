import pytest

from dibs.access.access import SERVICE
from dibs.conductor.leases import LeaseWorker
from dibs.servers.operations.aggregates import list_aggregates
from tests.builders import Ledger
from tests.lease_builders import at, booked, instances, lease, make_host, whole
from tests.provider_builders import statements


@pytest.fixture
def worker(ledger: Ledger) -> LeaseWorker:
    return LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=0, cleaning_minutes=0)


def test_hosts_move_from_the_pool_to_the_aggregate_of_an_active_reservation(
    ledger: Ledger, worker: LeaseWorker
) -> None:
    names = {host.id: host.name for host in (make_host(ledger, f"compute-{number}") for number in (1, 2, 3))}
    made = lease(ledger, 1, 3, whole())
    lease(ledger, 1, 3, instances(1))
    (pool,) = ledger.runner.read(list_aggregates, SERVICE, None)
    assert (pool.name, set(pool.hosts), pool.zone) == ("freepool", set(names.values()), None)
    ledger.clock.move((at(1) - ledger.clock()) / 1_000_000)
    worker.run_events()
    pool, reserved = ledger.runner.read(list_aggregates, SERVICE, None)
    (host_id,) = booked(ledger, made)
    assert (reserved.name, reserved.hosts, reserved.project_id) == (
        made.reservations[0].uuid,
        (names[host_id],),
        "p",
    )
    assert set(pool.hosts) == set(names.values()) - {names[host_id]}
    ledger.clock.move(3 * 3_600)
    worker.run_events()
    (pool,) = ledger.runner.read(list_aggregates, SERVICE, None)
    assert set(pool.hosts) == set(names.values())


def test_list_takes_as_many_statements_for_many_reservations_as_for_none(ledger: Ledger, worker: LeaseWorker) -> None:
    few = statements(ledger, lambda: ledger.runner.read(list_aggregates, SERVICE, None))
    for number in range(4):
        make_host(ledger, f"compute-{number}")
        lease(ledger, 1, 3, whole())
    ledger.clock.move((at(1) - ledger.clock()) / 1_000_000)
    worker.run_events()
    assert statements(ledger, lambda: ledger.runner.read(list_aggregates, SERVICE, None)) == few
