"""Reassignment of reservations whose hosts fail before or after the lease begins."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.conductor.leases import LeaseWorker
from dibs.leases.model.leases import START, Lease
from dibs.leases.operations.events import DueEvent, run_event
from dibs.leases.operations.updates import ReservationUpdate
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.operations.claims import ReplaceClaims, replace_claims
from dibs.ledger.operations.provider_traits import SetProviderTraits, set_provider_traits
from tests import event_rows
from tests import lease_builders as leases
from tests.builders import Ledger
from tests.laws import read_tables
from tests.lease_laws import broken_lease_laws


@pytest.fixture
def worker(ledger: Ledger) -> LeaseWorker:
    """The part of a conductor that runs events and reassigns hosts, without its thread."""
    return LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=1, cleaning_minutes=0)


def disable(ledger: Ledger, host) -> None:
    command = SetProviderTraits(provider=host.provider, generation=None, traits=("COMPUTE_STATUS_DISABLED",))
    ledger.runner.write(set_provider_traits, SERVICE, command)


def enable(ledger: Ledger, host) -> None:
    ledger.runner.write(
        set_provider_traits, SERVICE, SetProviderTraits(provider=host.provider, generation=None, traits=())
    )


def marks(ledger: Ledger, made: Lease) -> tuple[bool, bool, bool]:
    """Return whether a lease is degraded, misses hosts and has other hosts."""
    shown = leases.shown(ledger, made)
    return shown.degraded, shown.reservations[0].missing_resources, shown.reservations[0].resources_changed


def test_node_in_maintenance_is_replaced_before_the_lease_begins(ledger, worker):
    nodes = {leases.register(ledger, node).id: node for node in (ledger.enrol(resource_class="gold") for _ in range(2))}
    made = leases.lease(ledger, 1, 2, leases.whole())
    (failed,) = leases.booked(ledger, made)
    ledger.change(nodes[failed], maintenance=True)
    assert worker.reassign() == 1
    assert marks(ledger, made) == (False, False, False)
    assert leases.booked(ledger, made).keys() == nodes.keys() - {failed}
    assert worker.reassign() == 0


def test_another_lease_moves_when_only_its_host_can_replace_a_failed_one(ledger, worker):
    hosts = [leases.make_host(ledger, gpu="a"), leases.make_host(ledger, gpu="a"), leases.make_host(ledger, gpu="b")]
    only = leases.whole(resource_properties='["==", "$gpu", "a"]')
    needing = leases.lease(ledger, 1, 2, only)
    (failed,) = leases.booked(ledger, needing)
    spare = next(host for host in hosts[:2] if host.id != failed)
    other = leases.lease(ledger, 1, 2, leases.whole(2))
    assert leases.booked(ledger, other).keys() == {spare.id, hosts[2].id}
    free = leases.make_host(ledger, gpu="c")
    disable(ledger, next(host for host in hosts if host.id == failed))
    assert worker.reassign() == 1
    assert marks(ledger, needing) == (False, False, False)
    assert leases.booked(ledger, needing).keys() == {spare.id}
    assert leases.booked(ledger, other).keys() == {hosts[2].id, free.id}


def test_host_without_replacement_is_missing_until_one_is_available(ledger, worker):
    host = leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(2))
    disable(ledger, host)
    assert worker.reassign() == 1
    assert marks(ledger, made) == (True, True, False)
    assert leases.booked(ledger, made) == {}
    assert worker.reassign() == 0
    other = leases.make_host(ledger)
    assert worker.reassign() == 1
    assert marks(ledger, made) == (False, False, False)
    assert leases.booked(ledger, made) == {other.id: 2}


def test_active_lease_of_a_whole_host_gets_another_one_and_is_marked(ledger, worker):
    hosts = {each.id: each for each in (leases.make_host(ledger), leases.make_host(ledger))}
    made = begin(ledger, worker, leases.lease(ledger, 1, 3, leases.whole()))
    (failed,) = leases.booked(ledger, made)
    disable(ledger, hosts[failed])
    assert worker.reassign() == 1
    assert marks(ledger, made) == (True, False, True)
    assert leases.booked(ledger, made).keys() == hosts.keys() - {failed}
    assert worker.reassign() == 0


def test_active_lease_without_another_host_is_marked_until_one_is_back(ledger, worker, database_url):
    host = leases.make_host(ledger)
    made = begin(ledger, worker, leases.lease(ledger, 1, 3, leases.instances(2)))
    disable(ledger, host)
    assert worker.reassign() == 1
    assert marks(ledger, made) == (True, True, False)
    assert leases.booked(ledger, made) == {}
    assert broken_lease_laws(read_tables(database_url)) == []
    enable(ledger, host)
    assert worker.reassign() == 1
    assert marks(ledger, made) == (True, False, True)
    assert leases.booked(ledger, made) == {host.id: 2}
    assert broken_lease_laws(read_tables(database_url)) == []


def test_lease_that_began_without_a_host_gets_it_when_it_is_back(ledger, worker, database_url):
    host = leases.make_host(ledger)
    made = leases.lease(ledger, 1, 3, leases.instances(2))
    disable(ledger, host)
    assert worker.reassign() == 1
    begin(ledger, worker, made)
    assert (marks(ledger, made), leases.booked(ledger, made)) == ((True, True, False), {})
    enable(ledger, host)
    assert worker.reassign() == 1
    assert leases.booked(ledger, made) == {host.id: 2}
    assert not leases.shown(ledger, made).reservations[0].missing_resources
    assert broken_lease_laws(read_tables(database_url)) == []


def test_used_whole_host_stays_booked_beside_its_replacement_until_it_is_not_used(ledger, worker):
    hosts = {each.id: each for each in (leases.make_host(ledger), leases.make_host(ledger))}
    made = begin(ledger, worker, leases.lease(ledger, 1, 3, leases.whole()))
    (failed,) = leases.booked(ledger, made)
    consumer = claim(ledger, {hosts[failed].provider: {"VCPU": 1}})
    disable(ledger, hosts[failed])
    assert worker.reassign() == 1
    assert leases.booked(ledger, made).keys() == hosts.keys()
    assert worker.reassign() == 0
    claim(ledger, {}, consumer)
    assert worker.reassign() == 1
    assert leases.booked(ledger, made).keys() == hosts.keys() - {failed}


def test_used_instances_of_a_disabled_host_stay_and_the_others_move(ledger, worker, database_url):
    first = leases.make_host(ledger)
    made = begin(ledger, worker, leases.lease(ledger, 1, 3, leases.instances(3)))
    name = made.reservations[0].resource_class
    claim(ledger, {first.provider: {"VCPU": 1}, first.reservation_provider: {name: 1}})
    second = leases.make_host(ledger)
    disable(ledger, first)
    assert worker.reassign() == 1
    assert leases.booked(ledger, made) == {first.id: 1, second.id: 2}
    assert broken_lease_laws(read_tables(database_url)) == []


def test_host_that_an_earlier_lease_has_not_released_is_not_given_to_an_active_lease(ledger, worker):
    first = leases.make_host(ledger, rack="a")
    second = leases.make_host(ledger, rack="b")
    leases.lease(ledger, 1, 2, leases.whole(resource_properties='["==", "$rack", "b"]'))
    mine = leases.lease(ledger, 2, 4, leases.whole(resource_properties='["==", "$rack", "a"]'))
    begin(ledger, worker, mine, hours=1)
    leases.change(ledger, mine, ReservationUpdate(uuid=mine.reservations[0].uuid, values={"resource_properties": ""}))
    ledger.clock.move(3_600)
    assert ledger.runner.write(run_event, SERVICE, DueEvent(lease=mine.uuid, kind=START))
    disable(ledger, first)
    assert worker.reassign() == 0
    worker.run_events()
    assert worker.reassign() == 1
    assert leases.booked(ledger, mine) == {second.id: 1}


def begin(ledger: Ledger, worker: LeaseWorker, made: Lease, hours: float = 1) -> Lease:
    """Move the clock and run the events that are due."""
    ledger.clock.move((leases.at(hours) - ledger.clock()) / 1_000_000)
    worker.run_events()
    return made


def claim(ledger: Ledger, resources, consumer: str = "") -> str:
    request = ClaimRequest(consumer=consumer or str(uuid.uuid4()), resources=resources, project_id="p", user_id="u")
    ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))
    return request.consumer


@pytest.mark.parametrize("spare", [0, 1])
def test_project_of_a_lease_is_told_that_a_host_is_lost_and_whether_it_is_replaced(ledger, worker, spare):
    hosts = {host.id: host for host in (leases.make_host(ledger) for _ in range(1 + spare))}
    made = leases.lease(ledger, 1, 2, leases.whole())
    (failed,) = leases.booked(ledger, made)
    disable(ledger, hosts[failed])
    worker.reassign()
    worker.reassign()
    (event,) = [row for row in event_rows.rows(ledger.store) if row["type"] == "lease.node_lost"]
    assert (event["object_id"], event["project_id"]) == (made.uuid, leases.OWNER.actor.project)
    assert event["node"] == hosts[failed].provider
    assert event["after_state"] == {"replaced": bool(spare)}
