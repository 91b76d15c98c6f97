"""Maintenance of hosts: a window in which leases leave them free."""

from msgspec import Struct


class Maintenance(Struct, frozen=True, kw_only=True):
    """Planned maintenance."""

    uuid: str | None
    """The uuid of the lease that keeps the hosts free; None when it is not booked."""
    name: str
    start_at: int
    end_at: int
    hosts: tuple[str, ...]


class MovedLease(Struct, frozen=True, kw_only=True):
    """A lease that moves so that hosts are free."""

    lease: str
    before: tuple[str, ...]
    after: tuple[str, ...]


class PlannedMaintenance(Struct, frozen=True, kw_only=True):
    """The best window that was found, and what it costs."""

    maintenance: Maintenance
    moves: tuple[MovedLease, ...]
