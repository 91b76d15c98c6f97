"""Requirements: what a tree must have at least for a candidate, so that the database can exclude most trees.

This is coarser than the search: each requirement is checked by itself, and the search checks all of them together.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.provider_tree import Member
from dibs.candidates.model.slots import slots_of, suits_from_elsewhere
from dibs.ledger.model.criteria import ANYTHING, Criteria

REQUIREMENTS_MAX = 24
"""The largest number that the database checks. A query may have hundreds; the first few exclude the most trees."""


class Requirement(Struct, frozen=True, kw_only=True):
    """A provider that the tree must have: one that meets all of these conditions, or one that shares with the tree."""

    resources: tuple[tuple[str, int], ...] = ()
    any_resource: bool = False
    """True when one of the resources is enough."""
    traits: Criteria = ANYTHING
    aggregates: Criteria = ANYTHING
    root_counts: bool = False
    """True when the aggregates of the tree's root count for the provider too."""
    in_tree: str | None = None
    """The root of the only tree that matches."""
    shared_in: frozenset[str] = frozenset()
    """The aggregates through which some sharing provider could meet the requirement."""


def requirements_of(query: CandidateQuery, sharing: Sequence[Member]) -> tuple[Requirement, ...]:
    """Return what every tree with a candidate meets; ``sharing`` are all sharing providers."""
    return tuple(dict.fromkeys(_all_requirements(query, sharing)))[:REQUIREMENTS_MAX]


def _all_requirements(query: CandidateQuery, sharing: Sequence[Member]) -> Iterator[Requirement]:
    slots = [(slot, [member for member in sharing if suits_from_elsewhere(slot, member)]) for slot in slots_of(query)]
    for slot, others in slots:
        group = slot.group
        traits = group.traits if group.one_provider else Criteria(forbidden=group.traits.forbidden)
        yield _requirement(group, slot.resources, traits, others)
    for group in query.groups:
        if not group.one_provider:
            others = [member for slot, suitable in slots if slot.group is group for member in suitable]
            yield from _trait_requirements(group, others)


def _trait_requirements(group: RequestGroup, sharing: Sequence[Member]) -> Iterator[Requirement]:
    """Yield a requirement for each trait: a provider that has it and supplies at least one class of the group."""
    for choice in group.traits.required:
        traits = Criteria(required=(choice,), forbidden=group.traits.forbidden)
        others = [member for member in sharing if choice & member.traits]
        yield replace(_requirement(group, group.resources, traits, others), any_resource=True)


def _requirement(
    group: RequestGroup, resources: Mapping[str, int], traits: Criteria, sharing: Sequence[Member]
) -> Requirement:
    return Requirement(
        resources=tuple(sorted(resources.items())),
        traits=traits,
        aggregates=group.aggregates,
        root_counts=not group.one_provider,
        in_tree=group.in_tree,
        shared_in=_aggregates(sharing),
    )


def _aggregates(members: Sequence[Member]) -> frozenset[str]:
    return frozenset().union(*(member.aggregates for member in members))
