"""Search for the hosts of a lease, with moves of leases that have not begun if it does not fit otherwise."""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from dibs.database.transaction import Transaction
from dibs.leases.model.bookings import Booking
from dibs.leases.model.errors import NotEnoughHosts
from dibs.leases.model.hosts import NO_DETAILS, HostDetails
from dibs.leases.model.matching.budgets import BudgetSpent, SearchBudget
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.earliest_start import StartSearch
from dibs.leases.model.matching.fleet import each_alone
from dibs.leases.model.matching.needs import Assignment, HostNeed
from dibs.leases.model.matching.selection import fits_together, select_hosts
from dibs.leases.model.matching.shortages import HostShortage
from dibs.leases.model.moving.moves import Move
from dibs.leases.model.moving.search import MoveSearch
from dibs.leases.model.windows import Window
from dibs.leases.operations.matching.movables import read_movables
from dibs.leases.queries import bookings, hosts
from dibs.leases.queries.matching import fleet, free_hosts
from dibs.leases.queries.moving import pending_reservations

STEPS_MAX = 30_000
"""The steps of a search for moves: some 50 ms."""


class HostSearch(Struct, frozen=True, kw_only=True):
    """A search for the hosts of one lease."""

    needs: tuple[HostNeed, ...]
    """One for each reservation."""
    window: Window
    cleaning_minutes: int
    seed: int
    own: frozenset[int] = frozenset()
    """Reservations whose bookings do not count, because their hosts are chosen again."""
    moving: bool = True
    """Whether leases that have not begun may be moved to other hosts."""

    @property
    def details(self) -> HostDetails:
        """The details of hosts that the search needs."""
        return _details(self.needs)


class HostChoice(NamedTuple):
    """The hosts of each reservation, and the moves that make room for them."""

    assignments: list[Assignment]
    moves: tuple[Move, ...] = ()

    @property
    def host_ids(self) -> list[int]:
        """All hosts that get or lose a booking, and those that moved leases keep."""
        chosen = {host_id for assignment in self.assignments for host_id in assignment}
        return sorted(chosen.union(*(move.touched for move in self.moves)))


def search_hosts(tx: Transaction, now: int, search: HostSearch) -> HostChoice | HostShortage:
    """Return the hosts for each reservation, or why there are not enough.

    A sample of hosts is enough for most leases. All hosts are read when a reservation does not get all that it asks for
    from the samples, so a refusal counts every host.
    """
    sampled: list[int] = []
    for reach in free_hosts.Reach:
        before, sampled = sampled, _sample(tx, search, reach)
        if sampled and sampled != before:
            found = _select(tx, now, search, sampled)
            if not isinstance(found, HostShortage) and all(map(_is_complete, search.needs, found)):
                return HostChoice(found)
    taken = bookings.overlapping(tx, search.window.widened(search.cleaning_minutes), None)
    calendar = _calendar(tx, now, search, taken)
    found = select_hosts(calendar, search.needs, search.window, search.seed)
    if not isinstance(found, HostShortage):
        return HostChoice(found)
    if not all(map(calendar.could_ever_fit, search.needs)):
        return replace(found, final=True)
    return _rearrange(tx, now, search, calendar, found) if search.moving else found


def propose_hosts(tx: Transaction, now: int, search: HostSearch) -> HostChoice:
    """Return the hosts for each reservation; raise NotEnoughHosts when there are not enough."""
    found = search_hosts(tx, now, search)
    if isinstance(found, HostShortage):
        raise NotEnoughHosts(shortage=found.text, final=found.final)
    return found


