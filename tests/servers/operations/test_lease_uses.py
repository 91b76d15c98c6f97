"""Servers of leases: on reserved instances and on booked hosts, which no other server may use."""

from uuid import uuid4

from dibs.access.access import SERVICE
from dibs.flavors.model.flavors import Flavor
from dibs.flavors.queries import flavors
from dibs.leases.model.leases import END, START, Lease
from dibs.leases.operations.events import DueEvent, run_event
from dibs.ledger.queries import claim_views
from dibs.machines.model import states
from dibs.machines.operations.conductors import RegisterConductor, register_conductor
from dibs.servers.model.servers import ServerView
from dibs.servers.queries import servers
from tests.builders import Ledger, trusted
from tests.lease_builders import HOUR, OWNER, delete, flavored, instances, lease, make_host, register, whole
from tests.server_builders import flavor, host, launch, look, node_flavor

STRANGER = trusted(user="s", project="q", roles=frozenset({"member", "reader"}))


def run_due_event(ledger: Ledger, kind: str, made: Lease) -> None:
    """Move the clock to an event of a lease and run it."""
    due = next(event.due_at for event in made.events if event.kind == kind)
    ledger.clock.move(max(0, due - ledger.clock() + HOUR // 60) / 1_000_000)
    register_conductor_again(ledger)
    assert ledger.runner.write(run_event, SERVICE, DueEvent(lease=made.uuid, kind=kind))


def register_conductor_again(ledger: Ledger) -> None:
    """Register the conductor again: its last heartbeat is hours old."""
    command = RegisterConductor(hostname="conductor-1", group="", drivers=("fake-hardware",), incarnation=str(uuid4()))
    ledger.runner.write(register_conductor, SERVICE, command)


def flavor_of(ledger: Ledger, made: Lease) -> Flavor:
    found = ledger.store.read(lambda tx: flavors.get(tx, made.reservations[0].uuid))
    assert found is not None
    return found


def classes_of(ledger: Ledger, view: ServerView) -> set[str]:
    rows = ledger.store.read(lambda tx: claim_views.of_consumer(tx, view.server.uuid))
    return {row["resource_class"] for row in rows}


def deleted(ledger: Ledger, view: ServerView) -> bool:
    return ledger.store.read(lambda tx: servers.get(tx, view.server.uuid)) is None


def test_reserved_instances_are_launched_with_their_flavor_up_to_the_reserved_number(ledger: Ledger) -> None:
    leased = make_host(ledger)
    made = lease(ledger, 0, 2, instances(2, vcpus=4))
    run_due_event(ledger, START, made)
    kind = flavor_of(ledger, made)
    launched = [launch(ledger, kind, OWNER, visibility=frozenset({"p"})) for _ in range(3)]
    assert [view.status for view in launched] == ["ACTIVE", "ACTIVE", "ERROR"]
    assert launched[0].host == leased.name
    assert classes_of(ledger, launched[0]) == {"VCPU", "MEMORY_MB", made.reservations[0].resource_class}
    run_due_event(ledger, END, made)
    assert all(deleted(ledger, view) for view in launched)
    assert classes_of(ledger, launched[0]) == set()


def test_server_launched_before_its_lease_starts_fails_and_is_deleted_with_the_lease(ledger: Ledger) -> None:
    make_host(ledger)
    made = lease(ledger, 0, 2, instances(1))
    refused = launch(ledger, flavor_of(ledger, made), OWNER)
    assert refused.status == "ERROR"
    assert refused.fault is not None
    assert refused.fault.endswith("is pending: its lease is PENDING.")
    foreign = launch(ledger, flavor_of(ledger, made), STRANGER)
    delete(ledger, made)
    assert deleted(ledger, refused)
    assert not deleted(ledger, foreign)


def test_server_without_a_lease_never_runs_on_a_bookable_compute_host(ledger: Ledger) -> None:
    make_host(ledger)
    small = flavor(ledger)
    assert launch(ledger, small).status == "ERROR"
    free = host(ledger, "free", vcpus=1)
    assert launch(ledger, small).host == free.name
    assert launch(ledger, small).status == "ERROR"


def test_reservation_hint_selects_the_hosts_of_the_lease_for_its_project_only(ledger: Ledger) -> None:
    leased = make_host(ledger)
    make_host(ledger)
    small = flavor(ledger)
    made = lease(ledger, 0, 2, whole(1))
    reservation = made.reservations[0].uuid
    assert launch(ledger, small, OWNER, reservation=reservation).status == "ERROR"
    run_due_event(ledger, START, made)
    placed = launch(ledger, small, OWNER, reservation=reservation)
    assert placed.status == "ACTIVE"
    assert {launch(ledger, small, OWNER, reservation=reservation).host for _ in range(5)} == {placed.host}
    assert placed.host is not None
    assert leased.name is not None
    stranger = launch(ledger, small, STRANGER, reservation=reservation)
    assert stranger.fault == f"No valid host was found. Reservation {reservation} could not be found."
    run_due_event(ledger, END, made)
    assert deleted(ledger, placed)


def test_booked_node_is_deployed_for_its_lease_only_and_torn_down_at_its_end(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold", automated_clean=False)
    register(ledger, node)
    kind = node_flavor(ledger, "gold")
    made = lease(ledger, 0, 2, flavored(kind.flavor))
    assert launch(ledger, kind).status == "ERROR"
    run_due_event(ledger, START, made)
    assert launch(ledger, kind).status == "ERROR"
    placed = launch(ledger, flavor_of(ledger, made), OWNER)
    assert (placed.status, placed.node, placed.fault) == ("BUILD", node.uuid, None)
    assert classes_of(ledger, placed) == {"CUSTOM_GOLD", made.reservations[0].resource_class}
    run_due_event(ledger, END, made)
    # The deployment is still running: the claim on the node stays until the teardown, that on the reservation is gone.
    assert look(ledger, placed).delete_deferred
    assert classes_of(ledger, placed) == {"CUSTOM_GOLD"}
    assert ledger.node(node).provision_state == states.DEPLOYING


def test_hint_of_an_instance_reservation_is_refused_for_other_flavors(ledger: Ledger) -> None:
    make_host(ledger)
    made = lease(ledger, 0, 1, instances(1))
    run_due_event(ledger, START, made)
    reservation = made.reservations[0].uuid
    refused = launch(ledger, flavor(ledger), OWNER, reservation=reservation)
    assert refused.fault == f"No valid host was found. Reservation {reservation} is for instances: use its flavor."
