"""Changes of providers and nodes that would break what leases were promised of them."""

import pytest
from msgspec.structs import replace

from dibs.access.access import SERVICE
from dibs.leases.model.errors import LeaseConflict
from dibs.leases.model.hosts import Host
from dibs.ledger.model.providers import Provider
from dibs.ledger.operations.inventories import (
    GetInventory,
    PutInventory,
    SetInventories,
    Sizes,
    add_inventory,
    change_inventory,
    remove_inventories,
    remove_inventory,
    set_inventories,
)
from dibs.ledger.operations.providers import get_provider
from dibs.ledger.operations.reshaping import Reshape, reshape
from dibs.ledger.queries import inventories
from dibs.machines.operations.node_traits import NodeTraits, remove_all_traits
from tests.builders import Ledger
from tests.lease_builders import delete, instances, lease, make_host, register, whole
from tests.provider_builders import make, now, set_traits, sizes, statements, stock

GPU = whole(resource_properties='["==", "$trait:CUSTOM_GPU", "required"]')


@pytest.fixture
def host(ledger: Ledger) -> Host:
    """A compute host with 64 processors."""
    return make_host(ledger, "compute-1")


def provider_of(ledger: Ledger, host: Host) -> Provider:
    return ledger.runner.read(get_provider, SERVICE, host.provider)


def resize(ledger: Ledger, host: Host, **totals: int) -> None:
    stock(ledger, provider_of(ledger, host), **{"MEMORY_MB": 262_144, "DISK_GB": 2_000, **totals})


def test_inventory_cannot_shrink_below_what_is_booked_at_the_same_time(ledger: Ledger, host: Host) -> None:
    made = [lease(ledger, 1, 3, instances(2, vcpus=8)), lease(ledger, 2, 4, instances(1, vcpus=8))]
    lease(ledger, 5, 6, instances(1, vcpus=8))
    resize(ledger, host, VCPU=24)
    with pytest.raises(LeaseConflict) as refusal:
        resize(ledger, host, VCPU=23)
    assert "has 23 of VCPU, of which 24 are booked at the same time" in str(refusal.value)
    assert all(each.uuid in str(refusal.value) for each in made)
    delete(ledger, made[1])
    resize(ledger, host, VCPU=16)


def test_inventory_must_have_room_for_each_instance(ledger: Ledger, host: Host) -> None:
    made = lease(ledger, 1, 3, instances(2, vcpus=8))
    smaller = Sizes(total=64, max_unit=4)
    command = PutInventory(provider=host.provider, resource_class="VCPU", sizes=smaller)
    with pytest.raises(LeaseConflict, match=f"{made.uuid}.*has no room for an instance with 8 of VCPU"):
        ledger.runner.write(change_inventory, SERVICE, command)


def test_promised_inventory_cannot_be_removed(ledger: Ledger, host: Host) -> None:
    made = lease(ledger, 1, 3, instances(1))
    for operation, command in (
        (remove_inventory, GetInventory(provider=host.provider, resource_class="VCPU")),
        (remove_inventories, host.provider),
        (reshape, _reshape(ledger, host, {})),
    ):
        with pytest.raises(LeaseConflict, match=made.uuid):
            ledger.runner.write(operation, SERVICE, command)
    ledger.runner.write(remove_inventory, SERVICE, GetInventory(provider=host.provider, resource_class="DISK_GB"))


def _reshape(ledger: Ledger, host: Host, offered: dict[str, Sizes]) -> Reshape:
    generation = now(ledger, provider_of(ledger, host)).generation
    return Reshape(
        inventories=(SetInventories(provider=host.provider, generation=generation, sizes=offered),), requests=()
    )


def test_host_that_is_overbooked_already_may_still_grow(ledger: Ledger, host: Host) -> None:
    lease(ledger, 1, 3, instances(2, vcpus=8))
    ledger.run(lambda tx: _shrink_behind_the_guard(tx, host))
    resize(ledger, host, VCPU=12)
    with pytest.raises(LeaseConflict):
        resize(ledger, host, VCPU=9)


