"""The calendar: hosts, their bookings, and the room that is left in a window.

Room is never computed from totals. At every moment of a window the overlapping bookings and the new ones together stay
within the capacity of the host, and a host that is booked whole is not shared.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from dibs.leases.model.bookings import Booking
from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.fleet import Fleet
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.windows import Window

BOOKED, HELD, IN_USE, TOO_SMALL = "booked in that time", "held in that time", "in use", "too small"
USED, MAINTENANCE = "in use in that time", "in maintenance in that time"
_NO_LOAD = Counter[str]()


class Calendar:
    """A snapshot of hosts and bookings. It is never changed: booking is the task of ``operations.booking``."""

    def __init__(
        self,
        *,
        fleet: Fleet,
        bookings: Iterable[Booking],
        first_starts: Mapping[int, int],
        now: int,
        cleaning_minutes: int = 0,
    ) -> None:
        self.hosts = fleet.hosts
        self.cleaning_minutes = cleaning_minutes
        self._fleet = fleet
        self._first_starts = first_starts
        self._now = now
        self._bookings: dict[int, list[Booking]] = defaultdict(list)
        for booking in bookings:
            self._bookings[booking.host_id].append(booking)

    def with_bookings(self, bookings: Iterable[Booking]) -> "Calendar":
        """Return a calendar of the same hosts with other bookings."""
        return Calendar(
            fleet=self._fleet,
            bookings=bookings,
            first_starts=self._first_starts,
            now=self._now,
            cleaning_minutes=self.cleaning_minutes,
        )

    @property
    def size(self) -> int:
        """The number of hosts and bookings: what one look at every host costs."""
        return len(self.hosts) + sum(map(len, self._bookings.values()))

    def bookings_of(self, host: Host) -> Sequence[Booking]:
        """Return the bookings of a host."""
        return self._bookings.get(host.id, ())

    @property
    def bookings(self) -> Iterator[Booking]:
        """The bookings of all hosts."""
        return (each for host_id, booked in self._bookings.items() if host_id in self.hosts for each in booked)

    def distinct(self, apart: Collection[int] = ()) -> Iterator[tuple[Host, int]]:
        """Yield the hosts that differ, each with the number of hosts that are like it.

        Booked hosts are alone, and so are those whose ids are in ``apart``.
        """
        single = {host_id for host_id in (*self._bookings, *apart) if host_id in self.hosts}
        taken = Counter(self._fleet.kind_of[host_id] for host_id in single)
        for number, kind in enumerate(self._fleet.kinds):
            if len(kind) > taken[number]:
                yield next(host for host in kind if host.id not in single), len(kind) - taken[number]
        yield from ((self.hosts[host_id], 1) for host_id in single)

    def distinct_for(self, need: HostNeed, apart: Collection[int] = ()) -> Iterator[tuple[Host, int]]:
        """Yield the hosts that differ for a need, each with the number of hosts that are like it."""
        return ((host, 1) for host in self.hosts.values()) if need.tells_hosts_apart else self.distinct(apart)

    def kinds_for(self, need: HostNeed) -> Sequence[Sequence[Host]]:
        """Return all hosts, those together that differ in nothing that a need compares."""
        return [(host,) for host in self.hosts.values()] if need.tells_hosts_apart else self._fleet.kinds

    def suitable(self, need: HostNeed) -> list[Host]:
        """Return the hosts that fit in some window, as far as is known today."""
        return [host for kind in self.kinds_for(need) if self.why_never(need, kind[0]) is None for host in kind]

    def could_ever_fit(self, need: HostNeed, times: int = 1) -> bool:
        """Return False when equal needs do not fit even if nothing is booked: no later start and no move helps."""
        rooms = (
            len(kind) * need.contribution(self._room_beside_load(need, kind[0], _NO_LOAD))
            for kind in self.kinds_for(need)
            if self.why_never(need, kind[0]) is None
        )
        # The hosts that a need keeps may be out of service.
        return bool(need.kept) or sum(rooms) >= need.goal_of(times)

    def why_never(self, need: HostNeed, host: Host) -> str | None:
        """Return why a host does not fit in any window, as far as is known today; None when it may fit."""
        for requirement in need.requirements:
            if not requirement.met_by(host):
                return requirement.words(1)
        if host.out_of_service is not None:
            return host.out_of_service
        if not all(host.takes(name, amount) for name, amount in need.resources.items()):
            return TOO_SMALL
        return IN_USE if self.in_use(host) else None

    def why_not(self, need: HostNeed, host: Host, window: Window, besides: Sequence[Booking] = ()) -> str | None:
        """Return the first reason why a host does not fit in a window; None when it fits."""
        reason = self.why_never(need, host)
        if reason is not None or self.room(need, host, window, besides) > 0:
            return reason
        wide = window.widened(self.cleaning_minutes)
        if host.node is None or not _is_used(host, wide):
            taken = (each for each in self.bookings_of(host) if wide.overlaps(each.start_at, each.end_at))
            return MAINTENANCE if any(each.maintenance for each in taken) else BOOKED
        return HELD if host.node.instance_uuid is None else USED

    def room(self, need: HostNeed, host: Host, window: Window, besides: Sequence[Booking] = ()) -> int:
        """Return how many instances of a need fit on a host in a window; for a whole host 1 or 0.

        ``besides`` are bookings to count in addition to those of the calendar.
        """
        return self.room_beside(need, host, window, (*self.bookings_of(host), *besides))

    def room_beside(self, need: HostNeed, host: Host, window: Window, booked: Sequence[Booking]) -> int:
        """Return how many instances of a need fit on a host beside these bookings, instead of the calendar's."""
        wide = window.widened(self.cleaning_minutes)
        if _is_used(host, wide):
            return 0
        taken = [each for each in booked if wide.overlaps(each.start_at, each.end_at)]
        if need.whole:
            return 0 if taken else 1
        if any(booking.whole for booking in taken):
            return 0
        return self._room_beside_load(need, host, peak_load(taken, wide) if taken else _NO_LOAD)

    def is_unbooked(self, host: Host) -> bool:
        """Return True when a host has no booking at any time."""
        return host.id not in self._first_starts and not self.bookings_of(host)

    def in_use(self, host: Host) -> bool:
        """Return True when a node has a user without a known end.

        The user of a node whose booking has begun came with that booking's lease, and leaves when the lease ends.
        """
        if host.node is None or host.node.used_until is not None:
            return False
        if self._first_starts.get(host.id, self._now + 1) <= self._now:
            return False
        return host.node.instance_uuid is not None or host.node.claimed

    def _room_beside_load(self, need: HostNeed, host: Host, load: Mapping[str, int]) -> int:
        if need.whole:
            return 1
        rooms = ((host.capacity(name) - load[name]) // amount for name, amount in need.resources.items())
        return max(0, min(rooms, default=0))


def peak_load(bookings: Iterable[Booking], window: Window) -> Counter[str]:
    """Return the most that bookings take of each class at any moment of a window."""
    changes = [
        (moment, sign, booking)
        for booking in bookings
        if window.overlaps(booking.start_at, booking.end_at)
        for moment, sign in ((max(booking.start_at, window.start), 1), (booking.end_at, -1))
    ]
    # At the same moment ends come before starts: a host that is released at noon is free for a lease from noon on.
    changes.sort(key=lambda change: change[:2])
    load, peaks = Counter[str](), Counter[str]()
    for _, sign, booking in changes:
        for name, amount in booking.resources.items():
            load[name] += sign * amount * booking.amount
            peaks[name] = max(peaks[name], load[name])
    return peaks


def _is_used(host: Host, window: Window) -> bool:
    """Return True when the user of a node has not left at the start of a window."""
    until = host.node.used_until if host.node is not None else None
    return until is not None and until > window.start
