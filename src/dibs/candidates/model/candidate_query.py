"""The query for allocation candidates: request groups, and the conditions on all of them together, as plain data."""

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from dibs.ledger.model.criteria import ANYTHING, Criteria


class RequestGroup(Struct, frozen=True, kw_only=True):
    """Resources that are requested together, and the criteria for the providers that supply them.

    Several providers of one tree, and the providers that share with that tree, may supply the group without a suffix
    together. Exactly one provider supplies a group with a suffix. A group with a suffix and without resources has a
    provider too, to which ``same_subtrees`` can relate the others.
    """

    suffix: str = ""
    resources: Mapping[str, int] = field(default_factory=dict)
    traits: Criteria = ANYTHING
    aggregates: Criteria = ANYTHING
    in_tree: str | None = None
    """The uuid of a provider whose tree must supply the group. ``in_trees`` replaces it with the root of that tree."""

    @property
    def one_provider(self) -> bool:
        """True when a single provider must supply the whole group."""
        return bool(self.suffix)


class CandidateQuery(Struct, frozen=True, kw_only=True):
    """A whole request for allocation candidates."""

    groups: tuple[RequestGroup, ...]
    isolate: bool = False
    """True when each group with a suffix must have a provider of its own."""
    root_traits: Criteria = ANYTHING
    """The criteria for the root of the tree, whichever providers supply the resources."""
    same_subtrees: tuple[frozenset[str], ...] = ()
    """Sets of group suffixes. One of the providers of each set must be an ancestor of all the others, or be all of
    them."""
    limit: int | None = None
    """The largest number of candidates to return; the search stops there."""
    nested: bool = True
    """False for clients that do not know trees: then no candidate takes from two providers of one tree."""
    breadth_first: bool = False
    """True to return one candidate of each tree before the second of any: a limit then reaches more trees."""
    shuffle_seed: int | None = None
    """The seed of a random order, so that many clients with a limit do not all get the same candidates."""

    def trait_names(self) -> frozenset[str]:
        """Return every trait that the query names."""
        return self.root_traits.names().union(*(group.traits.names() for group in self.groups))

    def class_names(self) -> frozenset[str]:
        """Return every resource class that the query names."""
        return frozenset(name for group in self.groups for name in group.resources)

    def in_trees(self, roots: Mapping[str, str]) -> "CandidateQuery":
        """Return the query with each tree named by its root; ``roots`` has the root of each provider in ``in_tree``."""
        groups = (replace(g, in_tree=roots[g.in_tree]) if g.in_tree else g for g in self.groups)
        return replace(self, groups=tuple(groups))