def still_fits(tx: Transaction, now: int, search: HostSearch, choice: HostChoice) -> bool:
    """Return True when the choice is as good as it was. The caller has locked its hosts, and the leases that move."""
    moved = {move.of.reservation_id: move.of for move in choice.moves}
    if moved:
        present = pending_reservations.some(tx, now, bookings.of_reservations(tx, sorted(moved)))
        if {each.reservation_id: each for each in present} != moved:
            return False
    placed = [(move.need, move.hosts, move.of.window) for move in choice.moves]
    placed += [(need, hosts, search.window) for need, hosts in zip(search.needs, choice.assignments, strict=True)]
    windows = [search.window, *(move.of.window for move in choice.moves)]
    span = Window(min(each.start for each in windows), max(each.end for each in windows))
    taken = bookings.overlapping(tx, span.widened(search.cleaning_minutes), choice.host_ids)
    left = [booking for booking in taken if booking.reservation_id not in moved]
    wanted = replace(search, needs=tuple(need for need, _, _ in placed))
    return fits_together(_calendar(tx, now, wanted, left, choice.host_ids), placed)


def read_start_search(tx: Transaction, now: int, search: HostSearch) -> StartSearch:
    """Return the search for the earliest start, with all bookings from the start of the window on.

    For a lease that would not fit at any time, bookings after the window are not read.
    """
    wide = search.window.widened(search.cleaning_minutes)
    empty = _calendar(tx, now, search, ())
    hopeful = all(map(empty.could_ever_fit, search.needs))
    taken = bookings.from_moment(tx, wide.start) if hopeful else bookings.overlapping(tx, wide, None)
    return StartSearch(
        calendar=empty.with_bookings(_without_own(search, taken)), needs=search.needs, window=search.window
    )


def _rearrange(
    tx: Transaction, now: int, search: HostSearch, every: Calendar, shortage: HostShortage
) -> HostChoice | HostShortage:
    found = read_movables(tx, now, every, moment=search.window.start, own=search.own)
    budget = SearchBudget(steps_max=STEPS_MAX)
    try:
        moves = MoveSearch(found.calendar, found.movables, budget, search.seed)
        rearranged = moves.fit(search.needs, search.window)
    except BudgetSpent:
        return replace(shortage, undecided=True)
    if rearranged is None:
        return replace(shortage, undecided=not found.complete)
    return HostChoice(rearranged.assignments, rearranged.moves)


def _select(tx: Transaction, now: int, search: HostSearch, host_ids: Sequence[int]) -> list[Assignment] | HostShortage:
    taken = bookings.overlapping(tx, search.window.widened(search.cleaning_minutes), host_ids)
    return select_hosts(_calendar(tx, now, search, taken, host_ids), search.needs, search.window, search.seed)


def _sample(tx: Transaction, search: HostSearch, reach: free_hosts.Reach) -> list[int]:
    """Return hosts that probably suit, and those that the reservations have already."""
    wide = search.window.widened(search.cleaning_minutes)
    found = {host_id for need in search.needs for host_id in (*need.kept, *need.preferred)}
    different = [need for number, need in enumerate(search.needs) if need not in search.needs[:number]]
    for need in different:
        found.update(free_hosts.sample(tx, need, search.needs.count(need), wide, search.seed, reach))
    return sorted(found)


def _is_complete(need: HostNeed, assignment: Assignment) -> bool:
    """Return True when a reservation has all that it asks for."""
    return sum(assignment.values()) >= need.most


def _calendar(
    tx: Transaction, now: int, search: HostSearch, taken: Sequence[Booking], host_ids: Sequence[int] | None = None
) -> Calendar:
    return Calendar(
        fleet=fleet.every(tx) if host_ids is None else each_alone(hosts.some(tx, host_ids, search.details)),
        bookings=_without_own(search, taken),
        first_starts=bookings.first_starts(tx, host_ids),
        now=now,
        cleaning_minutes=search.cleaning_minutes,
    )


def _without_own(search: HostSearch, taken: Iterable[Booking]) -> list[Booking]:
    return [booking for booking in taken if booking.reservation_id not in search.own]


def _details(needs: Iterable[HostNeed]) -> HostDetails:
    return reduce(or_, (need.details for need in needs), NO_DETAILS)
