"""Rules for the providers of several slots together, checked one slot at a time.

A rule sees the slots in the order in which the search fills them. It rejects a provider as soon as no choice for the
remaining slots could satisfy the rule. A search has only the rules that its query needs.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Protocol, TypeVar

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.provider_tree import Member
from dibs.candidates.model.slots import Slot

Item = TypeVar("Item")


class Rule(Protocol):
    """A condition on the providers of the slots filled so far."""

    def allows(self, index: int, member: Member) -> bool:
        """Return True when the member may fill the slot at this index, given the slots before it."""

    def add(self, index: int, member: Member) -> None:
        """Note that the member fills the slot."""

    def remove(self, index: int, member: Member) -> None:
        """Note that the slot is empty again."""

    def state(self) -> Hashable:
        """Return all that later decisions of this rule depend on."""


def rules_for(query: CandidateQuery, slots: Sequence[Slot]) -> list[Rule]:
    """Return the rules that a query needs."""
    rules: list[Rule] = []
    if contested := contested_classes(slots):
        rules.append(SumsFit(slots, contested))
    if query.isolate:
        rules.append(Isolated(slots))
    rules.extend(
        TraitsOfGroup(group, slots) for group in query.groups if group.traits.required and not group.one_provider
    )
    rules.extend(SameSubtree(suffixes, slots) for suffixes in query.same_subtrees)
    if not query.nested:
        rules.append(OneProviderPerTree(slots))
    return rules


def could_have_enough(query: CandidateQuery, slots: Sequence[Slot]) -> bool:
    """Return False when a count shows that the providers cannot fill all slots together."""
    groups = [slot for slot in slots if slot.one_provider]
    if query.isolate and len(groups) > len({member.id for slot in groups for member in slot.choices}):
        return False
    return all(_enough(name, [slot for slot in slots if name in slot.resources]) for name in contested_classes(slots))


def _enough(resource_class: str, slots: Sequence[Slot]) -> bool:
    suppliers = {member.id: member for slot in slots for member in slot.choices}
    rooms = [member.room(resource_class) for member in suppliers.values()]
    amounts = [slot.resources[resource_class] for slot in slots]
    # A provider fills at most as many slots as the smallest amount fits into its room.
    return sum(rooms) >= sum(amounts) and sum(room // min(amounts) for room in rooms) >= len(amounts)


def contested_classes(slots: Iterable[Slot]) -> frozenset[str]:
    """Return the classes that more than one slot requests."""
    counts = Counter(resource_class for slot in slots for resource_class in slot.resources)
    return frozenset(resource_class for resource_class, count in counts.items() if count > 1)


class SumsFit:
    """The amounts that several slots take of one class of one provider fit together."""

    def __init__(self, slots: Sequence[Slot], contested: frozenset[str]) -> None:
        self._wanted = [[(name, n) for name, n in slot.resources.items() if name in contested] for slot in slots]
        self._taken: Counter[tuple[int, str]] = Counter()

    def allows(self, index: int, member: Member) -> bool:
        return all(
            member.fits_in_sum(name, self._taken[member.id, name] + amount) for name, amount in self._wanted[index]
        )

    def add(self, index: int, member: Member) -> None:
        for name, amount in self._wanted[index]:
            self._taken[member.id, name] += amount

    def remove(self, index: int, member: Member) -> None:
        for name, amount in self._wanted[index]:
            self._taken[member.id, name] -= amount

    def state(self) -> Hashable:
        return frozenset(each for each in self._taken.items() if each[1])


class _Watching:
    """A rule about some of the slots; keeps the providers chosen for them."""

    def __init__(self, watched: Sequence[bool]) -> None:
        self._watched = watched
        self._chosen: list[Member] = []

    def add(self, index: int, member: Member) -> None:
        if self._watched[index]:
            self._chosen.append(member)

    def remove(self, index: int, member: Member) -> None:
        if self._watched[index]:
            self._chosen.pop()

    def state(self) -> Hashable:
        return frozenset(member.id for member in self._chosen)


class Isolated(_Watching):
    """No two groups with a suffix have the same provider."""

    def __init__(self, slots: Sequence[Slot]) -> None:
        super().__init__([slot.one_provider for slot in slots])

    def allows(self, index: int, member: Member) -> bool:
        return not self._watched[index] or all(each.id != member.id for each in self._chosen)


class TraitsOfGroup(_Watching):
    """The providers that supply a group together have its required traits together."""

    def __init__(self, group: RequestGroup, slots: Sequence[Slot]) -> None:
        super().__init__([slot.group is group for slot in slots])
        self._required = group.traits.required
        self._later = _of_later_slots(slots, self._watched, lambda member: member.traits)

    def allows(self, index: int, member: Member) -> bool:
        if not self._watched[index]:
            return True
        traits = self._later[index].union(member.traits, *(each.traits for each in self._chosen))
        return all(choice & traits for choice in self._required)

    def state(self) -> Hashable:
        return tuple(any(choice & each.traits for each in self._chosen) for choice in self._required)


class SameSubtree(_Watching):
    """One of the providers of these groups must be an ancestor of all the others, or supply all groups itself."""

    def __init__(self, suffixes: frozenset[str], slots: Sequence[Slot]) -> None:
        super().__init__([slot.suffix in suffixes for slot in slots])
        self._later = _of_later_slots(slots, self._watched, lambda member: frozenset({member.id}))

    def allows(self, index: int, member: Member) -> bool:
        if not self._watched[index]:
            return True
        common = member.lineage.intersection(*(each.lineage for each in self._chosen))
        return not common.isdisjoint(self._later[index].union({member.id}, (each.id for each in self._chosen)))


class OneProviderPerTree(_Watching):
    """No two providers of one tree supply resources."""

    def __init__(self, slots: Sequence[Slot]) -> None:
        super().__init__([bool(slot.resources) for slot in slots])

    def allows(self, index: int, member: Member) -> bool:
        return not self._watched[index] or all(
            each.id == member.id or each.root != member.root for each in self._chosen
        )


def _of_later_slots(
    slots: Sequence[Slot], watched: Sequence[bool], of: Callable[[Member], frozenset[Item]]
) -> list[frozenset[Item]]:
    """Return, for each slot, the values of all choices for the watched slots after it."""
    later: frozenset[Item] = frozenset()
    found = []
    for slot, is_watched in zip(reversed(slots), reversed(watched), strict=True):
        found.append(later)
        if is_watched:
            later = later.union(*(of(member) for member in slot.choices))
    return found[::-1]
