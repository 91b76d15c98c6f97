"""Inventories of a provider: how much it has of each class.

Every way in does the same, in the same order: lock the provider, hold the caller to the generation it knows, check
everything, write, and move the generation.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.ledger.model.claims import InventoryKey
from dibs.ledger.model.errors import InventoryExists, InventoryInUse, InventoryNotFound, ProviderNotFound
from dibs.ledger.model.inventories import Inventory, check_capacity
from dibs.ledger.model.providers import Provider, check_generation
from dibs.ledger.operations.providers import GetProvider, lock_provider, require_free_to_change
from dibs.ledger.operations.resource_classes import use_classes
from dibs.ledger.queries import inventories, providers
from dibs.ledger.queries.resource_classes import in_order


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderInventories:
    """A provider's inventories, with the generation that guards them."""

    generation: int
    inventories: Mapping[str, Inventory]
    """By class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much there is of a class, and in which portions it is given."""

    total: int
    max_unit: int
    reserved: int = 0
    min_unit: int = 1
    step_size: int = 1
    allocation_ratio: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SetInventories:
    """What the provider has from now on."""

    provider: str
    generation: int | None
    """What the caller took the provider to be at; None when it does not say."""
    sizes: Mapping[str, Sizes]
    all_may_be_reserved: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PutInventory:
    """What the provider has of one class from now on."""

    provider: str
    generation: int | None = None
    resource_class: str
    sizes: Sizes
    all_may_be_reserved: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class GetInventory:
    """One class of one provider."""

    provider: str
    resource_class: str


def list_inventories(tx: Transaction, access: Access, now: int, command: GetProvider) -> ProviderInventories:
    """What a provider has."""
    provider = providers.get(tx, command.uuid)
    if provider is None:
        raise ProviderNotFound(provider=command.uuid)
    return _stock(provider.generation, _present(tx, provider).values())


def get_inventory(tx: Transaction, access: Access, now: int, command: GetInventory) -> ProviderInventories:
    """What a provider has of one class."""
    stock = list_inventories(tx, access, now, GetProvider(uuid=command.provider))
    if command.resource_class not in stock.inventories:
        raise InventoryNotFound(resource_class=command.resource_class, provider=command.provider)
    return replace(stock, inventories={command.resource_class: stock.inventories[command.resource_class]})


def set_inventories(tx: Transaction, access: Access, now: int, command: SetInventories) -> ProviderInventories:
    """Replace everything that a provider has; what is used of a class stays used, even if it no longer fits."""
    provider = _lock(tx, now, command.provider, command.generation)
    withdraw(tx, put_inventories(tx, now, [(provider, command)]))
    return _moved(tx, now, provider)


def put_inventories(
    tx: Transaction, now: int, offers: Sequence[tuple[Provider, SetInventories]]
) -> dict[InventoryKey, Inventory]:
    """Let locked providers have what is offered, whatever else they have; gives that."""
    sized = [
        (provider.id, _sized(provider, name, sizes, command.all_may_be_reserved))
        for provider, command in offers
        for name, sizes in command.sizes.items()
    ]
    class_ids = use_classes(tx, {inventory.resource_class for _, inventory in sized}, now)
    wanted = {InventoryKey(provider_id, class_ids[each.resource_class]): each for provider_id, each in sized}
    current = inventories.of_providers(tx, sorted(provider.id for provider, _ in offers))
    inventories.add(tx, [(place, wanted[place]) for place in sorted(wanted.keys() - current.keys())], now)
    inventories.change(tx, [(place, wanted[place]) for place in sorted(wanted.keys() & current.keys())], now)
    return {place: inventory for place, inventory in current.items() if place not in wanted}


def withdraw(tx: Transaction, gone: Mapping[InventoryKey, Inventory]) -> None:
    """Take inventories from locked providers, unless somebody uses them."""
    in_use = [inventory for inventory in gone.values() if inventory.used]
    if in_use:
        provider = in_use[0].provider
        names = in_order(inventory.resource_class for inventory in in_use if inventory.provider == provider)
        raise InventoryInUse(resource_classes=", ".join(names), provider=provider)
    inventories.remove(tx, sorted(gone))


def add_inventory(tx: Transaction, access: Access, now: int, command: PutInventory) -> ProviderInventories:
    """Let a provider have a class that it did not have."""
    provider = _lock(tx, now, command.provider, command.generation)
    new = _sized(provider, command.resource_class, command.sizes, command.all_may_be_reserved)
    class_ids = use_classes(tx, [command.resource_class], now)
    place = InventoryKey(provider.id, class_ids[command.resource_class])
    if place in _present(tx, provider):
        raise InventoryExists(provider=provider.uuid, resource_class=command.resource_class)
    inventories.add(tx, [(place, new)], now)
    return _moved(tx, now, provider)


def change_inventory(tx: Transaction, access: Access, now: int, command: PutInventory) -> ProviderInventories:
    """Give a class that a provider has other sizes."""
    provider = _lock(tx, now, command.provider, command.generation)
    changed = _sized(provider, command.resource_class, command.sizes, command.all_may_be_reserved)
    place, _ = _find(tx, provider, command.resource_class)
    inventories.change(tx, [(place, changed)], now)
    return _moved(tx, now, provider)


def remove_inventory(tx: Transaction, access: Access, now: int, command: GetInventory) -> None:
    """Take a class from a provider."""
    provider = _lock(tx, now, command.provider)
    place, inventory = _find(tx, provider, command.resource_class)
    withdraw(tx, {place: inventory})
    providers.bump_generation(tx, provider.id, now)


def remove_inventories(tx: Transaction, access: Access, now: int, command: GetProvider) -> None:
    """Take everything from a provider."""
    set_inventories(tx, access, now, SetInventories(provider=command.uuid, generation=None, sizes={}))


def _lock(tx: Transaction, now: int, uuid: str, generation: int | None = None) -> Provider:
    provider = lock_provider(tx, now, uuid)
    require_free_to_change(tx, provider)
    check_generation(provider, generation)
    return provider


def _present(tx: Transaction, provider: Provider) -> dict[InventoryKey, Inventory]:
    return inventories.of_providers(tx, [provider.id])


def _find(tx: Transaction, provider: Provider, resource_class: str) -> tuple[InventoryKey, Inventory]:
    for place, inventory in _present(tx, provider).items():
        if inventory.resource_class == resource_class:
            return place, inventory
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


def _moved(tx: Transaction, now: int, provider: Provider) -> ProviderInventories:
    providers.bump_generation(tx, provider.id, now)
    return _stock(provider.generation + 1, _present(tx, provider).values())


def _stock(generation: int, present: Iterable[Inventory]) -> ProviderInventories:
    return ProviderInventories(generation=generation, inventories={each.resource_class: each for each in present})
