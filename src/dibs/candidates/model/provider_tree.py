"""Provider trees as read in one transaction, with the inventories, traits and aggregates of each member."""

from collections.abc import Iterable, Mapping
from functools import cached_property

from msgspec import Struct

from dibs.ledger.model.inventories import Inventory

SHARING_TRAIT = "MISC_SHARES_VIA_AGGREGATE"
"""The trait of os-traits for a provider whose resources the providers of its aggregates share."""


class Member(Struct, frozen=True, kw_only=True):
    """One provider of a tree."""

    id: int
    uuid: str
    parent: str | None
    """The uuid of its parent."""
    root: str
    """The uuid of the root of its tree, often its own."""
    lineage: frozenset[int]
    """The row ids of the provider and its ancestors."""
    inventories: Mapping[str, Inventory]
    """By resource class."""
    traits: frozenset[str]
    aggregates: frozenset[str]

    @property
    def shares(self) -> bool:
        """True when every tree with a common aggregate may take resources from the provider."""
        return SHARING_TRAIT in self.traits

    def fits(self, resource_class: str, amount: int) -> bool:
        """Return True when a claim of this amount is possible now."""
        inventory = self.inventories.get(resource_class)
        return inventory is not None and inventory.takes(amount) and inventory.used + amount <= inventory.capacity

    def fits_in_sum(self, resource_class: str, amount: int) -> bool:
        """Return True when several claims with this sum are possible now; each has been checked by itself.

        Quirk: the sum is checked against ``max_unit`` too, but not against ``min_unit`` and ``step_size`` (Placement's
        ``exceeds_capacity``).
        """
        inventory = self.inventories[resource_class]
        return amount <= inventory.max_unit and inventory.used + amount <= inventory.capacity

    def room(self, resource_class: str) -> int:
        """Return the largest sum of claims that is possible now."""
        inventory = self.inventories[resource_class]
        return max(0, min(inventory.max_unit, int(inventory.capacity) - inventory.used))


class Tree(Struct, frozen=True, dict=True):
    """A root and its descendants, in the order of their row ids."""

    root: Member
    members: tuple[Member, ...]

    @cached_property
    def aggregates(self) -> frozenset[str]:
        """The aggregates of all members."""
        return frozenset().union(*(member.aggregates for member in self.members))

    @property
    def sharing(self) -> Iterable[Member]:
        """The sharing members."""
        return (member for member in self.members if member.shares)
