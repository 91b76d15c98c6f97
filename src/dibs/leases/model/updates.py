"""What can be changed of a lease, and what cannot once the lease has begun."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from dibs.leases.model.dates import LeaseDate, moment
from dibs.leases.model.errors import BadLease, LeaseConflict, OutsideLease
from dibs.leases.model.leases import (
    ACTIVE,
    BEFORE_END,
    FLAVORED_INSTANCES,
    INSTANCES,
    PENDING,
    RESERVATION_ACTIVE,
    TERMINATED,
    UNDONE,
    WHOLE_HOST,
    Event,
    Lease,
    Reservation,
)
from dibs.leases.model.windows import Window, to_minute

_CHANGEABLE = {
    WHOLE_HOST: frozenset({"least", "most", "hypervisor_properties", "resource_properties", "before_end"}),
    INSTANCES: frozenset({"least", "most", "affinity", "resources", "resource_properties"}),
    FLAVORED_INSTANCES: frozenset[str](),
}
"""The attributes that can be changed, by resource type; others are ignored."""


def check_changeable(lease: Lease) -> None:
    """Raise unless the lease is pending or active: in all other states it can only be renamed or deleted."""
    if lease.status == TERMINATED:
        raise BadLease(reason="Terminated leases can only be renamed")
    if lease.status not in (PENDING, ACTIVE):
        raise LeaseConflict(reason=f"Lease {lease.uuid} is {lease.status} and can only be renamed or deleted.")


def changed_window(lease: Lease, start_at: LeaseDate | None, end_at: LeaseDate | None, now: int) -> Window:
    """Return the new window of a lease."""
    old = Window(lease.start_at, lease.end_at)
    start = old.start if start_at is None else moment(start_at, now)
    end = old.end if end_at is None else moment(end_at, now)
    if start != old.start:
        if lease.status == ACTIVE or old.start <= now:
            raise BadLease(reason="Cannot modify the start date of already started leases")
        if start < to_minute(now):
            raise BadLease(reason="Start date must be later than current date")
    if (start, end) != (old.start, old.end) and (end < to_minute(now) or end <= start):
        raise BadLease(reason="End date must be later than current and start date")
    return Window(start, end)


def changed_before_end(lease: Lease, window: Window, given: int | None) -> int | None:
    """Return when the before_end event is due in the new window; None when the lease has none.

    Its distance from the end stays the same, but it is never due before the start.
    """
    if given is not None:
        if not window.start < given < window.end:
            raise OutsideLease
        return given
    event = lease.event(BEFORE_END)
    if event is None or (lease.end_at == window.end and event.due_at >= window.start):
        return event.due_at if event else None
    return max(window.start, window.end - (lease.end_at - event.due_at))


def rescheduled(event: Event, due_at: int) -> dict[str, Any]:
    """Return the changes of a before_end event that is due at another time: it happens again."""
    return {} if event.due_at == due_at else {"due_at": due_at, "status": UNDONE}


def changed_reservation(reservation: Reservation, changes: Mapping[str, Any], booked: int) -> Reservation:
    """Return a reservation with changed attributes.

    ``resources`` contains only the classes that change; ``booked`` is the number of hosts or instances that it has.
    """
    wanted = dict(changes)
    if wanted.pop("resource_type", reservation.resource_type) != reservation.resource_type:
        raise LeaseConflict(reason="resource_type cannot be updated")
    if reservation.resource_type == FLAVORED_INSTANCES and wanted:
        raise LeaseConflict(reason="Updating parameters for 'flavor:instance' type reservations is not yet supported.")
    wanted = {name: value for name, value in wanted.items() if name in _CHANGEABLE[reservation.resource_type]}
    if "resources" in wanted:
        sizes = {**reservation.resources, **wanted["resources"]}
        wanted["resources"] = {name: amount for name, amount in sizes.items() if amount}
    after = replace(reservation, **wanted)
    _check_consistency(after)
    if reservation.status == RESERVATION_ACTIVE:
        _check_growth(reservation, after, booked)
    return after


def differs(before: Reservation, after: Reservation) -> bool:
    """Return True when the change may need other hosts."""
    return replace(before, before_end=None) != replace(after, before_end=None)


def needs_new_flavor(before: Reservation, after: Reservation) -> bool:
    """Return True when the private flavor has to be replaced."""
    return not after.whole_hosts and before.resources != after.resources


def _check_consistency(after: Reservation) -> None:
    if after.least > after.most:
        raise BadLease(reason="Invalid values for min/max of hosts. Max must be equal to or larger than min.")
    if not after.whole_hosts and not after.resources:
        raise BadLease(reason="An instance that takes nothing of its host cannot be reserved.")


def _check_growth(before: Reservation, after: Reservation, booked: int) -> None:
    """Raise LeaseConflict when an active reservation would lose hosts or instances, or change its kind."""
    if after.resource_type == INSTANCES:
        same_but_amount = replace(after, least=before.least, most=before.most) == before
        if not same_but_amount or after.most < before.most:
            raise LeaseConflict(
                reason="Of an active reservation of instances only the amount can be updated, and only increased."
            )
    elif after.most < booked:
        raise LeaseConflict(reason=f"An active reservation keeps its hosts: max cannot be less than {booked}.")
