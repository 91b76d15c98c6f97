"""The earliest start at which a lease would fit, as far as is known today.

When a window moves to a later start, room grows only where a booking or a hold ends and shrinks only where a booking
begins. So the search looks at each host once for each of its own bookings, and keeps running sums over all hosts.

The search can take long. It runs on a snapshot after the lease was refused, outside every transaction, and within a
budget.
"""

import enum
from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.budgets import BudgetSpent, SearchBudget
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.matching.selection import select_hosts
from dibs.leases.model.matching.shortages import HostShortage, format_minute
from dibs.leases.model.windows import MINUTE, Window, minute_after


class SearchResult(enum.Enum):
    """How a search for the earliest start ended."""

    FOUND = "found"
    NEVER = "never"
    """A reservation of the lease fits at no time, even by itself, or equal ones do not fit together."""
    NOT_FOUND = "not_found"
    """No start was found, but not every way to assign hosts to several reservations was tried."""
    STOPPED = "stopped"
    """The budget was used up."""


class EarliestStart(Struct, frozen=True, kw_only=True):
    """The result of a search for the earliest start."""

    result: SearchResult
    moment: int | None = None
    """The earliest start, if it was found."""
    searched_until: int | None = None
    """When the search stopped: the last start that was tried without success."""
    steps: int

    @property
    def text(self) -> str:
        """The result in a sentence."""
        if self.moment is not None:
            return f"The earliest start at which this fits is {format_minute(self.moment)}."
        if self.result is SearchResult.NEVER:
            return "It would not fit at any time."
        if self.result is SearchResult.NOT_FOUND:
            return "No later start was found at which all of its reservations fit together."
        tried = f" after the start {format_minute(self.searched_until)}" if self.searched_until is not None else ""
        return (
            f"The search for the earliest start ended{tried} without a result, because it reached its limit after"
            f" {self.steps:,} steps: this may fit later."
        )


class StartSearch(Struct, frozen=True, kw_only=True):
    """A search for the earliest start, with the snapshot of the calendar that it needs."""

    calendar: Calendar
    needs: Sequence[HostNeed]
    window: Window

    def run(self, budget: SearchBudget) -> EarliestStart:
        """Return the first full minute after the window's start at which a window of its length fits."""
        tried: int | None = None
        try:
            for start in self._promising_starts(budget):
                if len(self.needs) == 1 or self._fits(start, budget):
                    return EarliestStart(result=SearchResult.FOUND, moment=start, steps=budget.steps)
                tried = start
        except BudgetSpent:
            return EarliestStart(result=SearchResult.STOPPED, searched_until=tried, steps=budget.steps)
        result = SearchResult.NEVER if tried is None else SearchResult.NOT_FOUND
        return EarliestStart(result=result, steps=budget.steps)

    def _fits(self, start: int, budget: SearchBudget) -> bool:
        budget.spend(len(self.needs) * self.calendar.size)
        return not isinstance(
            select_hosts(self.calendar, self.needs, self.window.moved_to(start), seed=0), HostShortage
        )

    def _promising_starts(self, budget: SearchBudget) -> Iterator[int]:
        """Yield the starts at which each need fits by itself, and equal needs fit together; the earliest first."""
        changes: dict[int, list[tuple[int, int]]] = defaultdict(list)
        different = [need for number, need in enumerate(self.needs) if need not in self.needs[:number]]
        goals = [need.goal_of(self.needs.count(need)) for need in different]
        budget.spend(sum(len(self.calendar.kinds_for(need)) for need in different))
        if not all(self.calendar.could_ever_fit(need, self.needs.count(need)) for need in different):
            return
        totals = [0] * len(different)
        for number, need in enumerate(different):
            for host, count in self.calendar.distinct_for(need):
                budget.spend(1)
                if self.calendar.why_never(need, host) is None:
                    now, later = self._contributions(need, host, budget)
                    totals[number] += count * now
                    for start, difference in later:
                        changes[start].append((number, count * difference))
        for start in sorted(changes):
            for number, difference in changes[start]:
                totals[number] += difference
            if all(total >= goal for total, goal in zip(totals, goals, strict=True)):
                yield start

    def _contributions(self, need: HostNeed, host: Host, budget: SearchBudget) -> tuple[int, list[tuple[int, int]]]:
        """Return what a host contributes at the start of the window, and how that changes at later starts."""
        calendar, window = self.calendar, self.window
        first = before = need.contribution(calendar.room(need, host, window))
        later = []
        for start in _turning_points(calendar, host, window):
            budget.spend(1 + len(calendar.bookings_of(host)))
            after = need.contribution(calendar.room(need, host, window.moved_to(start)))
            if after != before:
                later.append((start, after - before))
            before = after
        return first, later


def _turning_points(calendar: Calendar, host: Host, window: Window) -> list[int]:
    """Return the starts at which a booking or user leaves the window, or a booking enters it."""
    pause = calendar.cleaning_minutes * MINUTE
    starts = set()
    for booking in calendar.bookings_of(host):
        starts.add(minute_after(booking.end_at + pause))
        starts.add(minute_after(booking.start_at - pause - window.length + 1))
    if host.node is not None and host.node.used_until is not None:
        starts.add(minute_after(host.node.used_until + pause))
    return sorted(start for start in starts if start > window.start)
