"""A lease at its time: it begins, it ends, and leaves nothing behind."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.conductor.leases import LeaseWorker
from dibs.database.schema import metadata
from dibs.leases.model.errors import HostKeptForLeases, NodeBooked
from dibs.leases.model.leases import ACTIVE, DONE, PENDING, TERMINATED, UNDONE, WHOLE_HOST
from dibs.leases.operations.events import DueEvent, ListDueEvents, fail_event, list_due_events, run_event
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.operations.claims import ReplaceClaims, replace_claims
from dibs.ledger.operations.provider_traits import SetProviderTraits, set_provider_traits
from dibs.machines.model.errors import NothingToHold
from dibs.machines.operations.holds import CreateHold, create_hold
from tests import lease_builders as leases
from tests import server_builders as servers
from tests.builders import Ledger


@pytest.fixture
def worker(ledger: Ledger) -> LeaseWorker:
    """What a conductor does with leases, without its thread."""
    return LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=1, cleaning_minutes=0)


def until(ledger: Ledger, moment: int) -> None:
    """Let time pass until a moment."""
    ledger.clock.move((moment - ledger.clock()) / 1_000_000)


def rows(ledger: Ledger, table: str) -> list[dict[str, object]]:
    query = metadata.tables[table].select()
    return ledger.store.read(lambda tx: tx.rows(query))


def inventory_of(ledger: Ledger, reservation_class: str) -> dict[int, int]:
    """How many instances each provider offers of a class; empty when there is no such class."""
    classes = {row["id"]: row["name"] for row in rows(ledger, "resource_classes")}
    return {
        row["provider_id"]: row["total"]
        for row in rows(ledger, "inventories")
        if classes[row["class_id"]] == reservation_class
    }


def test_nothing_happens_before_its_time(ledger, worker):
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(2))
    assert worker.run_events() == 0
    assert leases.shown(ledger, made).status == PENDING


def test_a_lease_that_begins_offers_its_instances_where_they_lie(ledger, worker):
    hosts = {host.id: host for host in (leases.make_host(ledger) for _ in range(2))}
    made = leases.lease(ledger, 1, 2, leases.instances(3, vcpus=30))
    until(ledger, leases.at(1))
    worker.run_events()
    now = leases.shown(ledger, made)
    assert now.status == ACTIVE
    assert now.event("start_lease").status == DONE
    assert now.event("end_lease").status == UNDONE
    offered = inventory_of(ledger, made.reservations[0].resource_class)
    assert offered == {
        hosts[host].reservation_provider_id: amount for host, amount in leases.booked(ledger, made).items()
    }
    assert sum(offered.values()) == 3
    (access,) = rows(ledger, "flavor_access")
    assert access["project_id"] == leases.OWNER.actor.project


def test_a_lease_that_ends_leaves_neither_flavor_nor_inventory_nor_class_nor_booking_nor_server(ledger, worker):
    leases.make_host(ledger)
    before = {row["name"] for row in rows(ledger, "resource_classes")}
    made = leases.lease(ledger, 1, 2, leases.instances(2))
    until(ledger, leases.at(1))
    worker.run_events()
    launched = launch(ledger, made)
    assert launched.status == "ACTIVE"
    until(ledger, leases.at(2))
    worker.run_events()
    assert leases.shown(ledger, made).status == TERMINATED
    for table in ("flavors", "flavor_access", "bookings", "servers", "claims", "consumers"):
        assert rows(ledger, table) == [], table
    assert {row["name"] for row in rows(ledger, "resource_classes")} == before
    assert all(row["used"] == 0 for row in rows(ledger, "inventories"))


def launch(ledger, made, actor=leases.OWNER, **options):
    """A server of a lease's first reservation."""
    reservation = made.reservations[0]
    if reservation.resource_type == WHOLE_HOST:
        return servers.launch(ledger, servers.flavor(ledger), actor, reservation=reservation.uuid, **options)
    (flavor,) = [row for row in rows(ledger, "flavors") if row["reservation_id"] == reservation.id]
    return servers.launch(ledger, _Named(flavor["flavor"]), actor, **options)


class _Named:
    def __init__(self, flavor: object) -> None:
        self.flavor = str(flavor)


def test_no_more_instances_than_reserved_can_be_launched(ledger, worker):
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(2))
    until(ledger, leases.at(1))
    worker.run_events()
    assert [launch(ledger, made).status for _ in range(3)] == ["ACTIVE", "ACTIVE", "ERROR"]


def test_a_lease_deleted_while_it_runs_leaves_nothing(ledger, worker):
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(1), leases.instances(1))
    until(ledger, leases.at(1))
    worker.run_events()
    launch(ledger, made)
    leases.delete(ledger, made)
    for table in ("leases", "lease_events", "lease_reservations", "flavors", "bookings", "servers", "claims"):
        assert rows(ledger, table) == [], table


