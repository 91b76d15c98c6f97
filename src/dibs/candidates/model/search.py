"""The search of one tree, by backtracking.

A *slot* is what one provider must supply: a whole group with a suffix, or one class of the group without. The search
fills the slots one after another, those with the fewest choices first. It checks every rule at each step, so that it
leaves a branch without candidates early. It remembers the states from which no candidate was found (dead ends), because
many choices lead to the same state in a tree of equal members.
"""

from collections.abc import Hashable, Iterator, Sequence

from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.candidates.model.provider_tree import Member
from dibs.candidates.model.rules import Rule, could_have_enough, rules_for
from dibs.candidates.model.slots import Choice, Slot

DEAD_ENDS_MAX = 100_000
"""The largest number of remembered states, so that a query can cost time but not all memory."""


def search(query: CandidateQuery, slots: Sequence[Slot]) -> Iterator[Choice]:
    """Yield every way to fill the slots that the rules allow, always in the same order."""
    if not all(slot.choices for slot in slots) or not could_have_enough(query, slots):
        return iter(())
    in_order = sorted(slots, key=lambda slot: len(slot.choices))
    return _Search(in_order, rules_for(query, in_order)).choices()


class _Search:
    """The slots filled so far, and the rules about them."""

    def __init__(self, slots: Sequence[Slot], rules: Sequence[Rule]) -> None:
        self._slots = slots
        self._rules = rules
        self._chosen: list[Member] = []
        self._dead_ends: set[Hashable] = set()

    def choices(self) -> Iterator[Choice]:
        """Yield the choices depth first. A list of iterators replaces recursion: a query may have hundreds of slots."""
        open_choices = [iter(self._slots[0].choices)]
        successful = [False]
        while open_choices:
            member = next(open_choices[-1], None)
            if member is None:
                open_choices.pop()
                self._backtrack(successful)
            elif not self._add(member):
                continue
            elif len(self._chosen) == len(self._slots):
                yield self._choice()
                successful[-1] = True
                self._remove()
            elif self._dead_ends and self._state() in self._dead_ends:
                self._remove()
            else:
                open_choices.append(iter(self._slots[len(self._chosen)].choices))
                successful.append(False)

    def _backtrack(self, successful: list[bool]) -> None:
        """Return to the previous slot after all choices of this one have been tried."""
        if successful.pop():
            successful[-1:] = [True] * bool(successful)
        elif len(self._dead_ends) < DEAD_ENDS_MAX:
            self._dead_ends.add(self._state())
        if self._chosen:
            self._remove()

    def _add(self, member: Member) -> bool:
        index = len(self._chosen)
        if not all(rule.allows(index, member) for rule in self._rules):
            return False
        for rule in self._rules:
            rule.add(index, member)
        self._chosen.append(member)
        return True

    def _remove(self) -> None:
        member = self._chosen.pop()
        for rule in self._rules:
            rule.remove(len(self._chosen), member)

    def _state(self) -> Hashable:
        """Return all that the rest of the search depends on."""
        return (len(self._chosen), *(rule.state() for rule in self._rules))

    def _choice(self) -> Choice:
        filled = zip(self._slots, self._chosen, strict=True)
        return tuple(sorted(filled, key=lambda each: each[0].number))
