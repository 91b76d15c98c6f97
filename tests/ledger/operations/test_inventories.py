"""Inventories of a provider: guarded by its generation, and never removed from under claims."""

import pytest

from dibs.access.access import SERVICE
from dibs.ledger.model.errors import (
    InvalidCapacity,
    InventoryExists,
    InventoryInUse,
    InventoryNotFound,
    ProviderGenerationConflict,
    ProviderNotFound,
    ProviderOwnedByNode,
    ResourceClassNotFound,
)
from dibs.ledger.model.providers import Provider
from dibs.ledger.operations.inventories import (
    GetInventory,
    ProviderInventories,
    PutInventory,
    SetInventories,
    Sizes,
    add_inventory,
    change_inventory,
    get_inventory,
    list_inventories,
    remove_inventories,
    remove_inventory,
    set_inventories,
)
from dibs.ledger.operations.providers import get_provider
from dibs.ledger.operations.resource_classes import create_resource_class
from dibs.ledger.queries.resource_classes import STANDARD
from tests.builders import Ledger
from tests.provider_builders import claim, make, now, sizes, statements, stock


def put(ledger: Ledger, provider: Provider, generation: int | None, **wanted: Sizes) -> ProviderInventories:
    command = SetInventories(provider=provider.uuid, generation=generation, sizes=wanted)
    return ledger.runner.write(set_inventories, SERVICE, command)


def one(provider: Provider, name: str, wanted: Sizes, generation: int | None = None) -> PutInventory:
    return PutInventory(provider=provider.uuid, generation=generation, resource_class=name, sizes=wanted)


def totals(ledger: Ledger, provider: Provider) -> dict[str, int]:
    found = ledger.runner.read(list_inventories, SERVICE, provider.uuid)
    return {name: inventory.total for name, inventory in found.inventories.items()}


def remove(ledger: Ledger, provider: Provider, name: str) -> None:
    ledger.runner.write(remove_inventory, SERVICE, GetInventory(provider=provider.uuid, resource_class=name))


def test_setting_all_inventories_adds_changes_and_removes(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=4, DISK_GB=10)
    after = put(ledger, provider, provider.generation, VCPU=sizes(8, reserved=2), MEMORY_MB=sizes(64))
    assert after.generation == provider.generation + 1 == now(ledger, provider).generation
    assert totals(ledger, provider) == {"VCPU": 8, "MEMORY_MB": 64}
    assert after.inventories["VCPU"].reserved == 2


def test_every_size_is_stored(ledger: Ledger) -> None:
    provider = make(ledger, DISK_GB=1)
    wanted = Sizes(total=100, reserved=3, min_unit=2, max_unit=50, step_size=2, allocation_ratio=1.5)
    for after in (put(ledger, provider, None, VCPU=wanted, DISK_GB=wanted), put(ledger, provider, None, VCPU=wanted)):
        found = after.inventories["VCPU"]
        assert {name: getattr(found, name) for name in Sizes.__slots__} == {
            name: getattr(wanted, name) for name in Sizes.__slots__
        }


def test_a_stale_generation_changes_nothing(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=4)
    with pytest.raises(ProviderGenerationConflict):
        put(ledger, provider, 0, VCPU=sizes(8))
    with pytest.raises(ProviderGenerationConflict):
        ledger.runner.write(change_inventory, SERVICE, one(provider, "VCPU", sizes(8), generation=0))
    assert totals(ledger, provider) == {"VCPU": 4}


def test_a_claimed_inventory_cannot_be_removed_but_may_shrink(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=4, DISK_GB=10)
    claim(ledger, provider, VCPU=3, DISK_GB=1)
    with pytest.raises(InventoryInUse, match="VCPU, DISK_GB"):
        put(ledger, provider, None)
    with pytest.raises(InventoryInUse, match="'VCPU'"):
        put(ledger, provider, None, DISK_GB=sizes(10))
    with pytest.raises(InventoryInUse):
        remove(ledger, provider, "VCPU")
    with pytest.raises(InventoryInUse):
        ledger.runner.write(remove_inventories, SERVICE, provider.uuid)
    after = put(ledger, provider, None, DISK_GB=sizes(10), VCPU=sizes(1))
    assert (after.inventories["VCPU"].total, after.inventories["VCPU"].used) == (1, 3)


