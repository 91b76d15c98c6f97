"""What a search for candidates asks: groups of resources, and what holds for all of them, as plain data."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """Names that something must and must not have: traits, or aggregates."""

    required: tuple[frozenset[str], ...] = ()
    """Of each of these sets at least one name."""
    forbidden: frozenset[str] = frozenset()
    """None of these."""

    def __bool__(self) -> bool:
        return bool(self.required or self.forbidden)

    def met_by(self, names: Collection[str]) -> bool:
        """True when these names satisfy both halves."""
        return self.forbidden.isdisjoint(names) and self.required_in(names)

    def required_in(self, names: Collection[str]) -> bool:
        """True when these names have what is required."""
        return all(not choice.isdisjoint(names) for choice in self.required)

    def names(self) -> frozenset[str]:
        """Every name that is mentioned."""
        return self.forbidden.union(*self.required)


ANYTHING = Criteria()


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Resources that belong together, and what those who give them must be.

    The group without a suffix may be given by several providers of one tree and by providers that share with that tree;
    a group with a suffix is given by exactly one provider. One without resources only names such a provider.
    """

    suffix: str = ""
    resources: Mapping[str, int] = field(default_factory=dict)
    traits: Criteria = ANYTHING
    aggregates: Criteria = ANYTHING
    in_tree: str | None = None
    """The uuid of a provider: only its tree will do. ``in_trees`` puts the root of that tree in its place."""

    @property
    def one_provider(self) -> bool:
        """True when a single provider must give all of it."""
        return bool(self.suffix)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateQuery:
    """The whole question."""

    groups: tuple[Group, ...]
    isolate: bool = False
    """No two groups with a suffix are given by the same provider."""
    root_traits: Criteria = ANYTHING
    """What the root of the tree must and must not have, whoever gives the resources."""
    same_subtrees: tuple[frozenset[str], ...] = ()
    """Suffixes of groups: among the providers of each set one must be above all the others, or be them all."""
    limit: int | None = None
    """How many candidates are wanted at most; the search stops there."""
    nested: bool = True
    """False for those who know nothing of trees: then no candidate takes from two providers of one tree."""
    shuffle_seed: int | None = None
    """Gives the candidates in an order of its own, so that many callers with a limit do not all get the same ones."""

    def trait_names(self) -> frozenset[str]:
        """Every trait that is mentioned."""
        return self.root_traits.names().union(*(group.traits.names() for group in self.groups))

    def class_names(self) -> frozenset[str]:
        """Every resource class that is mentioned."""
        return frozenset(name for group in self.groups for name in group.resources)

    def in_trees(self, roots: Mapping[str, str]) -> "CandidateQuery":
        """The same question with trees named by their roots; ``roots`` has the root of each provider that was named."""
        groups = (replace(g, in_tree=roots[g.in_tree]) if g.in_tree else g for g in self.groups)
        return replace(self, groups=tuple(groups))
