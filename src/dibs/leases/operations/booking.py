"""Choose hosts and book them: the only writer of bookings.

Choosing and recording are one transaction. An operation that books locks the calendar, reads it and chooses; then it
locks the providers of the chosen hosts and checks again what the calendar does not protect: the use of nodes
(docs/adr/0007).
"""

from collections.abc import Sequence
from functools import reduce
from operator import or_

from msgspec import Struct

from dibs.database.transaction import Again, Transaction
from dibs.leases.model.bookings import Booking
from dibs.leases.model.errors import NotEnoughHosts
from dibs.leases.model.hosts import NO_DETAILS, Host, HostDetails
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.earliest_start import StartSearch
from dibs.leases.model.matching.needs import Assignment, HostNeed
from dibs.leases.model.matching.selection import select_hosts
from dibs.leases.model.matching.shortages import HostShortage
from dibs.leases.model.windows import Window
from dibs.leases.queries import booking_writes, bookings, hosts
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


def lock_calendar(tx: Transaction) -> None:
    """Keep all other transactions from booking until this one ends. Take this lock before every other lock."""
    booking_writes.lock(tx)


def search_hosts(tx: Transaction, now: int, search: HostSearch) -> list[Assignment] | HostShortage:
    """Return the hosts for each reservation, or why there are not enough. Book nothing."""
    return _search(tx, now, search)[1]


def read_start_search(tx: Transaction, now: int, search: HostSearch) -> StartSearch:
    """Return the search for the earliest start, with all bookings from the start of the window on."""
    later = bookings.from_moment(tx, search.window.widened(search.cleaning_minutes).start)
    return StartSearch(calendar=_calendar(tx, now, search, later), needs=search.needs, window=search.window)


def propose_hosts(tx: Transaction, now: int, search: HostSearch) -> list[Assignment]:
    """Return the hosts for each reservation; raise NotEnoughHosts when there are not enough. Book nothing."""
    return _sufficient(search_hosts(tx, now, search))


def choose_hosts(tx: Transaction, now: int, search: HostSearch) -> list[Assignment]:
    """Return the hosts for each reservation, their providers locked. The calendar is locked already."""
    calendar, found = _search(tx, now, search)
    chosen = _sufficient(found)
    host_ids = sorted({host_id for assignment in chosen for host_id in assignment})
    _lock_chosen(tx, now, search, [calendar.hosts[host_id] for host_id in host_ids])
    return chosen


def book(tx: Transaction, reservation_ids: Sequence[int], chosen: Sequence[Assignment], window: Window) -> None:
    """Book chosen hosts in the locked calendar."""
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


def shorten(tx: Transaction, reservation_ids: Sequence[int], window: Window) -> None:
    """Keep the hosts of reservations for a window that lies within the one that they had."""
    booking_writes.move(tx, reservation_ids, window.start, window.end)


def release(tx: Transaction, reservation_ids: Sequence[int]) -> None:
    """Release the hosts of reservations."""
    booking_writes.remove(tx, reservation_ids)
    tx.publish(CAPACITY_FREED)


def _search(tx: Transaction, now: int, search: HostSearch) -> tuple[Calendar, list[Assignment] | HostShortage]:
    calendar = _calendar(tx, now, search, bookings.overlapping(tx, search.window.widened(search.cleaning_minutes)))
    return calendar, select_hosts(calendar, search.needs, search.window, search.seed)


def _calendar(tx: Transaction, now: int, search: HostSearch, taken: Sequence[Booking]) -> Calendar:
    return Calendar(
        hosts=hosts.every(tx, search.details),
        bookings=[booking for booking in taken if booking.reservation_id not in search.own],
        first_starts=bookings.first_starts(tx),
        now=now,
        cleaning_minutes=search.cleaning_minutes,
    )


def _sufficient(found: list[Assignment] | HostShortage) -> list[Assignment]:
    if isinstance(found, HostShortage):
        raise NotEnoughHosts(shortage=found.text)
    return found


def _lock_chosen(tx: Transaction, now: int, search: HostSearch, chosen: Sequence[Host]) -> None:
    """Lock the providers of chosen hosts. Run the operation again when a host has changed since it was read: another
    transaction may have claimed a node or disabled a host."""
    providers.lock_many(tx, [host.provider_id for host in chosen], now)
    found = {host.id: host for host in hosts.some(tx, [host.id for host in chosen], search.details)}
    if any(host.id not in found or found[host.id].fingerprint != host.fingerprint for host in chosen):
        raise Again
