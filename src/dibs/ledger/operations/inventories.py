"""Inventories of a provider.

Every change takes the same steps in the same order: lock the provider, check the client's generation, check everything
else, write, and increment the generation.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.ledger.model.claims import InventoryKey
from dibs.ledger.model.errors import InventoryExists, InventoryInUse, InventoryNotFound
from dibs.ledger.model.inventories import Inventory, check_capacity
from dibs.ledger.model.providers import Provider, check_generation
from dibs.ledger.operations.guards import InventoriesAfter, guards
from dibs.ledger.operations.providers import find_provider, lock_provider, require_free_to_change
from dibs.ledger.operations.resource_classes import use_classes
from dibs.ledger.queries import inventories, providers
from dibs.ledger.queries.resource_classes import in_order


class ProviderInventories(Struct, frozen=True, kw_only=True):
    """A provider's inventories, with the generation that guards them."""

    generation: int
    inventories: Mapping[str, Inventory]
    """By resource class."""


class Sizes(Struct, frozen=True, kw_only=True):
    """The amount of a resource class, and the amounts in which it may be claimed."""

    total: int
    max_unit: int
    reserved: int = 0
    min_unit: int = 1
    step_size: int = 1
    allocation_ratio: float = 1.0


class SetInventories(Struct, frozen=True, kw_only=True):
    """All new inventories of a provider."""

    provider: str
    generation: int | None
    """The generation that the client read; None when it sent none."""
    sizes: Mapping[str, Sizes]
    all_may_be_reserved: bool = True


class PutInventory(Struct, frozen=True, kw_only=True):
    """The new inventory of one resource class of a provider."""

    provider: str
    generation: int | None = None
    resource_class: str
    sizes: Sizes
    all_may_be_reserved: bool = True


class GetInventory(Struct, frozen=True, kw_only=True):
    """One resource class of one provider."""

    provider: str
    resource_class: str


def list_inventories(tx: Transaction, access: Access, now: int, uuid: str) -> ProviderInventories:
    """Return the inventories of a provider."""
    provider = find_provider(tx, uuid)
    return _result(provider.generation, _present(tx, provider).values())


def get_inventory(tx: Transaction, access: Access, now: int, command: GetInventory) -> ProviderInventories:
    """Return the inventory of one resource class of a provider."""
    found = list_inventories(tx, access, now, command.provider)
    if command.resource_class not in found.inventories:
        raise InventoryNotFound(resource_class=command.resource_class, provider=command.provider)
    return replace(found, inventories={command.resource_class: found.inventories[command.resource_class]})


def set_inventories(tx: Transaction, access: Access, now: int, command: SetInventories) -> ProviderInventories:
    """Replace all inventories of a provider. Claims stay, even if they exceed the new capacity."""
    provider = _lock(tx, now, command.provider, command.generation)
    remove_unclaimed(tx, put_inventories(tx, now, [(provider, command)]))
    return _bumped(tx, now, provider)


def put_inventories(
    tx: Transaction, now: int, offers: Sequence[tuple[Provider, SetInventories]]
) -> dict[InventoryKey, Inventory]:
    """Add or change inventories of locked providers, and return their inventories that ``offers`` does not name."""
    sized = [
        (provider.id, _sized(provider, name, sizes, command.all_may_be_reserved))
        for provider, command in offers
        for name, sizes in command.sizes.items()
    ]
    after: dict[int, dict[str, Inventory]] = {provider.id: {} for provider, _ in offers}
    for provider_id, inventory in sized:
        after[provider_id][inventory.resource_class] = inventory
    _check_after(tx, after)
    class_ids = use_classes(tx, {inventory.resource_class for _, inventory in sized}, now)
    wanted = {InventoryKey(provider_id, class_ids[each.resource_class]): each for provider_id, each in sized}
    current = inventories.of_providers(tx, sorted(provider.id for provider, _ in offers))
    inventories.add(tx, [(key, wanted[key]) for key in sorted(wanted.keys() - current.keys())], now)
    inventories.change(tx, [(key, wanted[key]) for key in sorted(wanted.keys() & current.keys())], now)
    return {key: inventory for key, inventory in current.items() if key not in wanted}


