"""Claims: the amount of an inventory that each consumer has, and the check whether another amount fits.

A claim request replaces all claims of its consumer. Several requests are granted together or not at all, so a claim can
pass from one consumer to another without a gap.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct, field

from dibs.ledger.model.errors import CapacityExceeded, ConstraintsViolated, ConsumerGenerationConflict, NoSuchInventory
from dibs.ledger.model.inventories import Inventory


class AnyGeneration:
    """The type of ANY_GENERATION."""


ANY_GENERATION = AnyGeneration()
"""The client did not send a generation, so it is not checked."""


class InventoryKey(NamedTuple):
    """One resource class of one provider, by their row ids."""

    provider_id: int
    class_id: int


class ClaimRequest(Struct, frozen=True, kw_only=True):
    """The claims that one consumer is to have."""

    consumer: str
    """The consumer's uuid."""
    resources: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Provider uuid -> resource class -> amount; empty to release every claim."""
    generation: int | AnyGeneration | None = ANY_GENERATION
    """The generation that the client read; None when the client expects a new consumer."""
    project_id: str | None = None
    user_id: str | None = None
    consumer_type: str | None = None
    """None keeps the present type."""


def check_consumer_generation(request: ClaimRequest, current: int | None) -> None:
    """Raise unless the request names the consumer's current generation, which is None for a new consumer."""
    if not isinstance(request.generation, AnyGeneration) and request.generation != current:
        expected = "null" if current is None else current
        raise ConsumerGenerationConflict(expected=expected, got=request.generation)


def check_amounts(
    inventories: Mapping[InventoryKey, Inventory],
    wanted: Iterable[tuple[InventoryKey, int]],
    freed: Mapping[InventoryKey, int],
) -> None:
    """Raise when an inventory does not allow the wanted amounts.

    - Each amount must lie between ``min_unit`` and ``max_unit`` and be a multiple of ``step_size``.
    - The sum of all wanted amounts must fit into the capacity with the claims of other consumers. ``freed`` is the
      amount that the requesting consumers have claimed so far.
    - If an inventory is over its capacity because an operator reduced it, the new sum may exceed the capacity but not
      the used amount of before. Otherwise consumers could not move away from it one by one.
    """
    sums: Counter[InventoryKey] = Counter()
    for key, amount in wanted:
        inventory = inventories[key]
        if not inventory.takes(amount):
            raise ConstraintsViolated(resource_class=inventory.resource_class, provider=inventory.provider)
        sums[key] += amount
    for key, amount in sums.items():
        inventory = inventories[key]
        after = inventory.used - freed.get(key, 0) + amount
        if after > inventory.capacity and after > inventory.used:
            raise CapacityExceeded(resource_class=inventory.resource_class, provider=inventory.provider)


def require_inventories(
    inventories: Mapping[InventoryKey, Inventory], wanted: Iterable[tuple[InventoryKey, str, str]]
) -> None:
    """Raise unless every wanted inventory exists; each key comes with its provider's uuid and its class's name."""
    for key, provider, resource_class in wanted:
        if key not in inventories:
            raise NoSuchInventory(resource_class=resource_class, provider=provider)
