"""Create, list, show and delete leases.

A lease is created whole or not at all: its reservations and events, the bookings of its hosts, and for reservations of
instances the resource class and the private flavor.
"""

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.paging import Page
from dibs.database.transaction import Transaction
from dibs.flavors.model.flavors import Flavor
from dibs.flavors.queries import flavors
from dibs.leases.model.access import require_in_own_project, require_on_lease, visible_leases
from dibs.leases.model.errors import BadLease, LeaseNotFound
from dibs.leases.model.events import LEASE_CHANGED
from dibs.leases.model.leases import Lease, Reservation
from dibs.leases.model.outbox import CREATE_FLAVORS
from dibs.leases.model.reservation_flavors import private_flavor
from dibs.leases.operations import booking, reservation_inventories
from dibs.leases.operations.events import end_and_delete
from dibs.leases.operations.planning import CreateLease, plan_lease, planned_lease, search_of
from dibs.leases.queries import leases, outbox
from dibs.machines.model.conductors import after


class ListLeases(Struct, frozen=True, kw_only=True):
    """List leases."""

    limit: int
    marker: str | None = None
    """The uuid of the last lease of the page before; None for the first page."""


class GetLease(Struct, frozen=True, kw_only=True):
    """Show a lease."""

    uuid: str
    rule: str = "blazar:leases:get"
    """The rule that must allow this on the lease."""


class DeleteLease(GetLease, frozen=True, kw_only=True):
    """End a lease and delete it."""

    rule: str = "blazar:leases:delete"


class ListCurrentLeases(Struct, frozen=True, kw_only=True):
    """List the leases of the caller's project that have not ended; reservations and events are left out."""

    count_max: int


class RemoveEndedLeases(Struct, frozen=True, kw_only=True):
    """Remove leases that have been terminated for this many seconds and have not changed since."""

    seconds: float
    count_max: int


def create_lease(tx: Transaction, access: Access, now: int, command: CreateLease) -> Lease:
    """Create a lease; raise NotEnoughHosts with the reasons when there are not enough hosts."""
    plan = plan_lease(tx, access, now, command)
    chosen, found = booking.choose_hosts(tx, now, search_of(plan, command)) if plan.reservations else ([], {})
    lease = leases.add(tx, planned_lease(access, now, command, plan))
    booking.book(tx, [each.id for each in lease.reservations], chosen, plan.window)
    booking.record_host_changes(tx, lease, found, (), (host_id for assignment in chosen for host_id in assignment))
    reservation_inventories.create_classes(tx, now, lease.reservations)
    for reservation in lease.reservations:
        if not reservation.whole_hosts:
            add_flavor(tx, now, lease, reservation, plan.sources.get(reservation.uuid))
    tx.publish(LEASE_CHANGED)
    return lease


def list_leases(tx: Transaction, access: Access, now: int, command: ListLeases) -> Page[Lease]:
    """Return a page of the leases that the caller sees, the oldest first."""
    after = 0 if command.marker is None else leases.position(tx, command.marker)
    if after is None:
        raise BadLease(reason=f"There is no lease {command.marker} to continue the list after.")
    return leases.page(tx, visible_leases(access), after, command.limit)


def list_current_leases(tx: Transaction, access: Access, now: int, command: ListCurrentLeases) -> list[Lease]:
    """Return the leases of the caller's project that have not ended, the first to end first."""
    require_in_own_project(access, "blazar:leases:get")
    return leases.current(tx, access.actor.project, command.count_max)


def get_lease(tx: Transaction, access: Access, now: int, command: GetLease) -> Lease:
    """Return one lease."""
    return allowed(access, leases.get(tx, command.uuid), command)


def delete_lease(tx: Transaction, access: Access, now: int, command: DeleteLease) -> None:
    """End a lease, if it has not ended, and delete it."""
    lease = allowed(access, leases.lock(tx, command.uuid), command)
    end_and_delete(tx, now, lease)


def remove_ended_leases(tx: Transaction, access: Access, now: int, command: RemoveEndedLeases) -> int:
    """Remove leases that ended long ago; return how many. A lease that was renamed since counts from then on."""
    return leases.remove_ended(tx, after(now, -command.seconds), command.count_max)


def allowed(access: Access, lease: Lease | None, command: GetLease) -> Lease:
    """Return the lease; raise when there is none, or when the caller may not do this to it."""
    if lease is None:
        raise LeaseNotFound(lease=command.uuid)
    require_on_lease(access, command.rule, lease)
    return lease


def add_flavor(tx: Transaction, now: int, lease: Lease, reservation: Reservation, source: Flavor | None) -> None:
    """Create the private flavor of a reservation of instances."""
    flavor = private_flavor(reservation, source)
    flavors.create(tx, {**flavor, "created_at": now})
    if lease.external_compute:
        outbox.add(tx, CREATE_FLAVORS, lease.uuid, {"flavors": [flavor]}, now)