def _shrink_behind_the_guard(tx, host: Host) -> None:
    present = inventories.of_providers(tx, [host.provider_id])
    key, found = next((key, each) for key, each in present.items() if each.resource_class == "VCPU")
    inventories.change(tx, [(key, replace(found, total=10, max_unit=10))], 1)


def test_size_that_a_whole_host_was_required_to_have_stays(ledger: Ledger, host: Host) -> None:
    made = lease(ledger, 1, 3, whole(hypervisor_properties='[">=", "$vcpus", "32"]'))
    resize(ledger, host, VCPU=32)
    with pytest.raises(LeaseConflict, match=f"{made.uuid}.*lacks vcpus >= '32'"):
        resize(ledger, host, VCPU=31)


def test_required_trait_cannot_be_removed_nor_a_forbidden_one_added(ledger: Ledger, host: Host) -> None:
    provider = provider_of(ledger, host)
    set_traits(ledger, provider, "CUSTOM_GPU", "CUSTOM_B")
    no_old = '["==", "$trait:CUSTOM_OLD", "forbidden"]'
    made = [lease(ledger, 1, 3, GPU), lease(ledger, 3, 4, whole(resource_properties=no_old))]
    set_traits(ledger, provider, "CUSTOM_GPU")
    with pytest.raises(LeaseConflict, match=f"{made[0].uuid}.*lacks CUSTOM_GPU"):
        set_traits(ledger, provider)
    with pytest.raises(LeaseConflict, match=f"{made[1].uuid}.*has CUSTOM_OLD"):
        set_traits(ledger, provider, "CUSTOM_GPU", "CUSTOM_OLD")
    for each in made:
        delete(ledger, each)
    set_traits(ledger, provider, "CUSTOM_OLD")


def test_node_keeps_the_traits_and_the_size_that_leases_require(ledger: Ledger) -> None:
    node = ledger.enrol(resource_class="gold", with_traits=("CUSTOM_GPU",), properties={"cpus": 16, "memory_mb": 1})
    register(ledger, node)
    both = whole(resource_properties=GPU.resource_properties, hypervisor_properties='[">=", "$vcpus", "16"]')
    made = lease(ledger, 1, 3, both)
    with pytest.raises(LeaseConflict, match=made.uuid):
        ledger.runner.write(remove_all_traits, SERVICE, NodeTraits(ident=node.uuid, rules=()))
    with pytest.raises(LeaseConflict, match=made.uuid):
        ledger.change(node, properties={"cpus": 8})
    ledger.change(node, properties={"cpus": 32, "memory_mb": 1})


def test_class_of_a_reservation_is_offered_by_its_lease_only(ledger: Ledger, host: Host) -> None:
    made = lease(ledger, 1, 3, instances(1))
    (name,) = (each.resource_class for each in made.reservations)
    other = make(ledger, "unrelated", None, VCPU=1)
    everything = SetInventories(provider=other.uuid, generation=None, sizes={name: sizes(5)})
    for operation, command in (
        (add_inventory, PutInventory(provider=other.uuid, resource_class=name, sizes=sizes(5))),
        (set_inventories, everything),
        (reshape, Reshape(inventories=(_with_generation(ledger, other, everything),), requests=())),
    ):
        with pytest.raises(LeaseConflict, match="only its lease offers it"):
            ledger.runner.write(operation, SERVICE, command)


def _with_generation(ledger: Ledger, provider: Provider, command: SetInventories) -> SetInventories:
    return SetInventories(provider=command.provider, generation=now(ledger, provider).generation, sizes=command.sizes)


def test_check_takes_as_many_statements_for_many_bookings_as_for_one(ledger: Ledger, host: Host) -> None:
    lease(ledger, 1, 2, instances(1))
    few = statements(ledger, lambda: resize(ledger, host, VCPU=64))
    for hour in range(2, 12):
        lease(ledger, hour, hour + 1, instances(1))
    assert statements(ledger, lambda: resize(ledger, host, VCPU=64)) == few
