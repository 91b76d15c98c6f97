"""Inventories: how much of a resource class a provider has."""

import re

from msgspec import Struct

from dibs.ledger.model.errors import InvalidCapacity

RESOURCE_CLASS_PREFIX = "CUSTOM_"

_NOT_IN_A_CLASS_NAME = re.compile(r"[^A-Z0-9_]")


class Inventory(Struct, frozen=True, kw_only=True):
    """The amount of one resource class that a provider has, and the amount that is claimed."""

    provider: str
    """The provider's uuid."""
    resource_class: str
    total: int
    reserved: int = 0
    """The part that cannot be claimed."""
    min_unit: int = 1
    max_unit: int
    step_size: int = 1
    allocation_ratio: float = 1.0
    used: int = 0
    created_at: int = 0
    updated_at: int | None = None

    @property
    def capacity(self) -> float:
        """The largest sum of claims."""
        return (self.total - self.reserved) * self.allocation_ratio

    def takes(self, amount: int) -> bool:
        """Return True when a single claim may have this amount."""
        return self.min_unit <= amount <= self.max_unit and amount % self.step_size == 0


def check_capacity(inventory: Inventory, *, all_may_be_reserved: bool) -> None:
    """Raise for an inventory that reserves more than its total; or all of it, unless that is allowed."""
    if inventory.capacity < (0 if all_may_be_reserved else 1):
        raise InvalidCapacity(
            resource_class=inventory.resource_class,
            provider=inventory.provider,
            relation="greater than" if all_may_be_reserved else "greater than or equal to",
        )


def custom_class_name(resource_class: str) -> str:
    """Return the ledger's name of a node's resource class: ``CUSTOM_BM_GPU`` for ``bm.gpu``.

    Quirk: Nova's ironic driver names it like this (os-resource-classes, ``normalize_name``), so flavors carry over.
    """
    return RESOURCE_CLASS_PREFIX + _NOT_IN_A_CLASS_NAME.sub("_", resource_class.upper())
