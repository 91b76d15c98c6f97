"""Reservations of leases, as the launch of a server sees them."""

from msgspec import Struct

from dibs.flavors.model.flavors import Flavor
from dibs.leases.model.leases import ACTIVE, FLAVORED_INSTANCES, INSTANCES, RESERVATION_ACTIVE


class LaunchReservation(Struct, frozen=True, kw_only=True):
    """The reservation that servers are launched for."""

    id: int
    uuid: str
    resource_type: str
    status: str
    lease_status: str
    project_id: str | None

    @property
    def for_instances(self) -> bool:
        """True when its servers must use the flavor of the reservation."""
        return self.resource_type in (INSTANCES, FLAVORED_INSTANCES)

    def reason_against(self, project: str | None, flavor: Flavor) -> str | None:
        """Return why a project cannot launch a server of this flavor now; None when it can."""
        if self.project_id != project:
            return unknown_reservation(self.uuid)
        if self.for_instances and flavor.reservation_id != self.id:
            return f"Reservation {self.uuid} is for instances: use its flavor."
        if self.status != RESERVATION_ACTIVE or self.lease_status != ACTIVE:
            return f"Reservation {self.uuid} is {self.status}: its lease is {self.lease_status}."
        return None


def unknown_reservation(uuid: str) -> str:
    """Return the reason for a reservation that does not exist; other projects get it too, so that none is revealed."""
    return f"Reservation {uuid} could not be found."
