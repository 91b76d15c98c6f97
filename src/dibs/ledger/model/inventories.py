"""Resource classes and how much a provider has of each."""

import re
from dataclasses import dataclass

from dibs.ledger.model.errors import InvalidCapacity

RESOURCE_CLASS_PREFIX = "CUSTOM_"

_NOT_IN_A_CLASS_NAME = re.compile(r"[^A-Z0-9_]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """What one provider has of one class, and how much of it is taken."""

    provider: str
    """The provider's uuid."""
    resource_class: str
    total: int
    reserved: int = 0
    """Kept from everybody."""
    min_unit: int = 1
    max_unit: int
    step_size: int = 1
    allocation_ratio: float = 1.0
    used: int = 0
    created_at: int = 0
    updated_at: int | None = None

    @property
    def capacity(self) -> float:
        """How much may be taken in all."""
        return (self.total - self.reserved) * self.allocation_ratio

    def takes(self, amount: int) -> bool:
        """True when one claim may be of this size."""
        return self.min_unit <= amount <= self.max_unit and amount % self.step_size == 0


def check_capacity(inventory: Inventory, *, all_may_be_reserved: bool) -> None:
    """Refuse an inventory that reserves more than there is, or, unless that is allowed, all there is."""
    if inventory.capacity < (0 if all_may_be_reserved else 1):
        raise InvalidCapacity(
            resource_class=inventory.resource_class,
            provider=inventory.provider,
            relation="greater than" if all_may_be_reserved else "greater than or equal to",
        )


def custom_class_name(resource_class: str) -> str:
    """The ledger's name for a node's resource class: ``bm.gpu`` is one unit of ``CUSTOM_BM_GPU``.

    Quirk: this is how Nova's ironic driver names it (os-resource-classes, ``normalize_name``), so flavors carry over.
    """
    return RESOURCE_CLASS_PREFIX + _NOT_IN_A_CLASS_NAME.sub("_", resource_class.upper())
