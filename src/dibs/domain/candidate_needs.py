"""What a tree must have at least to be worth a search, so that the database can leave out most trees.

This is coarser than the search: it looks at each need by itself, where the search looks at all of them together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dibs.domain.candidate_query import ANYTHING, CandidateQuery, Criteria
from dibs.domain.candidate_slots import Slot, slots_of, suits_from_elsewhere
from dibs.domain.provider_tree import Member

NEEDS_MAX = 24
"""How many are asked of the database at most. A question may have hundreds, and the first few leave out the most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """That there is a provider in the tree that has all of this, or one that shares with it."""

    resources: tuple[tuple[str, int], ...] = ()
    traits: Criteria = ANYTHING
    aggregates: Criteria = ANYTHING
    root_counts: bool = False
    """True when what the tree's root is in counts for the provider too."""
    in_tree: str | None = None
    """The root of the only tree that will do."""
    shared_in: frozenset[str] = frozenset()
    """The aggregates by which some sharing provider could meet the need."""


def needs_of(query: CandidateQuery, sharing: Sequence[Member]) -> tuple[Need, ...]:
    """What every tree with a candidate has; ``sharing`` are all providers that share."""
    return tuple(dict.fromkeys(_all_needs(query, sharing)))[:NEEDS_MAX]


def _all_needs(query: CandidateQuery, sharing: Sequence[Member]) -> Iterator[Need]:
    for slot in slots_of(query):
        yield _need_of(slot, [member for member in sharing if suits_from_elsewhere(slot, member)])
    for group in query.groups:
        if not group.one_provider:
            for choice in group.traits.required:
                shared_in = _aggregates([member for member in sharing if choice & member.traits])
                yield Need(traits=Criteria(required=(choice,)), shared_in=shared_in)


def _need_of(slot: Slot, sharing: Sequence[Member]) -> Need:
    group = slot.group
    return Need(
        resources=tuple(sorted(slot.resources.items())),
        traits=group.traits if group.one_provider else Criteria(forbidden=group.traits.forbidden),
        aggregates=group.aggregates,
        root_counts=not group.one_provider,
        in_tree=group.in_tree,
        shared_in=_aggregates(sharing),
    )


def _aggregates(members: Sequence[Member]) -> frozenset[str]:
    return frozenset().union(*(member.aggregates for member in members))
