"""Rows of claims, and the used amount of inventories."""

from dibs.database.transaction import Again, Transaction
from dibs.ledger.model.claims import InventoryKey
from dibs.ledger.queries import claims, consumers, inventories
from tests.builders import Ledger
from tests.provider_builders import claim, make

NO_OWNER = {"project_id": None, "user_id": None, "consumer_type": None}


def used(tx: Transaction, provider_id: int) -> dict[str, int]:
    return {each.resource_class: each.used for each in inventories.of_providers(tx, [provider_id]).values()}


def test_used_amounts_change_only_for_the_named_inventories(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=4, DISK_GB=10, MEMORY_MB=8)
    keys = {
        each.resource_class: key
        for key, each in ledger.store.read(lambda tx: inventories.of_providers(tx, [provider.id])).items()
    }
    ledger.run(lambda tx: claims.add_to_used(tx, {keys["VCPU"]: 3, keys["DISK_GB"]: 5, keys["MEMORY_MB"]: 0}))
    ledger.run(lambda tx: claims.add_to_used(tx, {keys["VCPU"]: -1}))
    assert ledger.store.read(lambda tx: used(tx, provider.id)) == {"VCPU": 2, "DISK_GB": 5, "MEMORY_MB": 0}


def test_change_of_an_inventory_that_is_gone_is_refused(ledger: Ledger) -> None:
    """The used amounts and the claims would differ for ever."""
    provider = make(ledger, VCPU=4)
    key = next(iter(ledger.store.read(lambda tx: inventories.of_providers(tx, [provider.id]))))
    gone = InventoryKey(provider.id, key.class_id + 1)

    def is_refused(tx: Transaction) -> bool:
        try:
            claims.add_to_used(tx, {key: 1, gone: 1})
        except Again:
            return True
        return False

    assert ledger.run(is_refused)


def test_claims_on_one_provider_are_removed_and_others_stay(ledger: Ledger) -> None:
    first, second = make(ledger, VCPU=4), make(ledger, VCPU=4)

    def run(tx: Transaction) -> list[list[tuple[int, InventoryKey, int]]]:
        (owner,) = consumers.create(tx, {"11111111-1111-4111-8111-111111111111": NO_OWNER}, 1).values()
        keys = list(inventories.of_providers(tx, [first.id, second.id]))
        claims.add(tx, [(owner, key, 1) for key in keys], 1)
        claims.remove_from(tx, owner, first.id)
        held = [claims.held_by(tx, [owner])]
        claims.remove(tx, [owner])
        held.append(claims.held_by(tx, [owner]))
        consumers.delete(tx, [owner])
        return held

    after_one, after_all = ledger.run(run)
    assert [(key.provider_id, amount) for _, key, amount, *_ in after_one] == [(second.id, 1)]
    assert after_all == []


def test_the_providers_of_consumers_are_found_once_each(ledger: Ledger) -> None:
    provider = make(ledger, VCPU=4, DISK_GB=10)
    uuids = [claim(ledger, provider, VCPU=1, DISK_GB=1) for _ in range(2)]
    assert ledger.store.read(lambda tx: claims.providers_of(tx, uuids)) == {(uuid, provider.id) for uuid in uuids}
    assert ledger.store.read(lambda tx: claims.providers_of(tx, [])) == set()
