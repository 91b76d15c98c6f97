"""Reservations that can be moved, and their moves."""

from msgspec import Struct
from msgspec.structs import replace

from dibs.leases.model.matching.needs import Assignment, HostNeed
from dibs.leases.model.windows import Window


class Movable(Struct, frozen=True, kw_only=True):
    """A reservation of a lease that has not begun, with the hosts that it has."""

    reservation_id: int
    lease_id: int
    need: HostNeed
    window: Window
    hosts: Assignment


class Move(Struct, frozen=True, kw_only=True):
    """Other hosts for a reservation: as many as before, in the same window, and suitable."""

    of: Movable
    hosts: Assignment
    """All its hosts afterwards."""

    @property
    def need(self) -> HostNeed:
        """What it needs, with the hosts that it keeps."""
        kept = {host: min(count, self.of.hosts[host]) for host, count in self.hosts.items() if host in self.of.hosts}
        return replace(self.of.need, kept=kept)

    @property
    def touched(self) -> frozenset[int]:
        """The hosts that it has before or afterwards."""
        return frozenset((*self.of.hosts, *self.hosts))
