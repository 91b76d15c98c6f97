"""Choose hosts and book them: the only writer of bookings.

Hosts are chosen without a lock. Then the operation locks the providers of the chosen hosts, reads these hosts and their
bookings again, and books them if they still fit; if not, the runner runs the operation again (docs/adr/0013).
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_

from msgspec import Struct

from dibs.database.transaction import Again, Transaction
from dibs.leases.model.bookings import Booking
from dibs.leases.model.errors import NotEnoughHosts
from dibs.leases.model.events import booking_event
from dibs.leases.model.hosts import NO_DETAILS, HostDetails
from dibs.leases.model.leases import Lease
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.earliest_start import StartSearch
from dibs.leases.model.matching.needs import Assignment, HostNeed
from dibs.leases.model.matching.selection import fits, select_hosts
from dibs.leases.model.matching.shortages import HostShortage
from dibs.leases.model.windows import Window
from dibs.leases.queries import booking_writes, bookings, free_hosts, hosts
from dibs.ledger.model.events import CAPACITY_FREED
from dibs.ledger.queries import providers


class HostSearch(Struct, frozen=True, kw_only=True):
    """A search for the hosts of one lease."""

    needs: tuple[HostNeed, ...]
    """One for each reservation."""
    window: Window
    cleaning_minutes: int
    seed: int
    own: frozenset[int] = frozenset()
    """Reservations whose bookings do not count, because their hosts are chosen again."""

    @property
    def details(self) -> HostDetails:
        """The details of hosts that the search needs."""
        return reduce(or_, (need.details for need in self.needs), NO_DETAILS)


def search_hosts(tx: Transaction, now: int, search: HostSearch) -> list[Assignment] | HostShortage:
    """Return the hosts for each reservation, or why there are not enough. Lock and book nothing.

    A sample of hosts is enough for most leases. All hosts are read when a reservation does not get all that it asks for
    from the samples, so a refusal counts every host.
    """
    sampled: list[int] = []
    for reach in free_hosts.Reach:
        before, sampled = sampled, _sample(tx, search, reach)
        if sampled and sampled != before:
            found = _select(tx, now, search, sampled)
            if not isinstance(found, HostShortage) and all(map(_is_complete, search.needs, found)):
                return found
    return _select(tx, now, search, None)


def read_start_search(tx: Transaction, now: int, search: HostSearch) -> StartSearch:
    """Return the search for the earliest start, with all bookings from the start of the window on."""
    later = bookings.from_moment(tx, search.window.widened(search.cleaning_minutes).start)
    return StartSearch(calendar=_calendar(tx, now, search, later), needs=search.needs, window=search.window)


def propose_hosts(tx: Transaction, now: int, search: HostSearch) -> list[Assignment]:
    """Return the hosts for each reservation; raise NotEnoughHosts when there are not enough. Book nothing."""
    return _sufficient(search_hosts(tx, now, search))


def choose_hosts(tx: Transaction, now: int, search: HostSearch) -> list[Assignment]:
    """Return the hosts for each reservation, their providers locked until the transaction ends."""
    chosen = propose_hosts(tx, now, search)
    host_ids = sorted({host_id for assignment in chosen for host_id in assignment})
    providers.lock_many(tx, hosts.provider_ids(tx, host_ids), now)
    # Another transaction may have booked, claimed or changed a host before this one had its locks.
    if not fits(_read(tx, now, search, host_ids), search.needs, chosen, search.window):
        raise Again
    return chosen


def book(tx: Transaction, reservation_ids: Sequence[int], chosen: Sequence[Assignment], window: Window) -> None:
    """Book chosen hosts, whose providers are locked."""
    new = [
        Booking(reservation_id=row_id, host_id=host_id, start_at=window.start, end_at=window.end, amount=amount)
        for row_id, assignment in zip(reservation_ids, chosen, strict=True)
        for host_id, amount in sorted(assignment.items())
    ]
    booking_writes.add(tx, new)


def rebook(tx: Transaction, reservation_ids: Sequence[int], chosen: Sequence[Assignment], window: Window) -> None:
    """Replace the hosts of reservations with chosen ones."""
    release(tx, reservation_ids)
    book(tx, reservation_ids, chosen, window)


def record_host_changes(tx: Transaction, lease: Lease, before: Iterable[int], after: Iterable[int]) -> None:
    """Record the hosts, by their ids, that a lease gets and loses."""
    had, has = set(before), set(after)
    for host_id, provider in hosts.provider_uuids(tx, sorted(had ^ has)).items():
        tx.record(booking_event(lease, provider, booked=host_id in has))


def shorten(tx: Transaction, reservation_ids: Sequence[int], window: Window) -> None:
    """Keep the hosts of reservations for a window that lies within the one that they had."""
    booking_writes.move(tx, reservation_ids, window.start, window.end)


def release(tx: Transaction, reservation_ids: Sequence[int]) -> None:
    """Release the hosts of reservations."""
    booking_writes.remove(tx, reservation_ids)
    tx.publish(CAPACITY_FREED)


def _select(
    tx: Transaction, now: int, search: HostSearch, host_ids: Sequence[int] | None
) -> list[Assignment] | HostShortage:
    return select_hosts(_read(tx, now, search, host_ids), search.needs, search.window, search.seed)


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


def _read(tx: Transaction, now: int, search: HostSearch, host_ids: Sequence[int] | None) -> Calendar:
    """Read the bookings in the window of some hosts, or of all."""
    taken = bookings.overlapping(tx, search.window.widened(search.cleaning_minutes), host_ids)
    return _calendar(tx, now, search, taken, host_ids)


def _calendar(
    tx: Transaction, now: int, search: HostSearch, taken: Sequence[Booking], host_ids: Sequence[int] | None = None
) -> Calendar:
    return Calendar(
        hosts=hosts.every(tx, search.details) if host_ids is None else hosts.some(tx, host_ids, search.details),
        bookings=[booking for booking in taken if booking.reservation_id not in search.own],
        first_starts=bookings.first_starts(tx, host_ids),
        now=now,
        cleaning_minutes=search.cleaning_minutes,
    )


def _sufficient(found: list[Assignment] | HostShortage) -> list[Assignment]:
    if isinstance(found, HostShortage):
        raise NotEnoughHosts(shortage=found.text)
    return found