def remove_unclaimed(tx: Transaction, removed: Mapping[InventoryKey, Inventory]) -> None:
    """Remove inventories from locked providers; raise InventoryInUse when one of them has claims."""
    in_use = [inventory for inventory in removed.values() if inventory.used]
    if in_use:
        provider = in_use[0].provider
        names = in_order(inventory.resource_class for inventory in in_use if inventory.provider == provider)
        raise InventoryInUse(resource_classes=", ".join(names), provider=provider)
    inventories.remove(tx, sorted(removed))


def add_inventory(tx: Transaction, access: Access, now: int, command: PutInventory) -> ProviderInventories:
    """Add the inventory of a resource class that the provider does not have yet."""
    provider = _lock(tx, now, command.provider, command.generation)
    new = _sized(provider, command.resource_class, command.sizes, command.all_may_be_reserved)
    class_ids = use_classes(tx, [command.resource_class], now)
    key = InventoryKey(provider.id, class_ids[command.resource_class])
    present = _present(tx, provider)
    if key in present:
        raise InventoryExists(provider=provider.uuid, resource_class=command.resource_class)
    _check_after(tx, {provider.id: _by_class([*present.values(), new])})
    inventories.add(tx, [(key, new)], now)
    return _bumped(tx, now, provider)


def change_inventory(tx: Transaction, access: Access, now: int, command: PutInventory) -> ProviderInventories:
    """Change the sizes of one inventory."""
    provider = _lock(tx, now, command.provider, command.generation)
    changed = _sized(provider, command.resource_class, command.sizes, command.all_may_be_reserved)
    present = _present(tx, provider)
    key, _ = _find(present, provider, command.resource_class)
    _check_after(tx, {provider.id: _by_class((present | {key: changed}).values())})
    inventories.change(tx, [(key, changed)], now)
    return _bumped(tx, now, provider)


def remove_inventory(tx: Transaction, access: Access, now: int, command: GetInventory) -> None:
    """Remove one inventory of a provider."""
    provider = _lock(tx, now, command.provider)
    present = _present(tx, provider)
    key, inventory = _find(present, provider, command.resource_class)
    _check_after(tx, {provider.id: _by_class(each for each in present.values() if each is not inventory)})
    remove_unclaimed(tx, {key: inventory})
    providers.bump_generation(tx, provider.id, now)


def remove_inventories(tx: Transaction, access: Access, now: int, uuid: str) -> None:
    """Remove all inventories of a provider."""
    set_inventories(tx, access, now, SetInventories(provider=uuid, generation=None, sizes={}))


def _lock(tx: Transaction, now: int, uuid: str, generation: int | None = None) -> Provider:
    provider = lock_provider(tx, now, uuid)
    require_free_to_change(tx, provider)
    check_generation(provider, generation)
    return provider


def _present(tx: Transaction, provider: Provider) -> dict[InventoryKey, Inventory]:
    return inventories.of_providers(tx, [provider.id])


def _check_after(tx: Transaction, after: InventoriesAfter) -> None:
    for guard in guards(tx):
        guard.check_inventories(tx, after)


def _by_class(present: Iterable[Inventory]) -> dict[str, Inventory]:
    return {inventory.resource_class: inventory for inventory in present}


def _find(
    present: Mapping[InventoryKey, Inventory], provider: Provider, resource_class: str
) -> tuple[InventoryKey, Inventory]:
    for key, inventory in present.items():
        if inventory.resource_class == resource_class:
            return key, inventory
    raise InventoryNotFound(resource_class=resource_class, provider=provider.uuid)


def _sized(provider: Provider, resource_class: str, sizes: Sizes, all_may_be_reserved: bool) -> Inventory:
    inventory = Inventory(
        provider=provider.uuid,
        resource_class=resource_class,
        total=sizes.total,
        reserved=sizes.reserved,
        min_unit=sizes.min_unit,
        max_unit=sizes.max_unit,
        step_size=sizes.step_size,
        allocation_ratio=sizes.allocation_ratio,
    )
    check_capacity(inventory, all_may_be_reserved=all_may_be_reserved)
    return inventory


def _bumped(tx: Transaction, now: int, provider: Provider) -> ProviderInventories:
    providers.bump_generation(tx, provider.id, now)
    return _result(provider.generation + 1, _present(tx, provider).values())


def _result(generation: int, present: Iterable[Inventory]) -> ProviderInventories:
    return ProviderInventories(generation=generation, inventories=_by_class(present))
