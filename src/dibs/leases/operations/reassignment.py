"""Other hosts for leases that have not begun, when one of theirs breaks, is disabled, or goes into maintenance.

- There is another host: the reservation has that one now, and says so (``resources_changed``).
- There is none: the reservation does without it and says so (``missing_resources``), and is looked at again and again
  until there is one or the lease begins.
Either way the lease is ``degraded``: it is not quite what was promised at first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.leases.model.errors import NotEnoughHosts
from dibs.leases.model.leases import RESERVATION_PENDING, Lease, Reservation
from dibs.leases.model.matching import Picks, need_of
from dibs.leases.model.windows import Window
from dibs.leases.operations import calendar
from dibs.leases.operations.calendar import Question
from dibs.leases.queries import broken_bookings, hosts, leases
from dibs.leases.queries import calendar as bookings

Pick = Callable[[Transaction, int, Question], list[Picks]]
"""How hosts are found: with or without locking them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListBroken:
    """Some of the reservations that lack a host."""

    count_max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenReservation:
    """One of them."""

    lease: str
    reservation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HealReservation(BrokenReservation):
    """Find other hosts for it, chosen by the seed among those that are as good."""

    cleaning_minutes: int
    seed: int


def list_broken(tx: Transaction, access: Access, now: int, command: ListBroken) -> list[BrokenReservation]:
    """Reservations that lack a host, those that begin first before the others."""
    found = broken_bookings.find(tx, command.count_max)
    return [BrokenReservation(lease=lease, reservation=reservation) for lease, reservation in found]


def can_heal(tx: Transaction, access: Access, now: int, command: HealReservation) -> bool:
    """Whether there is something to be changed. A read, so that what cannot be healed keeps nobody from booking."""
    return _plan(tx, now, leases.get(tx, command.lease), command, calendar.propose) is not None


def heal_reservation(tx: Transaction, access: Access, now: int, command: HealReservation) -> bool:
    """Give a reservation other hosts for those that it cannot have; False when nothing changed."""
    calendar.lock_calendar(tx)
    plan = _plan(tx, now, leases.lock(tx, command.lease), command, calendar.choose)
    if plan is None:
        return False
    lease, reservation = plan.lease, plan.reservation
    calendar.rebook(tx, [reservation.id], [plan.picks], Window(lease.start_at, lease.end_at))
    flags = {"missing_resources": plan.missing, "resources_changed": plan.changed}
    leases.change_reservation(tx, reservation, now, **flags)
    leases.change(tx, lease, now, degraded=_degraded(lease, reservation, plan.missing or plan.changed))
    return True


class _Plan(NamedTuple):
    """What a reservation is to have instead."""

    lease: Lease
    reservation: Reservation
    picks: Picks
    missing: bool
    changed: bool


def _plan(tx: Transaction, now: int, lease: Lease | None, command: HealReservation, pick: Pick) -> _Plan | None:
    """What would help a reservation; None when nothing would, or nothing is needed."""
    found = [each for each in lease.reservations if each.uuid == command.reservation] if lease else []
    if lease is None or not found or found[0].status != RESERVATION_PENDING:
        return None
    reservation = found[0]
    had = {booking.host_id: booking.amount for booking in bookings.of_reservations(tx, [reservation.id])}
    sound = {host.id for host in hosts.some(tx, sorted(had)) if host.trouble is None}
    kept = {host_id: amount for host_id, amount in had.items() if host_id in sound}
    question = Question(
        needs=(need_of(reservation, kept),),
        window=Window(lease.start_at, lease.end_at),
        cleaning_minutes=command.cleaning_minutes,
        seed=command.seed,
        own=frozenset({reservation.id}),
        movable=False,
    )
    try:
        picks, missing = pick(tx, now, question)[0], False
    except NotEnoughHosts:
        picks, missing = kept, True
    if picks == had and missing == reservation.missing_resources:
        return None
    changed = reservation.resources_changed or not picks.keys() <= had.keys()
    return _Plan(lease, reservation, picks, missing, changed)


def _degraded(lease: Lease, healed: Reservation, now_degraded: bool) -> bool:
    others = [each for each in lease.reservations if each.id != healed.id]
    return now_degraded or any(each.missing_resources or each.resources_changed for each in others)
