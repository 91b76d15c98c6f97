"""Figures about a site at one moment."""

from collections.abc import Mapping

from msgspec import Struct


class Measures(Struct, frozen=True, kw_only=True):
    """What the metrics of the site show."""

    nodes: Mapping[tuple[str, str], int]
    """Number of nodes by resource class and provision state."""
    queue_lengths: Mapping[str, int]
    """Number of allocations that wait for a node, by resource class."""
    queue_waits: Mapping[str, float]
    """For how many seconds the oldest of them has waited."""
    leases: Mapping[str, int]
    """Number of leases by status."""
    lateness: Mapping[str, float]
    """For how many seconds the oldest due work of each kind has been due; 0 when none is."""
    conductors: Mapping[str, int]
    """Number of conductors that are alive, that stopped, and that failed."""
