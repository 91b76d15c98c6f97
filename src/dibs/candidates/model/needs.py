"""What a tree must have at least to be worth a search, so that the database can leave out most trees.

This is coarser than the search: it looks at each need by itself, where the search looks at all of them together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.provider_tree import Member
from dibs.candidates.model.slots import slots_of, suits_from_elsewhere
from dibs.ledger.model.criteria import ANYTHING, Criteria

NEEDS_MAX = 24
"""How many are asked of the database at most. A question may have hundreds, and the first few leave out the most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """That there is a provider in the tree that has all of this, or one that shares with it."""

    resources: tuple[tuple[str, int], ...] = ()
    one_is_enough: bool = False
    """True when the provider needs to have one of the resources only."""
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
    slots = [(slot, [member for member in sharing if suits_from_elsewhere(slot, member)]) for slot in slots_of(query)]
    for slot, others in slots:
        group = slot.group
        traits = group.traits if group.one_provider else Criteria(forbidden=group.traits.forbidden)
        yield _need(group, slot.resources, traits, others)
    for group in query.groups:
        if not group.one_provider:
            others = [member for slot, suitable in slots if slot.group is group for member in suitable]
            yield from _needs_for_traits(group, others)


def _needs_for_traits(group: RequestGroup, sharing: Sequence[Member]) -> Iterator[Need]:
    """Of those who give a group together somebody has each trait, and gives at least one class."""
    for choice in group.traits.required:
        traits = Criteria(required=(choice,), forbidden=group.traits.forbidden)
        others = [member for member in sharing if choice & member.traits]
        yield replace(_need(group, group.resources, traits, others), one_is_enough=True)


def _need(group: RequestGroup, resources: Mapping[str, int], traits: Criteria, sharing: Sequence[Member]) -> Need:
    return Need(
        resources=tuple(sorted(resources.items())),
        traits=traits,
        aggregates=group.aggregates,
        root_counts=not group.one_provider,
        in_tree=group.in_tree,
        shared_in=_aggregates(sharing),
    )


def _aggregates(members: Sequence[Member]) -> frozenset[str]:
    return frozenset().union(*(member.aggregates for member in members))
