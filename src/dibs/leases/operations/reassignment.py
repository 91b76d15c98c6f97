"""Reassign reservations when one of their hosts fails, is disabled or goes into maintenance.

- Before the lease begins, the reservation gets another host. It has what was promised, and no mark.
- Other leases that have not begun are moved, if that makes room.
- Once it has begun, the reservation gets another host too and is marked ``resources_changed``, as in Blazar. Better
  than Blazar, it keeps a host that its project still uses until the use ends: other leases cannot book that host.
- When there is no other host, the reservation loses the host and is marked ``missing_resources``. Conductors retry
  until a host is available or the lease ends.
A lease with a mark is ``degraded``.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.database.transaction import Again, Transaction
from dibs.leases.model.events import node_lost_event
from dibs.leases.model.hosts import NO_DETAILS, Host
from dibs.leases.model.leases import ACTIVE, PENDING, RESERVATION_ACTIVE, Lease, Reservation
from dibs.leases.model.matching.needs import Assignment, need_of
from dibs.leases.model.matching.shortages import HostShortage
from dibs.leases.model.windows import Window
from dibs.leases.operations import booking, reservation_inventories
from dibs.leases.operations.matching.search import HostChoice, HostSearch, search_hosts
from dibs.leases.queries import affected_reservations, bookings, hosts, leases
from dibs.ledger.queries import claim_views, inventories, resource_classes


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
    """Return True when reassigning would change something. A read, which locks nothing."""
    return _plan(tx, now, leases.get(tx, command.lease), command) is not None


def reassign_hosts(tx: Transaction, access: Access, now: int, command: ReassignHosts) -> bool:
    """Replace the unavailable hosts of a reservation; return False when nothing changed."""
    plan = _plan(tx, now, leases.lock(tx, command.lease), command)
    if plan is None:
        return False
    found = _secure(tx, now, plan)
    lease, reservation = plan.lease, plan.reservation
    booking.record_host_changes(tx, lease, found, plan.current, plan.assignment)
    for host_id in sorted(plan.current.keys() - plan.assignment.keys()):
        tx.record(node_lost_event(lease, found[host_id], replaced=not plan.missing))
    booking.rebook(tx, [reservation.id], [plan.assignment], Window(lease.start_at, lease.end_at))
    flags = {"missing_resources": plan.missing, "resources_changed": plan.changed}
    leases.change_reservation(tx, lease, reservation, now, **flags)
    leases.change(tx, lease, now, degraded=_degraded(lease, reservation, plan.missing or plan.changed))
    if reservation.status == RESERVATION_ACTIVE and not reservation.whole_hosts:
        reservation_inventories.offer(tx, now, reservation)
    return True


class _Situation(NamedTuple):
    """What a reservation has."""

    current: Assignment
    kept: Assignment
    """What it keeps because the host is in service, or because a reserved instance is used."""
    still_used: Assignment
    """Whole hosts that are out of service and used: they are replaced, and stay booked besides."""


class _Plan(NamedTuple):
    """What a reservation gets instead of its unavailable hosts."""

    lease: Lease
    reservation: Reservation
    situation: _Situation
    assignment: Assignment
    missing: bool
    changed: bool
    found: tuple[HostSearch, HostChoice] | None
    """The search that found other hosts; None when there are none."""

    @property
    def current(self) -> Assignment:
        return self.situation.current


def _secure(tx: Transaction, now: int, plan: _Plan) -> Mapping[int, Host]:
    """Lock all hosts of a plan, and check that it is still good: no claim on them begins or ends from now on.

    Return these hosts by their ids.
    """
    if plan.found is None:
        found: Mapping[int, Host] = booking.lock_hosts(tx, now, (), plan.current)
    else:
        found = booking.secure_hosts(tx, now, *plan.found, had=plan.current).hosts
    if _situation(tx, plan.reservation) != plan.situation:
        raise Again
    return found


def _affected(lease: Lease | None, command: ReassignHosts) -> Reservation | None:
    """Return the reservation, if its lease is pending or active."""
    if lease is None or lease.status not in (PENDING, ACTIVE):
        return None
    return next((each for each in lease.reservations if each.uuid == command.reservation), None)


def _plan(tx: Transaction, now: int, lease: Lease | None, command: ReassignHosts) -> _Plan | None:
    """Return the new hosts of a reservation; None when there are no better ones, or none are needed."""
    reservation = _affected(lease, command)
    if lease is None or reservation is None:
        return None
    begun = reservation.status == RESERVATION_ACTIVE
    situation = _situation(tx, reservation)
    found = _find_hosts(tx, now, lease, reservation, situation, command)
    chosen = situation.kept if found is None else found[1].assignments[0]
    assignment, missing = {**chosen, **situation.still_used}, found is None
    new = assignment.keys() - situation.current.keys()
    if begun and bookings.any_ended(tx, sorted(new), now):
        # An earlier lease has not released the host yet; the next round tries again.
        return None
    changed = begun and (reservation.resources_changed or bool(new))
    marks = (reservation.missing_resources, reservation.resources_changed)
    if assignment == situation.current and marks == (missing, changed):
        return None
    return _Plan(lease, reservation, situation, assignment, missing, changed, found)


def _situation(tx: Transaction, reservation: Reservation) -> _Situation:
    begun = reservation.status == RESERVATION_ACTIVE
    current = {booked.host_id: booked.amount for booked in bookings.of_reservations(tx, [reservation.id])}
    found = hosts.some(tx, sorted(current), NO_DETAILS)
    used = _used_amounts(tx, reservation, [host for host in found if host.out_of_service is not None]) if begun else {}
    kept = {host.id: current[host.id] for host in found if host.out_of_service is None}
    # A used instance counts.
    return _Situation(current, kept, used) if reservation.whole_hosts else _Situation(current, kept | used, {})


def _find_hosts(
    tx: Transaction, now: int, lease: Lease, reservation: Reservation, situation: _Situation, command: ReassignHosts
) -> tuple[HostSearch, HostChoice] | None:
    """Return other hosts for those that a reservation lost; None when there are not enough."""
    search = HostSearch(
        needs=(need_of(reservation, situation.kept),),
        window=Window(lease.start_at, lease.end_at),
        cleaning_minutes=command.cleaning_minutes,
        seed=command.seed,
        own=frozenset({reservation.id}),
    )
    searches = [search]
    if reservation.status != RESERVATION_ACTIVE:
        # Only if that does not help, a reservation that has not begun gives up hosts that are in service.
        anew = replace(need_of(reservation), preferred=frozenset(situation.kept))
        searches = [replace(search, moving=False), replace(search, needs=(anew,))]
    for each in searches:
        found = search_hosts(tx, now, each)
        if not isinstance(found, HostShortage):
            return each, found
    return None


def _used_amounts(tx: Transaction, reservation: Reservation, failed: Sequence[Host]) -> dict[int, int]:
    """Return the number of instances on failed hosts that the project of an active reservation uses; 1 for a host."""
    if reservation.whole_hosts:
        return {host.id: 1 for host in failed if claim_views.consumers_of(tx, classes=(), roots=[host.provider_id])}
    class_ids = resource_classes.ids_of(tx, [reservation.resource_class]) if failed else {}
    offered = {
        key.provider_id: inventory.used
        for class_id in class_ids.values()
        for key, inventory in inventories.of_classes(tx, [class_id]).items()
    }
    return {host.id: used for host in failed if (used := offered.get(host.reservation_provider_id, 0))}


def _degraded(lease: Lease, reassigned: Reservation, now_degraded: bool) -> bool:
    others = [each for each in lease.reservations if each.id != reassigned.id]
    return now_degraded or any(each.missing_resources or each.resources_changed for each in others)
