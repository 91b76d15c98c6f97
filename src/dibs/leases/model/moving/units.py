"""What is placed on a host as one: a whole host, one instance, or all instances of a reservation with affinity."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

from msgspec import Struct

from dibs.leases.model.bookings import Booking
from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.moving.moves import Movable
from dibs.leases.model.windows import Window


class Unit(Struct, frozen=True, kw_only=True):
    """A part of a reservation that goes to one host."""

    owner: int
    """The id of its reservation; a negative number for a new one."""
    need: HostNeed
    window: Window
    amount: int
    group: str
    """Units of one owner and one group are interchangeable."""
    hosts: Sequence[Host]
    """The hosts that suit it."""

    @property
    def alone(self) -> bool:
        """True when its owner has no other unit on the same host."""
        return self.need.whole or self.need.affinity is False

    def booking(self, host_id: int) -> Booking:
        """Return the booking of a host for this unit."""
        return self.need.booking(self.owner, host_id, self.amount, self.window)


class Units:
    """Divides reservations into units, with the hosts of a calendar that suit them."""

    def __init__(self, calendar: Calendar) -> None:
        self._calendar = calendar
        self._suitable: dict[tuple[object, ...], dict[str, tuple[Host, ...]]] = {}
        self._displaced: dict[tuple[int, str, int], Unit] = {}

    def of_need(self, owner: int, need: HostNeed, window: Window) -> Iterator[Unit]:
        """Yield the units of a new need; those on hosts that it keeps come first, each bound to its host."""
        for host_id, amount in need.kept.items():
            yield self.bound(owner, need, window, host_id, amount)
        missing = need.least - sum(need.kept.values())
        if missing <= 0:
            return
        hosts = tuple(chain.from_iterable(self._suitable_by_class(need).values()))
        if need.affinity and need.kept:
            hosts = tuple(host for host in hosts if host.id in need.kept)
        sizes = [missing] if need.affinity and not need.whole else [1] * missing
        for amount in sizes:
            yield Unit(owner=owner, need=need, window=window, amount=amount, group="", hosts=hosts)

    def bound(self, owner: int, need: HostNeed, window: Window, host_id: int, amount: int) -> Unit:
        """Return a unit that goes to one host, whatever the state of the host."""
        hosts = (self._calendar.hosts[host_id],)
        return Unit(owner=owner, need=need, window=window, amount=amount, group=f"on {host_id}", hosts=hosts)

    def displaced(self, movable: Movable, booking: Booking) -> Unit:
        """Return the unit of a booking that loses its host.

        It goes to a host of the same resource class, so that the quota of its project allows it as before.
        """
        group = _class_of(self._calendar.hosts[booking.host_id])
        key = (movable.reservation_id, group, booking.amount)
        if key not in self._displaced:
            self._displaced[key] = Unit(
                owner=movable.reservation_id,
                need=movable.need,
                window=movable.window,
                amount=booking.amount,
                group=f"of class {group}",
                hosts=self._suitable_by_class(movable.need).get(group, ()),
            )
        return self._displaced[key]

    def _suitable_by_class(self, need: HostNeed) -> dict[str, tuple[Host, ...]]:
        key = (need.requirements, *sorted(need.resources.items()))
        if key not in self._suitable:
            found: dict[str, list[Host]] = defaultdict(list)
            for host in self._calendar.suitable(need):
                found[_class_of(host)].append(host)
            self._suitable[key] = {name: tuple(hosts) for name, hosts in found.items()}
        return self._suitable[key]


def bookings_of(movable: Movable) -> Iterator[Booking]:
    """Yield one booking for each unit of a reservation."""
    together = movable.need.affinity and not movable.need.whole
    for host_id, amount in movable.hosts.items():
        for size in [amount] if together else [1] * amount:
            yield movable.need.booking(movable.reservation_id, host_id, size, movable.window)


def _class_of(host: Host) -> str:
    return (host.node.resource_class if host.node is not None else None) or ""
