"""Who may use a host that can be booked.

- A compute host is for leases alone (Blazar keeps others away with its scheduler filter): whoever claims something of
  it has an instance of a reservation that lies there, or belongs to the project that has the host whole just now.
- A bare-metal node is anybody's until it is booked. Whoever takes it without a lease says no end, and would run into
  any booking, be it next year's; a hold says its end, and may have the node until then.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dibs.domain.errors import HostKeptForLeases, NodeBooked


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedHost:
    """A provider that is a host, or lies below one."""

    id: int
    name: str
    node: str | None
    """The uuid of the node that it is; None for a compute host."""
    reservation_provider_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A booking of a host, as far as it matters to those who want to use the host."""

    host_id: int
    reservation_id: int
    reservation: str
    """Its uuid."""
    resource_class: str
    """The class of its instances."""
    whole: bool
    project_id: str | None
    begun: bool
    start_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HostUse:
    """Somebody wants to claim something of a host, without saying until when."""

    projects: Collection[str | None] = ()
    """For whom it comes; nobody in particular when it only names an instance."""
    reservation_classes: Collection[str] = ()
    """Classes that it claims at the host's reservation provider along with the rest."""
    reservation_id: int | None = None
    """Of the reservation that it was launched for, if it is a server of ours."""

    def in_lease(self, promise: Promise) -> bool:
        """Whether the promise was made to whoever this is."""
        if not promise.begun:
            return False
        if self.reservation_id == promise.reservation_id:
            return True
        if promise.whole:
            return promise.project_id in self.projects
        return promise.resource_class in self.reservation_classes


def check_use(host: GuardedHost, promises: Sequence[Promise], use: HostUse) -> None:
    """Refuse a use that leases do not allow."""
    if any(use.in_lease(promise) for promise in promises):
        return
    if host.node is None:
        raise HostKeptForLeases(host=host.name)
    if promises:
        raise NodeBooked(node=host.node, reservations=_listed(promises))


def check_hold(host: GuardedHost, promises: Sequence[Promise], until: int) -> None:
    """Refuse a hold that would not be over when the node is wanted."""
    disturbed = [promise for promise in promises if promise.start_at < until]
    if disturbed:
        raise NodeBooked(node=host.node, reservations=_listed(disturbed))


def _listed(promises: Sequence[Promise]) -> str:
    return ", ".join(sorted(promise.reservation for promise in promises))
