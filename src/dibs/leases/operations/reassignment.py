"""Reassign reservations that have not begun, when one of their hosts fails, is disabled or goes into maintenance.

- When another host is available, the reservation gets it and is marked ``resources_changed``.
- Otherwise the reservation loses the host and is marked ``missing_resources``. Conductors retry until a host is
  available or the lease begins.
In both cases the lease is ``degraded``: it differs from what was booked first.
"""

from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.leases.model.errors import NotEnoughHosts
from dibs.leases.model.leases import RESERVATION_PENDING, Lease, Reservation
from dibs.leases.model.matching.needs import Assignment, need_of
from dibs.leases.model.windows import Window
from dibs.leases.operations import booking
from dibs.leases.operations.booking import HostSearch
from dibs.leases.queries import affected_reservations, bookings, hosts, leases

FindHosts = Callable[[Transaction, int, HostSearch], list[Assignment]]
"""Finds hosts, with or without locking them."""


class AffectedReservation(Struct, frozen=True, kw_only=True):
    """A reservation that lacks a host, by uuids."""

    lease: str
    reservation: str


class ReassignHosts(AffectedReservation, frozen=True, kw_only=True):
    """Find other hosts for a reservation; the seed decides among hosts that fit equally well."""

    cleaning_minutes: int
    seed: int


def list_affected_reservations(tx: Transaction, access: Access, now: int, count_max: int) -> list[AffectedReservation]:
    """Return reservations that lack a host; the next to begin come first."""
    found = affected_reservations.find(tx, count_max)
    return [AffectedReservation(lease=lease, reservation=reservation) for lease, reservation in found]


def can_reassign(tx: Transaction, access: Access, now: int, command: ReassignHosts) -> bool:
    """Return True when reassigning would change something. A read: it spares bookings the lock on the calendar."""
    return _plan(tx, now, leases.get(tx, command.lease), command, booking.propose_hosts) is not None


def reassign_hosts(tx: Transaction, access: Access, now: int, command: ReassignHosts) -> bool:
    """Replace the unavailable hosts of a reservation; return False when nothing changed."""
    booking.lock_calendar(tx)
    plan = _plan(tx, now, leases.lock(tx, command.lease), command, booking.choose_hosts)
    if plan is None:
        return False
    lease, reservation = plan.lease, plan.reservation
    booking.rebook(tx, [reservation.id], [plan.assignment], Window(lease.start_at, lease.end_at))
    flags = {"missing_resources": plan.missing, "resources_changed": plan.changed}
    leases.change_reservation(tx, reservation, now, **flags)
    leases.change(tx, lease, now, degraded=_degraded(lease, reservation, plan.missing or plan.changed))
    return True


class _Plan(NamedTuple):
    """What a reservation gets instead of its unavailable hosts."""

    lease: Lease
    reservation: Reservation
    assignment: Assignment
    missing: bool
    changed: bool


def _plan(
    tx: Transaction, now: int, lease: Lease | None, command: ReassignHosts, find_hosts: FindHosts
) -> _Plan | None:
    """Return the new hosts of a reservation; None when there are no better ones, or none are needed."""
    found = [each for each in lease.reservations if each.uuid == command.reservation] if lease else []
    if lease is None or not found or found[0].status != RESERVATION_PENDING:
        return None
    reservation = found[0]
    current = {booked.host_id: booked.amount for booked in bookings.of_reservations(tx, [reservation.id])}
    in_service = {host.id for host in hosts.some(tx, sorted(current)) if host.out_of_service is None}
    kept = {host_id: amount for host_id, amount in current.items() if host_id in in_service}
    search = HostSearch(
        needs=(need_of(reservation, kept),),
        window=Window(lease.start_at, lease.end_at),
        cleaning_minutes=command.cleaning_minutes,
        seed=command.seed,
        own=frozenset({reservation.id}),
    )
    try:
        assignment, missing = find_hosts(tx, now, search)[0], False
    except NotEnoughHosts:
        assignment, missing = kept, True
    if assignment == current and missing == reservation.missing_resources:
        return None
    changed = reservation.resources_changed or not assignment.keys() <= current.keys()
    return _Plan(lease, reservation, assignment, missing, changed)


def _degraded(lease: Lease, reassigned: Reservation, now_degraded: bool) -> bool:
    others = [each for each in lease.reservations if each.id != reassigned.id]
    return now_degraded or any(each.missing_resources or each.resources_changed for each in others)
