"""The rules that a choice of providers for all slots must keep, each asked one slot at a time.

A rule sees the slots in the order in which they are filled. It says no as soon as nothing that may still come could
help. Each is made only for a question that needs it.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Protocol, TypeVar

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.candidates.model.provider_tree import Member
from dibs.candidates.model.slots import Slot

Item = TypeVar("Item")


class Rule(Protocol):
    """Watches over the slots as they are filled and emptied."""

    def allows(self, place: int, member: Member) -> bool:
        """True when the slot at this place may be filled so, after those before it."""

    def add(self, place: int, member: Member) -> None:
        """The slot is filled."""

    def take_back(self, place: int, member: Member) -> None:
        """The slot is empty again."""

    def state(self) -> Hashable:
        """What this rule needs to know of the slots filled so far, to judge the others."""


def rules_for(query: CandidateQuery, slots: Sequence[Slot]) -> list[Rule]:
    """The rules that a question brings with it."""
    rules: list[Rule] = []
    if contested := contested_classes(slots):
        rules.append(SumsFit(slots, contested))
    if query.isolate:
        rules.append(Isolated(slots))
    rules.extend(
        TraitsTogether(group, slots) for group in query.groups if group.traits.required and not group.one_provider
    )
    rules.extend(SameSubtree(suffixes, slots) for suffixes in query.same_subtrees)
    if not query.nested:
        rules.append(OneOfEachTree(slots))
    return rules


def could_have_enough(query: CandidateQuery, slots: Sequence[Slot]) -> bool:
    """False when a mere count shows that there is too little for all slots together."""
    groups = [slot for slot in slots if slot.one_provider]
    if query.isolate and len(groups) > len({member.id for slot in groups for member in slot.choices}):
        return False
    return all(_enough(name, [slot for slot in slots if name in slot.resources]) for name in contested_classes(slots))


def _enough(resource_class: str, slots: Sequence[Slot]) -> bool:
    givers = {member.id: member for slot in slots for member in slot.choices}
    rooms = [member.room(resource_class) for member in givers.values()]
    amounts = [slot.resources[resource_class] for slot in slots]
    # A provider can fill no more slots than the smallest of them would fit into it.
    return sum(rooms) >= sum(amounts) and sum(room // min(amounts) for room in rooms) >= len(amounts)


def contested_classes(slots: Iterable[Slot]) -> frozenset[str]:
    """The classes that more than one slot wants."""
    counts = Counter(resource_class for slot in slots for resource_class in slot.resources)
    return frozenset(resource_class for resource_class, count in counts.items() if count > 1)


class SumsFit:
    """What several slots take of one class of one provider must fit together."""

    def __init__(self, slots: Sequence[Slot], contested: frozenset[str]) -> None:
        self._wanted = [[(name, n) for name, n in slot.resources.items() if name in contested] for slot in slots]
        self._taken: Counter[tuple[int, str]] = Counter()

    def allows(self, place: int, member: Member) -> bool:
        return all(
            member.fits_in_sum(name, self._taken[member.id, name] + amount) for name, amount in self._wanted[place]
        )

    def add(self, place: int, member: Member) -> None:
        for name, amount in self._wanted[place]:
            self._taken[member.id, name] += amount

    def take_back(self, place: int, member: Member) -> None:
        for name, amount in self._wanted[place]:
            self._taken[member.id, name] -= amount

    def state(self) -> Hashable:
        return frozenset(each for each in self._taken.items() if each[1])


class _Watching:
    """Remembers the providers of those slots that a rule is about."""

    def __init__(self, watched: Sequence[bool]) -> None:
        self._watched = watched
        self._chosen: list[Member] = []

    def add(self, place: int, member: Member) -> None:
        if self._watched[place]:
            self._chosen.append(member)

    def take_back(self, place: int, member: Member) -> None:
        if self._watched[place]:
            self._chosen.pop()

    def state(self) -> Hashable:
        return frozenset(member.id for member in self._chosen)


class Isolated(_Watching):
    """No two groups with a suffix have the same provider."""

    def __init__(self, slots: Sequence[Slot]) -> None:
        super().__init__([slot.one_provider for slot in slots])

    def allows(self, place: int, member: Member) -> bool:
        return not self._watched[place] or all(each.id != member.id for each in self._chosen)


class TraitsTogether(_Watching):
    """Those who give a group together have the required traits together."""

    def __init__(self, group: RequestGroup, slots: Sequence[Slot]) -> None:
        super().__init__([slot.group is group for slot in slots])
        self._required = group.traits.required
        self._to_come = _to_come(slots, self._watched, lambda member: member.traits)

    def allows(self, place: int, member: Member) -> bool:
        if not self._watched[place]:
            return True
        traits = self._to_come[place].union(member.traits, *(each.traits for each in self._chosen))
        return all(choice & traits for choice in self._required)

    def state(self) -> Hashable:
        return tuple(any(choice & each.traits for each in self._chosen) for choice in self._required)


class SameSubtree(_Watching):
    """Of the providers of these groups one is above all the others, or is all of them."""

    def __init__(self, suffixes: frozenset[str], slots: Sequence[Slot]) -> None:
        super().__init__([slot.suffix in suffixes for slot in slots])
        self._to_come = _to_come(slots, self._watched, lambda member: frozenset({member.id}))

    def allows(self, place: int, member: Member) -> bool:
        if not self._watched[place]:
            return True
        above_all = member.lineage.intersection(*(each.lineage for each in self._chosen))
        return not above_all.isdisjoint(self._to_come[place].union({member.id}, (each.id for each in self._chosen)))


class OneOfEachTree(_Watching):
    """No two providers of one tree give resources."""

    def __init__(self, slots: Sequence[Slot]) -> None:
        super().__init__([bool(slot.resources) for slot in slots])

    def allows(self, place: int, member: Member) -> bool:
        return not self._watched[place] or all(
            each.id == member.id or each.root != member.root for each in self._chosen
        )


def _to_come(
    slots: Sequence[Slot], watched: Sequence[bool], of: Callable[[Member], frozenset[Item]]
) -> list[frozenset[Item]]:
    """For each place what the choices of all watched slots after it have."""
    later: frozenset[Item] = frozenset()
    found = []
    for slot, is_watched in zip(reversed(slots), reversed(watched), strict=True):
        found.append(later)
        if is_watched:
            later = later.union(*(of(member) for member in slot.choices))
    return found[::-1]