def test_what_ends_at_noon_ends_before_what_begins_at_noon(ledger, worker):
    leases.make_host(ledger)
    first = leases.lease(ledger, 1, 2, leases.whole())
    second = leases.lease(ledger, 2, 3, leases.whole())
    until(ledger, leases.at(1))
    worker.run_events()
    launched = launch(ledger, first)
    assert launched.status == "ACTIVE"
    until(ledger, leases.at(2))
    worker.run_events()
    assert leases.shown(ledger, first).status == TERMINATED
    assert leases.shown(ledger, second).status == ACTIVE
    assert rows(ledger, "servers") == []


def test_a_lease_waits_for_a_host_that_was_not_given_back(ledger, worker):
    leases.make_host(ledger)
    leases.lease(ledger, 1, 2, leases.whole())
    second = leases.lease(ledger, 2, 3, leases.whole())
    until(ledger, leases.at(2))
    assert not ledger.runner.write(run_event, SERVICE, DueEvent(lease=second.uuid, kind="start_lease"))
    while worker.run_events():
        continue
    assert leases.shown(ledger, second).status == ACTIVE


def test_those_who_wait_for_a_lease_that_cannot_end_keep_nobody_else_waiting(ledger, worker):
    leases.make_host(ledger)
    first = leases.lease(ledger, 1, 2, leases.whole())
    second = leases.lease(ledger, 2, 3, leases.whole())
    until(ledger, leases.at(1))
    worker.run_events()
    until(ledger, leases.at(3) - leases.HOUR // 2)
    assert ledger.runner.write(fail_event, SERVICE, DueEvent(lease=first.uuid, kind="end_lease"))
    assert due(ledger) == []
    leases.delete(ledger, first)
    assert due(ledger) == [(second.uuid, "start_lease")]


def due(ledger: Ledger) -> list[tuple[str, str]]:
    """What starts and ends are due."""
    found = ledger.runner.read(list_due_events, SERVICE, ListDueEvents(count_max=9))
    return [(event.lease, event.kind) for event in found if event.kind != "before_end_lease"]


def test_an_event_runs_once(ledger, worker):
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.whole())
    until(ledger, leases.at(1))
    event = DueEvent(lease=made.uuid, kind="start_lease")
    assert [ledger.runner.write(run_event, SERVICE, event) for _ in range(2)] == [True, False]


def test_a_whole_lease_that_was_slept_through_begins_and_ends(ledger, worker):
    leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(1))
    until(ledger, leases.at(9))
    while worker.run_events():
        continue
    assert leases.shown(ledger, made).status == TERMINATED
    assert rows(ledger, "bookings") == []


# --- what a lease holds nobody else takes ---


def test_nobody_claims_a_compute_host_that_is_kept_for_leases(ledger):
    host = leases.make_host(ledger)
    with pytest.raises(HostKeptForLeases, match="kept for leases"):
        claim(ledger, {host.provider: {"VCPU": 1}})


def claim(ledger: Ledger, resources, project: str | None = "p") -> str:
    request = ClaimRequest(consumer=str(uuid.uuid4()), resources=resources, project_id=project, user_id="u")
    ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))
    return request.consumer


def test_placement_claims_go_through_with_the_class_of_a_reservation_there(ledger, worker):
    host = leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(1))
    until(ledger, leases.at(1))
    worker.run_events()
    with_class = {host.provider: {"VCPU": 1}, host.reservation_provider: {made.reservations[0].resource_class: 1}}
    consumer = claim(ledger, with_class)
    assert consumer in {row["uuid"] for row in rows(ledger, "consumers")}
    until(ledger, leases.at(2))
    worker.run_events()
    assert rows(ledger, "claims") == []


def test_a_project_that_has_a_host_whole_may_claim_it_and_no_other_may(ledger, worker):
    host = leases.make_host(ledger)
    leases.lease(ledger, 1, 2, leases.whole())
    until(ledger, leases.at(1))
    worker.run_events()
    with pytest.raises(HostKeptForLeases):
        claim(ledger, {host.provider: {"VCPU": 1}}, project="strangers")
    claim(ledger, {host.provider: {"VCPU": 1}}, project=leases.OWNER.actor.project)


def test_a_server_without_a_lease_does_not_land_on_a_host_for_leases(ledger):
    leases.make_host(ledger)
    assert servers.launch(ledger, servers.flavor(ledger)).status == "ERROR"


