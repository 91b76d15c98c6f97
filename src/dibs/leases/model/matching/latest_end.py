"""The latest end: how long a user can keep what it has, before it is promised to another."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from dibs.leases.model.bookings import Booking
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.windows import MINUTE, Window

BOOKED, LIMITED = "a lease has it from then on", "this is the longest time that the operator allows"


class LatestEnd(NamedTuple):
    """How long a lease or an allocation can be kept at most."""

    end: int | None
    """When it ends now; None without an end."""
    latest: int | None
    """The latest end that it can have; None for any."""
    reason: str
    """Why not longer; empty when there is no limit."""

    def limited_to(self, moment: int | None, reason: str) -> "LatestEnd":
        """Return it with another limit, if that comes earlier. A limit that has passed leaves the end as it is."""
        if moment is None or (self.latest is not None and self.latest <= moment):
            return self
        return self._replace(latest=moment if self.end is None else max(self.end, moment), reason=reason)


def latest_end(calendar: Calendar, own: Sequence[Booking], needs: Mapping[int, HostNeed], window: Window) -> int | None:
    """Return until when bookings can last on the hosts that they have; None without a limit.

    ``own`` are the bookings of a lease, which the calendar does not contain, and ``needs`` the needs of their
    reservations. A later end only adds bookings to compete with, so the first that leaves no room is the limit.
    """
    limits = (_limit(calendar, each, needs[each.reservation_id], _beside(each, own), window) for each in own)
    return min((limit for limit in limits if limit is not None), default=None)


def _limit(
    calendar: Calendar, booking: Booking, need: HostNeed, beside: Sequence[Booking], window: Window
) -> int | None:
    host, pause = calendar.hosts[booking.host_id], calendar.cleaning_minutes * MINUTE
    for start in sorted({each.start_at for each in calendar.bookings_of(host) if each.start_at >= window.end}):
        longer = Window(window.start, start - pause + 1)
        prolonged = [replace(each, end_at=longer.end) for each in beside]
        if calendar.room(need, host, longer, prolonged) < booking.amount:
            return start - pause
    return None


def _beside(booking: Booking, own: Sequence[Booking]) -> list[Booking]:
    """Return the other bookings of a lease on the same host."""
    return [each for each in own if each.host_id == booking.host_id and each is not booking]
