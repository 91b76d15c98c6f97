"""Other hosts for leases that have not begun, when one of theirs breaks, is disabled, or goes into maintenance.

- There is another host: the reservation has that one now, and says so (``resources_changed``).
- There is none: the reservation does without it and says so (``missing_resources``), and is looked at again and again
  until there is one or the lease begins.
Either way the lease is ``degraded``: it is not quite what was promised at first.
"""

from dataclasses import dataclass

from dibs.domain.actor import Actor
from dibs.domain.errors import NotEnoughHosts
from dibs.domain.lease_matching import Picks, need_of
from dibs.domain.leases import RESERVATION_PENDING, Lease, Reservation
from dibs.domain.windows import Window
from dibs.store import broken_bookings, hosts, leases
from dibs.store import calendar as bookings
from dibs.store.transaction import Transaction
from dibs.usecases import calendar
from dibs.usecases.calendar import Question


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


def list_broken(tx: Transaction, actor: Actor, now: int, command: ListBroken) -> list[BrokenReservation]:
    """Reservations that lack a host, those that begin first before the others."""
    found = broken_bookings.find(tx, command.count_max)
    return [BrokenReservation(lease=lease, reservation=reservation) for lease, reservation in found]


def heal_reservation(tx: Transaction, actor: Actor, now: int, command: HealReservation) -> bool:
    """Give a reservation other hosts for those that it cannot have; False when nothing changed."""
    calendar.lock_calendar(tx)
    lease = leases.lock(tx, command.lease)
    found = [each for each in lease.reservations if each.uuid == command.reservation] if lease else []
    if lease is None or not found or found[0].status != RESERVATION_PENDING:
        return False
    reservation = found[0]
    had = {booking.host_id: booking.amount for booking in bookings.of_reservations(tx, [reservation.id])}
    sound = {host.id for host in hosts.some(tx, sorted(had)) if host.trouble is None}
    kept = {host_id: amount for host_id, amount in had.items() if host_id in sound}
    picks, missing = _choose(tx, now, command, lease, reservation, kept)
    if picks == had and missing == reservation.missing_resources:
        return False
    calendar.rebook(tx, [reservation.id], [picks], Window(lease.start_at, lease.end_at))
    changed = reservation.resources_changed or not picks.keys() <= had.keys()
    leases.change_reservation(tx, reservation, now, missing_resources=missing, resources_changed=changed)
    leases.change(tx, lease, now, degraded=_degraded(lease, reservation, missing or changed))
    return True


def _choose(
    tx: Transaction, now: int, command: HealReservation, lease: Lease, reservation: Reservation, kept: Picks
) -> tuple[Picks, bool]:
    """The hosts that the reservation can have, and whether they are too few."""
    question = Question(
        needs=(need_of(reservation, kept),),
        window=Window(lease.start_at, lease.end_at),
        cleaning_minutes=command.cleaning_minutes,
        seed=command.seed,
        own=frozenset({reservation.id}),
        movable=False,
    )
    try:
        return calendar.choose(tx, now, question)[0], False
    except NotEnoughHosts:
        return kept, True


def _degraded(lease: Lease, healed: Reservation, now_degraded: bool) -> bool:
    others = [each for each in lease.reservations if each.id != healed.id]
    return now_degraded or any(each.missing_resources or each.resources_changed for each in others)
