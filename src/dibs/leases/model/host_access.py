"""Who may use a host that can be booked.

- A compute host is for leases alone (Blazar keeps others away with its scheduler filter): whoever claims something of
  it has an instance of a reservation that lies there, or belongs to the project that has the host whole just now.
- A bare-metal node is anybody's until it is booked. Whoever takes it without a lease says no end, and would run into
  any booking, be it next year's; a hold says its end, and may have the node until then.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from dibs.leases.model.errors import HostKeptForLeases, NodeBooked


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
    resources: Mapping[str, int]
    """What one instance takes of its host, by resource class; empty for a whole host."""
    whole: bool
    project_id: str | None
    begun: bool
    start_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HostUse:
    """Somebody wants to claim something of a host, without saying until when."""

    projects: Collection[str | None] = ()
    """For whom it comes; nobody in particular when it only names an instance."""
    reserved: Mapping[str, int] = field(default_factory=dict)
    """How many reserved instances it claims at the host's reservation provider along with the rest, by class."""
    taken: Mapping[str, int] = field(default_factory=dict)
    """What it takes of the host itself, by resource class."""
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
        # A lease of no project belongs to whoever runs the system, and claims are made in the name of projects.
        return promise.project_id in (None, *self.projects) and self._within(promise)

    def _within(self, promise: Promise) -> bool:
        """Whether it takes no more than the instances that it claims were promised."""
        count = self.reserved.get(promise.resource_class, 0)
        return count > 0 and all(
            self.taken.get(name, 0) <= amount * count for name, amount in promise.resources.items()
        )


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
