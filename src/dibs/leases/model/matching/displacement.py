"""Where reservations would go if some of their hosts went out of service."""

from collections.abc import Sequence

from msgspec import Struct

from dibs.leases.model.bookings import Booking
from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.fleet import each_alone
from dibs.leases.model.matching.needs import Assignment, HostNeed
from dibs.leases.model.matching.selection import select_hosts
from dibs.leases.model.matching.shortages import HostShortage
from dibs.leases.model.windows import Window


class Displaced(Struct, frozen=True, kw_only=True):
    """A reservation that would lose hosts."""

    lease: str
    reservation_id: int
    hosts: Assignment
    """The hosts that it has."""
    need: HostNeed
    """What it needs, and those of its hosts that it keeps."""
    window: Window


class Displacement(Struct, frozen=True, kw_only=True):
    """The hosts that are left, with all bookings, and the reservations that would lose hosts."""

    hosts: Sequence[Host]
    bookings: Sequence[Booking]
    displaced: Sequence[Displaced]
    now: int
    cleaning_minutes: int

    def find_hosts(self) -> list[Assignment | None]:
        """Return the hosts of each reservation afterwards, in the same order; None when there are not enough.

        Each takes its hosts before those behind it. Which of several suitable hosts a conductor takes is not known
        before.
        """
        taken = list(self.bookings)
        found: list[Assignment | None] = []
        for each in self.displaced:
            taken = [booking for booking in taken if booking.reservation_id != each.reservation_id]
            chosen = select_hosts(self._calendar(taken), [each.need], each.window, seed=0)
            assignment = None if isinstance(chosen, HostShortage) else chosen[0]
            hosts = each.need.kept if assignment is None else assignment
            taken += [each.need.booking(each.reservation_id, *host, each.window) for host in hosts.items()]
            found.append(assignment)
        return found

    def _calendar(self, taken: Sequence[Booking]) -> Calendar:
        first_starts: dict[int, int] = {}
        for booking in taken:
            first_starts[booking.host_id] = min(booking.start_at, first_starts.get(booking.host_id, booking.start_at))
        return Calendar(
            fleet=each_alone(self.hosts),
            bookings=taken,
            first_starts=first_starts,
            now=self.now,
            cleaning_minutes=self.cleaning_minutes,
        )