def test_a_booked_node_takes_no_instance_and_no_claim(ledger):
    node = ledger.enrol(resource_class="gold")
    leases.register(ledger, node)
    leases.lease(ledger, 100, 101, leases.whole())
    with pytest.raises(NodeBooked, match="is booked"):
        ledger.change(node, instance_uuid=str(uuid.uuid4()))
    with pytest.raises(NodeBooked):
        claim(ledger, {node.uuid: {"CUSTOM_GOLD": 1}})
    with pytest.raises(NodeBooked):
        ledger.change(node, resource_class="silver")


def test_a_node_that_is_only_registered_is_anybodys(ledger):
    node = ledger.enrol(resource_class="gold")
    leases.register(ledger, node)
    assert ledger.change(node, instance_uuid=str(uuid.uuid4())).instance_uuid


@pytest.mark.parametrize(("seconds", "fits"), [(3_000, True), (3 * 3_600, False)])
def test_a_hold_may_have_a_booked_node_if_it_ends_in_time(ledger, seconds, fits):
    node = ledger.enrol(resource_class="gold")
    leases.register(ledger, node)
    leases.lease(ledger, 1, 2, leases.whole())
    command = CreateHold(uuid=str(uuid.uuid4()), instance_uuid=str(uuid.uuid4()), nodes=(node.uuid,), seconds=seconds)
    if fits:
        ledger.runner.write(create_hold, SERVICE, command)
    else:
        with pytest.raises(NothingToHold, match="booked by a lease"):
            ledger.runner.write(create_hold, SERVICE, command)


def test_a_node_of_a_lease_is_deployed_for_its_server_alone(ledger, worker):
    node = ledger.enrol(resource_class="gold")
    leases.register(ledger, node)
    made = leases.lease(ledger, 1, 2, leases.flavored(servers.node_flavor(ledger, "gold").flavor))
    assert servers.launch(ledger, servers.node_flavor(ledger, "gold")).status == "ERROR"
    until(ledger, leases.at(1))
    worker.run_events()
    ledger.revive_conductor()
    assert servers.launch(ledger, servers.node_flavor(ledger, "gold")).status == "ERROR"
    launched = launch(ledger, made)
    assert launched.status == "BUILD"
    assert ledger.node(node).instance_uuid == launched.server.uuid


# --- other hosts for those that break ---


def test_a_node_in_maintenance_is_replaced_before_the_lease_begins(ledger, worker):
    nodes = {leases.register(ledger, node).id: node for node in (ledger.enrol(resource_class="gold") for _ in range(2))}
    made = leases.lease(ledger, 1, 2, leases.whole())
    (broken,) = leases.booked(ledger, made)
    ledger.change(nodes[broken], maintenance=True)
    assert worker.reassign() == 1
    now = leases.shown(ledger, made)
    assert (now.degraded, now.reservations[0].resources_changed, now.reservations[0].missing_resources) == (
        True,
        True,
        False,
    )
    assert leases.booked(ledger, made).keys() == nodes.keys() - {broken}
    assert worker.reassign() == 0


def test_a_host_without_replacement_is_missing_until_there_is_one(ledger, worker):
    host = leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(2))
    disable(ledger, host)
    assert worker.reassign() == 1
    now = leases.shown(ledger, made)
    assert (now.degraded, now.reservations[0].missing_resources) == (True, True)
    assert leases.booked(ledger, made) == {}
    assert worker.reassign() == 0
    other = leases.make_host(ledger)
    assert worker.reassign() == 1
    now = leases.shown(ledger, made).reservations[0]
    assert (now.missing_resources, now.resources_changed) == (False, True)
    assert leases.booked(ledger, made) == {other.id: 2}


def disable(ledger: Ledger, host) -> None:
    command = SetProviderTraits(provider=host.provider, generation=None, traits=("COMPUTE_STATUS_DISABLED",))
    ledger.runner.write(set_provider_traits, SERVICE, command)


def test_a_lease_that_has_begun_keeps_its_hosts(ledger, worker):
    node = ledger.enrol(resource_class="gold")
    leases.register(ledger, node)
    made = leases.lease(ledger, 1, 2, leases.whole())
    until(ledger, leases.at(1))
    worker.run_events()
    ledger.change(node, maintenance=True)
    assert worker.reassign() == 0
    assert not leases.shown(ledger, made).degraded


# --- a year ---


@pytest.mark.one_engine
def test_a_year_of_leases_on_one_host(ledger, worker):
    leases.make_host(ledger)
    made = [leases.lease(ledger, day * 24 + 1, day * 24 + 20, leases.whole()) for day in range(365)]
    for day in range(365):
        until(ledger, leases.at(day * 24 + 1))
        worker.run_events()
        assert leases.shown(ledger, made[day]).status == ACTIVE
        until(ledger, leases.at(day * 24 + 20))
        while worker.run_events():
            continue
        assert leases.shown(ledger, made[day]).status == TERMINATED
    assert rows(ledger, "bookings") == []
