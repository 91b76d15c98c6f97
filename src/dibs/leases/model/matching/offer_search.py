"""The search for offers: with which change a lease that was refused would fit.

One look at each host counts everything that a reservation by itself could have instead. With several reservations, the
selection of hosts confirms each offer, because they compete for the same hosts. Like the search for the earliest start,
it runs on a snapshot outside every transaction, and within a budget.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from msgspec import Struct, field
from msgspec.structs import replace

from dibs.leases.model.hosts import Host
from dibs.leases.model.matching import offers
from dibs.leases.model.matching.budgets import BudgetSpent, SearchBudget
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.earliest_start import EarliestStart, StartSearch
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.matching.offers import Offer, OfferKind
from dibs.leases.model.matching.requirements import parse
from dibs.leases.model.matching.selection import select_hosts
from dibs.leases.model.matching.shortages import HostShortage, format_minute
from dibs.leases.model.matching.terms import Term, with_class
from dibs.leases.model.windows import MINUTE, Window, minute_after, to_minute


class _Survey(Struct):
    """What hosts could offer to one reservation by itself."""

    rooms: Counter[frozenset[str]] = field(default_factory=Counter)
    """What hosts contribute in the window, by the terms that they fail."""
    classes: Counter[str] = field(default_factory=Counter)
    """What hosts contribute that fail only for their class, by that class."""
    shrinking: Counter[int] = field(default_factory=Counter)
    """How much less suitable hosts contribute to a lease that ends after a moment."""
    shortest: int = 0
    """What suitable hosts contribute to the shortest possible lease."""
    largest: int = 0
    """The most room on a suitable host."""


class OfferSearch(Struct, frozen=True, kw_only=True):
    """A search for offers, on the snapshot of the search for the earliest start."""

    later: StartSearch
    terms: Sequence[Sequence[Term]]
    """The terms of the requirements of each need."""
    limited: bool = False
    """The project has a quota, with which offers are not compared: none is made, so that none is refused."""

    @property
    def calendar(self) -> Calendar:
        """The snapshot."""
        return self.later.calendar

    @property
    def needs(self) -> Sequence[HostNeed]:
        """What each reservation needs."""
        return self.later.needs

    def run(self, earliest: EarliestStart, budget: SearchBudget) -> list[Offer]:
        """Return the offers that were found within the budget."""
        found: list[Offer] = []
        if self.limited:
            return found
        try:
            for offer in chain(self._later(earliest), self._others(budget)):
                found.append(offer)
        except BudgetSpent:
            pass
        return found

    def _later(self, earliest: EarliestStart) -> list[Offer]:
        if earliest.moment is None:
            return []
        moved = self.later.window.moved_to(earliest.moment)
        text = f"start at {format_minute(moved.start)}"
        return [Offer(kind=OfferKind.LATER, text=text, start=moved.start, end=moved.end)]

    def _others(self, budget: SearchBudget) -> Iterator[Offer]:
        # Clients of leases write dates to the minute.
        window = Window(minute_after(self.later.window.start), to_minute(self.later.window.end))
        if window.length <= 0:
            return
        surveys = [self._survey(number, window, budget) for number in range(len(self.needs))]
        ends = [self._longest_end(need, survey, window) for need, survey in zip(self.needs, surveys, strict=True)]
        end = min((end for end in ends if end is not None), default=window.start)
        if None not in ends and end > window.start and self._fits(self.needs, Window(window.start, end), budget):
            yield Offer(kind=OfferKind.SHORTER, text=f"end at {format_minute(end)}", end=end)
        for number, survey in enumerate(surveys):
            for offer in self._of_reservation(number, survey):
                if self._fits(self._changed(offer), window, budget):
                    yield offer

    def _of_reservation(self, number: int, survey: _Survey) -> Iterator[Offer]:
        """Yield what one reservation could have, as far as the others leave it."""
        need = self.needs[number]
        goal = need.goal_of(1)
        room = survey.largest if need.affinity else survey.rooms[frozenset()]
        yield from offers.fewer(room, need.least, number)
        words = {term.text: term.words for term in self.terms[number]}
        classes = {term.text for term in self.terms[number] if term.names_class}
        rooms = {failed: room for failed, room in survey.rooms.items() if not failed & classes}
        yield from offers.without(rooms, goal, words, number)
        yield from offers.other_classes(survey.classes, goal, number)

    def _survey(self, number: int, window: Window, budget: SearchBudget) -> _Survey:
        need, terms, survey = self.needs[number], self.terms[number], _Survey()
        droppable = {each for term in terms for each in term.requirements}
        fixed = replace(need, requirements=tuple(each for each in need.requirements if each not in droppable))
        compared = replace(need, requirements=(*need.requirements, *droppable))
        for host, count in self.calendar.distinct_for(compared):
            budget.spend(1 + len(self.calendar.bookings_of(host)))
            if self.calendar.why_never(fixed, host) is None:
                self._add(survey, need, host, count, [term for term in terms if not term.met_by(host)], window)
        return survey

    def _add(
        self, survey: _Survey, need: HostNeed, host: Host, count: int, failed: Sequence[Term], window: Window
    ) -> None:
        """Count what a host, and as many that are like it, could offer."""
        room = self.calendar.room(need, host, window)
        contribution = count * need.contribution(room)
        if contribution:
            survey.rooms[frozenset(term.text for term in failed)] += contribution
            if len(failed) == 1 and failed[0].names_class and host.node is not None and host.node.resource_class:
                survey.classes[host.node.resource_class] += contribution
        if not failed:
            survey.largest = max(survey.largest, room)
            before = need.contribution(self.calendar.room(need, host, Window(window.start, window.start + 1)))
            survey.shortest += count * before
            for end in self._ends(host, window):
                after = need.contribution(self.calendar.room(need, host, Window(window.start, end + 1)))
                survey.shrinking[end] += count * (before - after)
                before = after

    def _ends(self, host: Host, window: Window) -> list[int]:
        """Return the ends after which a booking of the host is in the way."""
        pause = self.calendar.cleaning_minutes * MINUTE
        ends = {booking.start_at - pause for booking in self.calendar.bookings_of(host)}
        return sorted(end for end in ends if window.start < end < window.end)

    def _longest_end(self, need: HostNeed, survey: _Survey, window: Window) -> int | None:
        """Return the latest end with which the need fits by itself; None when not even the shortest lease fits."""
        total, goal = survey.shortest, need.goal_of(1)
        if total < goal:
            return None
        for end in sorted(survey.shrinking):
            total -= survey.shrinking[end]
            if total < goal:
                return to_minute(end)
        return window.end

    def _changed(self, offer: Offer) -> list[HostNeed]:
        """Return the needs with the change of an offer."""
        needs = list(self.needs)
        need = needs[offer.reservation]
        if offer.count is not None:
            need = replace(need, least=offer.count, most=offer.count)
        terms = self.terms[offer.reservation]
        old = [term for term in terms if term.text in offer.without or (offer.resource_class and term.names_class)]
        new = parse(with_class(old[0].text, offer.resource_class)) if offer.resource_class else ()
        dropped = {each for term in old for each in term.requirements}
        kept = tuple(each for each in need.requirements if each not in dropped)
        needs[offer.reservation] = replace(need, requirements=(*kept, *new))
        return needs

    def _fits(self, needs: Sequence[HostNeed], window: Window, budget: SearchBudget) -> bool:
        """Return True when all needs fit together. A single one was counted exactly."""
        if len(needs) == 1:
            return True
        budget.spend(len(needs) * self.calendar.size)
        return not isinstance(select_hosts(self.calendar, needs, window, seed=0), HostShortage)
