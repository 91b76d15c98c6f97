"""Read the calendar with the leases that can be moved to other hosts."""

from collections.abc import Collection
from typing import NamedTuple

from dibs.database.transaction import Transaction
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.moving.moves import Movable
from dibs.leases.model.windows import MINUTE
from dibs.leases.queries import bookings
from dibs.leases.queries.matching import fleet
from dibs.leases.queries.moving import pending_reservations

MOVABLES_MAX = 1_000
"""The number of reservations that a search may move: those that begin next to the moment in question."""


class MovableCalendar(NamedTuple):
    """A calendar, and the reservations on it that can be moved."""

    calendar: Calendar
    movables: list[Movable]
    complete: bool
    """False when there are more reservations that could be moved."""


def read_hosts(tx: Transaction, now: int, cleaning_minutes: int) -> Calendar:
    """Return a calendar of all hosts, without bookings."""
    return Calendar(
        fleet=fleet.every(tx),
        bookings=(),
        first_starts=bookings.first_starts(tx, None),
        now=now,
        cleaning_minutes=cleaning_minutes,
    )


def read_movables(
    tx: Transaction, now: int, every: Calendar, *, moment: int, own: Collection[int] = ()
) -> MovableCalendar:
    """Return the calendar of all bookings that have not ended; those of ``own`` do not count.

    ``every`` is a calendar of all hosts that the transaction has read; its bookings are not used.
    """
    later = bookings.from_moment(tx, now - every.cleaning_minutes * MINUTE)
    booked = [booking for booking in later if booking.reservation_id not in own]
    movables = pending_reservations.nearest(tx, now, moment, booked, MOVABLES_MAX)
    # A host that was removed or added after the hosts were read is left out.
    known = every.hosts.keys()
    calendar = every.with_bookings(booking for booking in booked if booking.host_id in known)
    present = [movable for movable in movables if movable.hosts.keys() <= known]
    return MovableCalendar(calendar, present, len(movables) < MOVABLES_MAX)
