"""Trees of providers as they were at one moment, with what each member has and is."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import os_traits

from dibs.ledger.model.inventories import Inventory

SHARING_TRAIT = os_traits.MISC_SHARES_VIA_AGGREGATE


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One provider in its tree."""

    id: int
    uuid: str
    parent: str | None
    """The uuid of the provider above it."""
    root: str
    """The uuid of the provider at the top of its tree, often itself."""
    lineage: frozenset[int]
    """Itself and all above it, by row number."""
    inventories: Mapping[str, Inventory]
    """By resource class."""
    traits: frozenset[str]
    aggregates: frozenset[str]

    @property
    def shares(self) -> bool:
        """True when every tree that has an aggregate in common with it may take from it."""
        return SHARING_TRAIT in self.traits

    def fits(self, resource_class: str, amount: int) -> bool:
        """True when one claim of this size could be made now."""
        inventory = self.inventories.get(resource_class)
        return inventory is not None and inventory.takes(amount) and inventory.used + amount <= inventory.capacity

    def fits_in_sum(self, resource_class: str, amount: int) -> bool:
        """True when several claims that come to this amount could be made now, each of which fits.

        Quirk: the sum is held to the largest unit too, but not to the smallest or to the step (Placement's
        ``exceeds_capacity``).
        """
        inventory = self.inventories[resource_class]
        return amount <= inventory.max_unit and inventory.used + amount <= inventory.capacity

    def room(self, resource_class: str) -> int:
        """The most that claims together could take now."""
        inventory = self.inventories[resource_class]
        return max(0, min(inventory.max_unit, int(inventory.capacity) - inventory.used))


@dataclass(frozen=True)
class Tree:
    """A root and all below it, in the order of their row numbers."""

    root: Member
    members: tuple[Member, ...]

    @cached_property
    def aggregates(self) -> frozenset[str]:
        """Those that any member is in."""
        return frozenset().union(*(member.aggregates for member in self.members))

    @property
    def sharing(self) -> Iterable[Member]:
        """The members that share."""
        return (member for member in self.members if member.shares)
