"""All trees, grouped by shape."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import Any

from msgspec import Struct

from dibs.candidates.model.index.shapes import IndexedTree, Shape

Position = tuple[IndexedTree, int]
"""A member of a tree."""


class Part(Struct, frozen=True):
    """The trees of one bucket at one version."""

    version: int
    trees: Mapping[Shape, Sequence[IndexedTree]]
    """By shape, in the order of the roots."""


def part_of(version: int, trees: Iterable[IndexedTree]) -> Part:
    """Return the trees of a bucket by shape; they come in the order of their roots."""
    found: dict[int, list[IndexedTree]] = defaultdict(list)
    for tree in trees:
        found[id(tree.shape)].append(tree)
    return Part(version, {each[0].shape: tuple(each) for each in found.values()})


class Group:
    """All trees of one shape."""

    def __init__(self, shape: Shape, chunks: Sequence[Sequence[IndexedTree]]) -> None:
        self.shape = shape
        self.first_root = min(chunk[0].root_id for chunk in chunks)
        self.size = sum(map(len, chunks))
        self._chunks = chunks

    @cached_property
    def trees(self) -> Sequence[IndexedTree]:
        """The trees in the order of their roots. Most groups are never searched, so they are sorted at first use."""
        return sorted(chain.from_iterable(self._chunks), key=attrgetter("root_id"))


Groups = Sequence[Group]
"""In the order of their first roots."""


class Structure:
    """The whole structure at one version of each bucket."""

    def __init__(self, parts: Mapping[int, Part]) -> None:
        self.parts = parts
        self.sum_of_versions = sum(part.version for part in parts.values())
        chunks: dict[Shape, list[Sequence[IndexedTree]]] = defaultdict(list)
        for part in parts.values():
            for shape, trees in part.trees.items():
                chunks[shape].append(trees)
        self.groups: Groups = sorted((Group(*each) for each in chunks.items()), key=attrgetter("first_root"))
        self.shapes = {shape: shape for shape in chunks}
        self.size = sum(len(shape.kinds) * sum(map(len, trees)) for shape, trees in chunks.items())
        """The number of providers."""
        self.of_class: dict[str, list[Group]] = {}
        self.of_trait: dict[str, list[Group]] = {}
        self.of_aggregate: dict[str, list[Group]] = {}
        for group in self.groups:
            self._list(group)
        self.sharing: tuple[Position, ...] = tuple(_sharing(self.groups))
        """The members that share with other trees, in the order of the trees."""
        self.kept: dict[object, Any] = {}
        """What searches have concluded from this structure."""

    def having(self, traits: Collection[str], count_max: int) -> list[int] | None:
        """Return the row ids of the providers that have all of these traits, in order; None for more than a maximum."""
        wanted = frozenset(traits)
        found: list[int] = []
        for group in min((self.of_trait.get(trait, []) for trait in wanted), key=len, default=self.groups):
            positions = [position for position, kind in enumerate(group.shape.kinds) if wanted <= kind.traits]
            if len(found) + len(positions) * group.size > count_max:
                return None
            found += [tree.ids[position] for position in positions for tree in group.trees]
        return sorted(found)

    def _list(self, group: Group) -> None:
        """Add a group to the lists of everything that one of its members has."""
        kinds = group.shape.kinds
        for lists, names in (
            (self.of_class, {stock.resource_class for kind in kinds for stock in kind.stocks}),
            (self.of_trait, frozenset().union(*(kind.traits for kind in kinds))),
            (self.of_aggregate, frozenset().union(*(kind.aggregates for kind in kinds))),
        ):
            for name in names:
                lists.setdefault(name, []).append(group)


def _sharing(groups: Groups) -> list[Position]:
    found = (
        (tree, position)
        for group in groups
        if group.shape.shares
        for tree in group.trees
        for position, kind in enumerate(group.shape.kinds)
        if kind.shares
    )
    return sorted(found, key=lambda each: (each[0].root_id, each[1]))


NOTHING = Structure({})
"""What a process knows before it has loaded the structure."""
