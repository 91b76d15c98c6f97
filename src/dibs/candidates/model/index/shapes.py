"""Trees of providers, and the shapes that equal trees share."""

from msgspec import Struct

from dibs.candidates.model.provider_tree import SHARING_TRAIT


class Stock(Struct, frozen=True, gc=False):
    """An inventory without what changes with use: the amount used, and the reserved amount."""

    class_id: int
    resource_class: str
    total: int
    min_unit: int
    max_unit: int
    step_size: int
    allocation_ratio: float

    def capacity(self, reserved: int) -> float:
        """Return the largest sum of claims."""
        return (self.total - reserved) * self.allocation_ratio


class Kind(Struct, frozen=True):
    """What equal providers have in common."""

    stocks: tuple[Stock, ...]
    """In the order of the row ids of their classes."""
    traits: frozenset[str]
    aggregates: frozenset[str]

    @property
    def shares(self) -> bool:
        """True when every tree with a common aggregate may take resources from such a provider."""
        return SHARING_TRAIT in self.traits


class Shape(Struct, frozen=True):
    """What equal trees have in common: the kind of each member, and the position of its parent."""

    kinds: tuple[Kind, ...]
    parents: tuple[int | None, ...]

    @property
    def root(self) -> int:
        """The position of the root."""
        return self.parents.index(None)

    @property
    def shares(self) -> bool:
        """True when a member shares with other trees."""
        return any(kind.shares for kind in self.kinds)


class IndexedTree(Struct, frozen=True, gc=False):
    """One tree; its members are in the order of their row ids."""

    root_id: int
    ids: tuple[int, ...]
    uuids: tuple[str, ...]
    shape: Shape

    @property
    def root_uuid(self) -> str:
        """The uuid of the root."""
        return self.uuids[self.shape.root]

    def parent_uuid(self, position: int) -> str | None:
        """Return the uuid of the parent of a member."""
        parent = self.shape.parents[position]
        return None if parent is None else self.uuids[parent]
