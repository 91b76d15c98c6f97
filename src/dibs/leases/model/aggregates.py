"""Host aggregates, as Blazar keeps them in Nova: the pool of free hosts, and one for each active reservation of hosts.

Nothing is stored: they follow from hosts and bookings.
"""

from msgspec import Struct

FREEPOOL_ID = 1
FREEPOOL_NAME = "freepool"
FREEPOOL_UUID = "b5b2c1f0-6c1f-5d3a-9a0e-66726565706f"
ZONE_PREFIX = "blazar_"


class HostAggregate(Struct, frozen=True, kw_only=True):
    """A named set of hosts."""

    id: int
    uuid: str
    name: str
    """The name of the pool, or the uuid of the reservation."""
    hosts: tuple[str, ...]
    project_id: str | None = None
    """The project of the lease; None for the pool."""
    created_at: int
    updated_at: int | None = None

    @property
    def zone(self) -> str | None:
        """The availability zone that Blazar gives to the hosts of a reservation; None for the pool."""
        return None if self.id == FREEPOOL_ID else ZONE_PREFIX + self.name
