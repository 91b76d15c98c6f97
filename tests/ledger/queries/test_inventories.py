"""Rows of inventories."""

from msgspec.structs import replace

from dibs.database.transaction import Transaction
from dibs.ledger.model.claims import InventoryKey
from dibs.ledger.model.inventories import Inventory
from dibs.ledger.queries import inventories, resource_classes
from tests.builders import Ledger
from tests.provider_builders import make


def test_each_inventory_gets_its_own_sizes(ledger: Ledger) -> None:
    first, second = make(ledger), make(ledger)
    sizes = Inventory(provider="", resource_class="VCPU", total=4, max_unit=4, reserved=1, allocation_ratio=1.5)

    def run(tx: Transaction) -> tuple[list[Inventory], list[InventoryKey]]:
        class_id = resource_classes.ensure(tx, ["VCPU"], 1)["VCPU"]
        keys = [InventoryKey(provider.id, class_id) for provider in (first, second)]
        inventories.add(tx, [(key, sizes) for key in keys], 1)
        inventories.change(tx, [(keys[0], replace(sizes, total=8)), (keys[1], replace(sizes, step_size=2))], 2)
        changed = list(inventories.of_classes(tx, [class_id]).values())
        inventories.remove(tx, keys[:1])
        return changed, list(inventories.of_providers(tx, [first.id, second.id]))

    (one, other), left = ledger.run(run)
    assert (one.provider, one.total, one.step_size, one.allocation_ratio) == (first.uuid, 8, 1, 1.5)
    assert (other.provider, other.total, other.step_size, other.updated_at) == (second.uuid, 4, 2, 2)
    assert [key.provider_id for key in left] == [second.id]
