"""Claims: how much of an inventory each consumer has, and whether another amount fits.

A claim request replaces everything that a consumer has. Several requests are granted together or not at all, so a claim
can pass from one consumer to another without a gap.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from dibs.ledger.model.errors import CapacityExceeded, ConstraintsViolated, ConsumerGenerationConflict, NoSuchInventory
from dibs.ledger.model.inventories import Inventory


class AnyGeneration:
    """The caller does not say which generation it knows."""


ANY_GENERATION = AnyGeneration()


class InventoryKey(NamedTuple):
    """One class of one provider, by their row numbers."""

    provider_id: int
    class_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRequest:
    """What one consumer is to have from now on."""

    consumer: str
    """Its uuid."""
    resources: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Provider uuid -> resource class -> amount; empty when the consumer gives everything back."""
    generation: int | AnyGeneration | None = ANY_GENERATION
    """The generation the consumer is taken to have; None when it is taken not to exist."""
    project_id: str | None = None
    user_id: str | None = None
    consumer_type: str | None = None
    """None leaves the type as it is."""


def check_consumer_generation(request: ClaimRequest, current: int | None) -> None:
    """Refuse a request for an older generation of the consumer; ``current`` is None when there is no consumer."""
    if not isinstance(request.generation, AnyGeneration) and request.generation != current:
        expected = "null" if current is None else current
        raise ConsumerGenerationConflict(expected=expected, got=request.generation)


def check_amounts(
    inventories: Mapping[InventoryKey, Inventory],
    wanted: Iterable[tuple[InventoryKey, int]],
    freed: Mapping[InventoryKey, int],
) -> None:
    """Refuse amounts that an inventory does not allow.

    - Each single amount must lie between the smallest and the largest unit and be a multiple of the step.
    - What all requests together take of a place must fit beside what others have, once the wishers' own is freed.
    - A place that is over its capacity already, because its inventory was cut, may still be used for no more than
      before: otherwise nobody could move away from it step by step.
    """
    sums: Counter[InventoryKey] = Counter()
    for place, amount in wanted:
        inventory = inventories[place]
        if not inventory.takes(amount):
            raise ConstraintsViolated(resource_class=inventory.resource_class, provider=inventory.provider)
        sums[place] += amount
    for place, amount in sums.items():
        inventory = inventories[place]
        after = inventory.used - freed.get(place, 0) + amount
        if after > inventory.capacity and after > inventory.used:
            raise CapacityExceeded(resource_class=inventory.resource_class, provider=inventory.provider)


def require_inventories(
    inventories: Mapping[InventoryKey, Inventory], wanted: Iterable[tuple[InventoryKey, str, str]]
) -> None:
    """Refuse a class that its provider does not have; each wanted place comes with its provider and class by name."""
    for place, provider, resource_class in wanted:
        if place not in inventories:
            raise NoSuchInventory(resource_class=resource_class, provider=provider)
