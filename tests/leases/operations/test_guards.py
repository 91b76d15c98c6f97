"""Claims, holds and changes that leases refuse, in every dialect, and those that they allow."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.conductor.leases import LeaseWorker
from dibs.flavors.queries import flavors
from dibs.leases.model.errors import HostKeptForLeases, LeaseConflict, NodeBooked, ProviderIsHost
from dibs.leases.model.hosts import Host
from dibs.leases.model.leases import Lease
from dibs.ledger.model.claims import ClaimRequest
from dibs.ledger.model.errors import ResourceClassNotFound
from dibs.ledger.operations.claims import ReplaceClaims, replace_claims
from dibs.ledger.operations.inventories import PutInventory, SetInventories, Sizes, change_inventory, set_inventories
from dibs.ledger.operations.providers import ChangeProvider, change_provider
from dibs.ledger.operations.reshaping import Reshape, reshape
from dibs.ledger.operations.resource_classes import (
    RenameClass,
    delete_resource_class,
    rename_resource_class,
)
from dibs.ledger.queries import claim_views
from dibs.machines.model import states
from dibs.machines.model.errors import NothingToHold
from dibs.machines.operations.holds import CreateHold, create_hold
from dibs.machines.queries import nodes
from tests import lease_builders as leases
from tests import server_builders as servers
from tests.builders import Ledger


def begin(ledger: Ledger, hours: float = 1) -> None:
    """Move the clock and run the events that are due."""
    ledger.clock.move((leases.at(hours) - ledger.clock()) / 1_000_000)
    ledger.revive_conductor()
    LeaseWorker(ledger.runner, ledger.clock, reassignment_seconds=0, cleaning_minutes=0).run_events()


def claim(ledger: Ledger, resources, *, consumer: str = "", project: str = "p") -> str:
    request = ClaimRequest(consumer=consumer or str(uuid.uuid4()), resources=resources, project_id=project, user_id="u")
    ledger.runner.write(replace_claims, SERVICE, ReplaceClaims(requests=(request,)))
    return request.consumer


def claims(ledger: Ledger, consumer: str) -> dict[str, int]:
    rows = ledger.store.read(lambda tx: claim_views.of_consumer(tx, consumer))
    return {row["resource_class"]: row["amount"] for row in rows}


def reserved(host: Host, made: Lease, vcpus: int) -> dict[str, dict[str, int]]:
    """Return the resources of a reserved instance with these processors."""
    return {host.provider: {"VCPU": vcpus}, host.reservation_provider: {made.reservations[0].resource_class: 1}}


@pytest.fixture
def host(ledger: Ledger) -> Host:
    """A compute host."""
    return leases.make_host(ledger)


@pytest.fixture
def made(ledger: Ledger, host: Host) -> Lease:
    """An active lease of two instances on the host."""
    lease = leases.lease(ledger, 1, 3, leases.instances(2, vcpus=4))
    begin(ledger)
    return lease


def test_reserved_instance_takes_no_more_than_was_reserved(ledger, host, made):
    with pytest.raises(HostKeptForLeases):
        claim(ledger, reserved(host, made, vcpus=5))
    consumer = claim(ledger, reserved(host, made, vcpus=4))
    with pytest.raises(HostKeptForLeases):
        claim(ledger, reserved(host, made, vcpus=5), consumer=consumer)


def test_reserved_instance_takes_nothing_of_a_class_that_was_not_reserved(ledger, host, made):
    with_disk = reserved(host, made, vcpus=4)
    with_disk[host.provider]["DISK_GB"] = 1
    with pytest.raises(HostKeptForLeases):
        claim(ledger, with_disk)


def test_instance_cannot_release_its_reservation_and_keep_its_processors(ledger, host, made):
    consumer = claim(ledger, reserved(host, made, vcpus=4))
    with pytest.raises(HostKeptForLeases):
        claim(ledger, {host.provider: {"VCPU": 4}}, consumer=consumer)
    claim(ledger, {}, consumer=consumer)
    assert claims(ledger, consumer) == {}


def test_reserved_instance_is_for_the_project_of_the_lease(ledger, host, made):
    with pytest.raises(HostKeptForLeases):
        claim(ledger, reserved(host, made, vcpus=4), project="strangers")


@pytest.mark.parametrize("later", [leases.whole(), leases.instances(1)])
def test_deleting_a_pending_lease_leaves_the_active_one_alone(ledger, host, made, later):
    launched = claim(ledger, reserved(host, made, vcpus=4))
    leases.delete(ledger, leases.lease(ledger, 3, 4, later))
    assert claims(ledger, launched)["VCPU"] == 4


def test_deleting_a_later_lease_of_a_node_leaves_the_server_on_it_alone(ledger):
    node = ledger.enrol(resource_class="gold")
    leases.register(ledger, node)
    kind = servers.node_flavor(ledger, "gold")
    made = leases.lease(ledger, 1, 3, leases.whole())
    begin(ledger)
    launched = servers.launch(ledger, kind, leases.OWNER, reservation=made.reservations[0].uuid)
    leases.delete(ledger, leases.lease(ledger, 3, 4, leases.whole()))
    assert ledger.node(node).instance_uuid == launched.server.uuid
    assert ledger.node(node).provision_state == states.DEPLOYING


def test_instance_that_claimed_a_leased_node_in_placement_runs_until_the_lease_ends(ledger):
    node = ledger.enrol(resource_class="gold")
    leases.register(ledger, node)
    leases.lease(ledger, 1, 2, leases.whole())
    begin(ledger)
    consumer = claim(ledger, {node.uuid: {"CUSTOM_GOLD": 1}})
    ledger.change(node, instance_uuid=consumer)
    begin(ledger, 2)
    assert ledger.node(node).instance_uuid is None
    assert claims(ledger, consumer) == {}


def test_instance_on_a_leased_node_is_torn_down_at_the_end(ledger):
    node = ledger.enrol(resource_class="gold")
    host = leases.register(ledger, node)
    made = leases.lease(ledger, 1, 2, leases.flavored(servers.node_flavor(ledger, "gold").flavor))
    begin(ledger)
    reserved_class = made.reservations[0].resource_class
    consumer = claim(ledger, {node.uuid: {"CUSTOM_GOLD": 1}, host.reservation_provider: {reserved_class: 1}})
    ledger.change(node, instance_uuid=consumer)
    ledger.store.write(lambda tx: nodes.update(tx, ledger.node(node), ledger.clock(), provision_state=states.ACTIVE))
    begin(ledger, 2)
    assert ledger.node(node).provision_state == states.DELETING
    assert claims(ledger, consumer) == {"CUSTOM_GOLD": 1}


def test_claim_on_a_leased_node_is_released_at_the_end(ledger):
    node = ledger.enrol(resource_class="gold")
    leases.register(ledger, node)
    leases.lease(ledger, 1, 2, leases.whole())
    begin(ledger)
    consumer = claim(ledger, {node.uuid: {"CUSTOM_GOLD": 1}})
    begin(ledger, 2)
    assert claims(ledger, consumer) == {}


def test_hold_on_a_booked_node_cannot_become_an_instance(ledger):
    node = ledger.enrol(resource_class="gold")
    leases.register(ledger, node)
    leases.lease(ledger, 1, 2, leases.whole())
    instance = str(uuid.uuid4())
    hold = CreateHold(uuid=str(uuid.uuid4()), instance_uuid=instance, nodes=(node.uuid,), seconds=60)
    ledger.runner.write(create_hold, SERVICE, hold)
    with pytest.raises(NodeBooked):
        ledger.change(node, instance_uuid=instance)


def test_only_leases_change_what_a_reservation_provider_offers(ledger, host, made):
    reserved_class = made.reservations[0].resource_class
    more = Sizes(total=100, max_unit=100)
    one = PutInventory(provider=host.reservation_provider, resource_class=reserved_class, sizes=more)
    every = SetInventories(provider=host.reservation_provider, generation=None, sizes={})
    renamed = ChangeProvider(uuid=host.reservation_provider, name="mine", may_move_again=True)
    with pytest.raises(ProviderIsHost, match="belongs to host"):
        ledger.runner.write(change_inventory, SERVICE, one)
    with pytest.raises(ProviderIsHost):
        ledger.runner.write(set_inventories, SERVICE, every)
    with pytest.raises(ProviderIsHost):
        ledger.runner.write(reshape, SERVICE, Reshape(inventories=(every,), requests=()))
    with pytest.raises(ProviderIsHost):
        ledger.runner.write(change_provider, SERVICE, renamed)


def test_class_of_a_reservation_can_be_removed_only_with_its_lease(ledger, host):
    pending = leases.lease(ledger, 1, 2, leases.instances(1))
    name = pending.reservations[0].resource_class
    with pytest.raises(LeaseConflict, match="removed with its lease"):
        ledger.runner.write(rename_resource_class, SERVICE, RenameClass(name=name, new_name="CUSTOM_MINE"))
    with pytest.raises(LeaseConflict):
        ledger.runner.write(delete_resource_class, SERVICE, name)
    leases.delete(ledger, pending)
    with pytest.raises(ResourceClassNotFound):
        ledger.runner.write(delete_resource_class, SERVICE, name)


def test_compute_host_for_leases_cannot_be_claimed_without_a_lease(ledger):
    host = leases.make_host(ledger)
    with pytest.raises(HostKeptForLeases, match="kept for leases"):
        claim(ledger, {host.provider: {"VCPU": 1}})


def test_claim_with_the_class_of_a_reservation_is_allowed(ledger):
    host = leases.make_host(ledger)
    made = leases.lease(ledger, 1, 2, leases.instances(1))
    begin(ledger, 1)
    with_class = {host.provider: {"VCPU": 1}, host.reservation_provider: {made.reservations[0].resource_class: 1}}
    consumer = claim(ledger, with_class)
    assert claims(ledger, consumer)
    begin(ledger, 2)
    assert claims(ledger, consumer) == {}


def test_only_the_project_of_a_whole_host_may_claim_it(ledger):
    host = leases.make_host(ledger)
    leases.lease(ledger, 1, 2, leases.whole())
    begin(ledger, 1)
    with pytest.raises(HostKeptForLeases):
        claim(ledger, {host.provider: {"VCPU": 1}}, project="strangers")
    claim(ledger, {host.provider: {"VCPU": 1}}, project=leases.OWNER.actor.project)


def test_server_without_a_lease_is_not_placed_on_a_host_for_leases(ledger):
    leases.make_host(ledger)
    assert servers.launch(ledger, servers.flavor(ledger)).status == "ERROR"


def test_booked_node_cannot_be_claimed_or_change_its_class(ledger):
    node = ledger.enrol(resource_class="gold")
    leases.register(ledger, node)
    leases.lease(ledger, 100, 101, leases.whole())
    with pytest.raises(NodeBooked, match="is booked"):
        ledger.change(node, instance_uuid=str(uuid.uuid4()))
    with pytest.raises(NodeBooked):
        claim(ledger, {node.uuid: {"CUSTOM_GOLD": 1}})
    with pytest.raises(NodeBooked):
        ledger.change(node, resource_class="silver")


def test_registered_node_without_bookings_can_be_used(ledger):
    node = ledger.enrol(resource_class="gold")
    leases.register(ledger, node)
    assert ledger.change(node, instance_uuid=str(uuid.uuid4())).instance_uuid


@pytest.mark.parametrize(("seconds", "fits"), [(3_000, True), (3 * 3_600, False)])
def test_hold_on_a_booked_node_must_end_before_the_booking(ledger, seconds, fits):
    node = ledger.enrol(resource_class="gold")
    leases.register(ledger, node)
    leases.lease(ledger, 1, 2, leases.whole())
    command = CreateHold(uuid=str(uuid.uuid4()), instance_uuid=str(uuid.uuid4()), nodes=(node.uuid,), seconds=seconds)
    if fits:
        ledger.runner.write(create_hold, SERVICE, command)
    else:
        with pytest.raises(NothingToHold, match="booked by a lease"):
            ledger.runner.write(create_hold, SERVICE, command)


def test_leased_node_is_deployed_only_for_a_server_of_the_lease(ledger):
    node = ledger.enrol(resource_class="gold")
    leases.register(ledger, node)
    made = leases.lease(ledger, 1, 2, leases.flavored(servers.node_flavor(ledger, "gold").flavor))
    assert servers.launch(ledger, servers.node_flavor(ledger, "gold")).status == "ERROR"
    begin(ledger, 1)
    assert servers.launch(ledger, servers.node_flavor(ledger, "gold")).status == "ERROR"
    flavor = ledger.store.read(lambda tx: flavors.get(tx, made.reservations[0].uuid))
    launched = servers.launch(ledger, flavor, leases.OWNER)
    assert launched.status == "BUILD"
    assert ledger.node(node).instance_uuid == launched.server.uuid
