"""Slots: the parts of a query that one provider each must supply, and the providers that could."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.provider_tree import Member, Tree


class Slot(Struct, frozen=True, kw_only=True):
    """What one provider must supply: a whole group with a suffix, or one class of the group without."""

    number: int
    """Its position in the query."""
    group: RequestGroup
    resources: Mapping[str, int]
    choices: tuple[Member, ...] = ()
    """The providers that could supply it."""

    @property
    def suffix(self) -> str:
        """The suffix of the group."""
        return self.group.suffix

    @property
    def one_provider(self) -> bool:
        """True when the slot is a whole group."""
        return self.group.one_provider

    def with_choices(self, choices: Sequence[Member]) -> "Slot":
        """Return the slot with other choices, or with the same in another order."""
        return replace(self, choices=tuple(choices))


Choice = tuple[tuple[Slot, Member], ...]
"""A provider for every slot, in the order of the query."""


def slots_of(query: CandidateQuery) -> tuple[Slot, ...]:
    """Return the slots of a query, without choices."""
    parts = ((group, resources) for group in query.groups for resources in _parts(group))
    return tuple(
        Slot(number=number, group=group, resources=resources) for number, (group, resources) in enumerate(parts)
    )


def _parts(group: RequestGroup) -> Iterator[Mapping[str, int]]:
    if group.one_provider:
        yield group.resources
    else:
        yield from ({resource_class: amount} for resource_class, amount in group.resources.items())


def with_choices_of(slots: Sequence[Slot], tree: Tree, sharing: Sequence[Member]) -> list[Slot]:
    """Return the slots with the members of a tree, and the providers that share with it, that could supply them."""
    return [
        slot.with_choices(
            [member for member in tree.members if suits(slot, member, tree.root)]
            + [member for member in sharing if _root_admits(slot, tree.root) and suits_from_elsewhere(slot, member)]
        )
        for slot in slots
    ]


def suits(slot: Slot, member: Member, root: Member) -> bool:
    """Return True when a member of the tree with this root could fill the slot."""
    group = slot.group
    if not _supplies(slot, member):
        return False
    if group.one_provider:
        return group.traits.met_by(member.traits) and group.aggregates.met_by(member.aggregates)
    # Only for the group without a suffix does an aggregate of the root include the whole tree.
    return (
        group.traits.forbidden.isdisjoint(member.traits)
        and group.aggregates.forbidden.isdisjoint(member.aggregates)
        and _root_admits(slot, root)
        and (group.aggregates.required_in(member.aggregates) or group.aggregates.required_in(root.aggregates))
    )


def suits_from_elsewhere(slot: Slot, member: Member) -> bool:
    """Return True when a sharing provider could fill the slot for another tree, whichever tree that is."""
    group = slot.group
    if not group.one_provider and (group.in_tree or not group.traits.forbidden.isdisjoint(member.traits)):
        return False
    return (
        _supplies(slot, member)
        and (not group.one_provider or group.traits.met_by(member.traits))
        and group.aggregates.met_by(member.aggregates)
    )


def _supplies(slot: Slot, member: Member) -> bool:
    in_tree = slot.group.in_tree
    return (in_tree is None or member.root == in_tree) and all(
        member.fits(resource_class, amount) for resource_class, amount in slot.resources.items()
    )


def _root_admits(slot: Slot, root: Member) -> bool:
    return slot.one_provider or slot.group.aggregates.forbidden.isdisjoint(root.aggregates)
