"""The search of one tree, by backtracking.

A *slot* is what one provider has to give: a whole group with a suffix, or one class of the group without. Slots are
filled one after the other, those with the fewest choices first; every rule is asked as soon as it can say no, so that a
branch without hope is left early. A state from which nothing was found is remembered, since in a tree of many equal
members many ways lead to the same state.
"""

from collections.abc import Hashable, Iterator, Sequence

from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.candidates.model.provider_tree import Member
from dibs.candidates.model.rules import Rule, could_have_enough, rules_for
from dibs.candidates.model.slots import Choice, Slot

REMEMBERED_MAX = 100_000
"""How many states without hope are remembered at most, so that a question can cost time but not all memory."""


def search(query: CandidateQuery, slots: Sequence[Slot]) -> Iterator[Choice]:
    """Every way to fill the slots that no rule forbids, one at a time, always in the same order."""
    if not all(slot.choices for slot in slots) or not could_have_enough(query, slots):
        return iter(())
    in_order = sorted(slots, key=lambda slot: len(slot.choices))
    return _Search(in_order, rules_for(query, in_order)).choices()


class _Search:
    """The slots filled so far, and the rules that watch over them."""

    def __init__(self, slots: Sequence[Slot], rules: Sequence[Rule]) -> None:
        self._slots = slots
        self._rules = rules
        self._chosen: list[Member] = []
        self._hopeless: set[Hashable] = set()

    def choices(self) -> Iterator[Choice]:
        """Depth first. A list of iterators stands for the call stack: a question may have hundreds of slots."""
        open_choices = [iter(self._slots[0].choices)]
        fruitful = [False]
        while open_choices:
            member = next(open_choices[-1], None)
            if member is None:
                open_choices.pop()
                self._leave(fruitful)
            elif not self._add(member):
                continue
            elif len(self._chosen) == len(self._slots):
                yield self._choice()
                fruitful[-1] = True
                self._take_back()
            elif self._hopeless and self._state() in self._hopeless:
                self._take_back()
            else:
                open_choices.append(iter(self._slots[len(self._chosen)].choices))
                fruitful.append(False)

    def _leave(self, fruitful: list[bool]) -> None:
        """Go back to the slot before, when all choices of this one have been tried."""
        if fruitful.pop():
            fruitful[-1:] = [True] * bool(fruitful)
        elif len(self._hopeless) < REMEMBERED_MAX:
            self._hopeless.add(self._state())
        if self._chosen:
            self._take_back()

    def _add(self, member: Member) -> bool:
        place = len(self._chosen)
        if not all(rule.allows(place, member) for rule in self._rules):
            return False
        for rule in self._rules:
            rule.add(place, member)
        self._chosen.append(member)
        return True

    def _take_back(self) -> None:
        member = self._chosen.pop()
        for rule in self._rules:
            rule.take_back(len(self._chosen), member)

    def _state(self) -> Hashable:
        """All of the past that the future depends on."""
        return (len(self._chosen), *(rule.state() for rule in self._rules))

    def _choice(self) -> Choice:
        filled = zip(self._slots, self._chosen, strict=True)
        return tuple(sorted(filled, key=lambda each: each[0].number))