def test_one_inventory_is_added_changed_and_removed(ledger: Ledger) -> None:
    provider = make(ledger)
    added = ledger.runner.write(add_inventory, SERVICE, one(provider, "VCPU", sizes(4)))
    changed = ledger.runner.write(change_inventory, SERVICE, one(provider, "VCPU", sizes(5), added.generation))
    assert (added.generation, changed.generation) == (1, 2)
    assert totals(ledger, provider) == {"VCPU": 5}
    remove(ledger, provider, "VCPU")
    assert totals(ledger, provider) == {}
    assert now(ledger, provider).generation == 3


def test_a_second_or_a_missing_inventory_is_refused(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=4)
    with pytest.raises(InventoryExists):
        ledger.runner.write(add_inventory, SERVICE, one(provider, "VCPU", sizes(4)))
    with pytest.raises(InventoryNotFound):
        ledger.runner.write(change_inventory, SERVICE, one(provider, "DISK_GB", sizes(4)))
    with pytest.raises(InventoryNotFound):
        remove(ledger, provider, "DISK_GB")
    with pytest.raises(InventoryNotFound):
        ledger.runner.read(get_inventory, SERVICE, GetInventory(provider=provider.uuid, resource_class="DISK_GB"))
    assert now(ledger, provider).generation == 1


@pytest.mark.parametrize(
    ("wanted", "all_may_be_reserved", "fits"),
    [
        (sizes(4, reserved=4), True, True),
        (sizes(4, reserved=4), False, False),
        (sizes(4, reserved=5), True, False),
        (sizes(4, reserved=3), False, True),
        (sizes(4, allocation_ratio=-1.0), True, False),
        (sizes(4, allocation_ratio=0.1), False, False),
    ],
)
def test_no_more_than_the_total_can_be_reserved(
    ledger: Ledger, wanted: Sizes, all_may_be_reserved: bool, fits: bool
) -> None:
    provider = make(ledger)
    command = SetInventories(
        provider=provider.uuid, generation=0, sizes={"VCPU": wanted}, all_may_be_reserved=all_may_be_reserved
    )
    if fits:
        ledger.runner.write(set_inventories, SERVICE, command)
    else:
        with pytest.raises(InvalidCapacity):
            ledger.runner.write(set_inventories, SERVICE, command)
    assert len(totals(ledger, provider)) == fits


def test_a_custom_class_must_exist_before_its_inventory(ledger: Ledger) -> None:
    provider = make(ledger)
    with pytest.raises(ResourceClassNotFound, match="CUSTOM_GOLD"):
        stock(ledger, provider, CUSTOM_GOLD=1)
    ledger.runner.write(create_resource_class, SERVICE, "CUSTOM_GOLD")
    stock(ledger, provider, CUSTOM_GOLD=1)
    assert totals(ledger, provider) == {"CUSTOM_GOLD": 1}


def test_the_inventory_of_a_node_cannot_be_changed(ledger: Ledger) -> None:
    node = ledger.enrol(name="rack-1", resource_class="gold")
    provider = ledger.runner.read(get_provider, SERVICE, node.uuid)
    assert totals(ledger, provider) == {"CUSTOM_GOLD": 1}
    with pytest.raises(ProviderOwnedByNode, match="rack-1"):
        stock(ledger, provider, VCPU=1)
    with pytest.raises(ProviderOwnedByNode, match="rack-1"):
        ledger.runner.write(add_inventory, SERVICE, one(provider, "VCPU", sizes(4)))
    with pytest.raises(ProviderOwnedByNode, match="rack-1"):
        remove(ledger, provider, "CUSTOM_GOLD")
    assert totals(ledger, provider) == {"CUSTOM_GOLD": 1}


def test_an_unknown_provider_is_refused(ledger: Ledger) -> None:
    unknown = "99999999-9999-4999-8999-999999999999"
    with pytest.raises(ProviderNotFound):
        ledger.runner.read(list_inventories, SERVICE, unknown)
    with pytest.raises(ProviderNotFound):
        ledger.runner.write(remove_inventories, SERVICE, unknown)


def test_thirty_classes_take_as_many_statements_as_one(ledger: Ledger) -> None:
    custom = [f"CUSTOM_{number}" for number in range(20)]
    for name in custom:
        ledger.runner.write(create_resource_class, SERVICE, name)
    counts = []
    for old, new, added in (
        (["VCPU"], ["DISK_GB"], ["PCPU"]),
        (custom[:10], list(STANDARD[5:15]), [*custom[10:], *STANDARD[15:]]),
    ):
        provider = make(ledger, **dict.fromkeys([*old, *new], 1))
        wanted = {name: sizes(2) for name in [*new, *added]}
        counts.append(statements(ledger, lambda provider=provider, wanted=wanted: put(ledger, provider, 1, **wanted)))
    assert counts[0] == counts[1]
