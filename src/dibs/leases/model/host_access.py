"""Which claims and holds on a bookable host the leases on it allow.

- A compute host is used by leases only; Blazar achieves this with a scheduler filter. A claim on it must belong to an
  instance of a reservation on that host, or to the project that has the host whole at the moment.
- A bare-metal node can be claimed until it is booked. A claim has no end, so it conflicts with every booking, even one
  of next year. A hold has an end, and so has the instance of an allocation with a lifetime: these conflict only with
  bookings that begin before that end.
"""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct, field

from dibs.leases.model.errors import HostKeptForLeases, NodeBooked


class GuardedHost(Struct, frozen=True, kw_only=True):
    """The host that a provider is, or is a descendant of."""

    id: int
    name: str
    node: str | None
    """The uuid of the node that it is; None for a compute host."""
    reservation_provider_id: int


class GuardedBooking(Struct, frozen=True, kw_only=True):
    """A booking of a host, with what decides whether a claim belongs to its lease."""

    host_id: int
    reservation_id: int
    reservation: str
    """The uuid of the reservation."""
    resource_class: str
    """The class of its instances."""
    resources: Mapping[str, int]
    """What one instance takes of its host, by resource class; empty for a whole host."""
    whole: bool
    project_id: str | None
    begun: bool
    start_at: int


class HostUse(Struct, frozen=True, kw_only=True):
    """A claim on a host, which has no end."""

    projects: Collection[str | None] = ()
    """The projects that the claim is for; none when only an instance is named."""
    reserved: Mapping[str, int] = field(default_factory=dict)
    """The reserved instances that it claims on the reservation provider of the host, by class."""
    taken: Mapping[str, int] = field(default_factory=dict)
    """What it takes of the host itself, by resource class."""
    reservation_id: int | None = None
    """The reservation that the server was launched for, if it is a server of Dibs."""

    def in_lease(self, booking: GuardedBooking) -> bool:
        """Return True when the claim belongs to the lease of a booking."""
        if not booking.begun:
            return False
        if self.reservation_id == booking.reservation_id:
            return True
        if booking.whole:
            return booking.project_id in self.projects
        # A lease without a project belongs to the operator, and claims are always made for projects.
        return booking.project_id in (None, *self.projects) and self._within(booking)

    def _within(self, booking: GuardedBooking) -> bool:
        """Return True when it takes no more than the reserved instances that it claims, and nothing else."""
        count = self.reserved.get(booking.resource_class, 0)
        return count > 0 and all(
            amount <= booking.resources.get(name, 0) * count for name, amount in self.taken.items()
        )


def check_use(host: GuardedHost, bookings: Sequence[GuardedBooking], use: HostUse) -> None:
    """Raise unless the leases on a host allow a claim."""
    if any(use.in_lease(booking) for booking in bookings):
        return
    if host.node is None:
        raise HostKeptForLeases(host=host.name)
    if bookings:
        raise NodeBooked(node=host.node, reservations=_listed(bookings))


def check_hold(host: GuardedHost, bookings: Sequence[GuardedBooking], until: int) -> None:
    """Raise NodeBooked when a booking of the node begins before the hold ends."""
    conflicting = [booking for booking in bookings if booking.start_at < until]
    if conflicting:
        raise NodeBooked(node=host.node, reservations=_listed(conflicting))


def _listed(bookings: Sequence[GuardedBooking]) -> str:
    return ", ".join(sorted(booking.reservation for booking in bookings))
