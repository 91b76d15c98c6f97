"""Due events of leases, the leases that they must wait for, and starts that were announced."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, and_, bindparam, case, or_, select, update

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.model.events import starting_soon_event
from dibs.leases.model.leases import END, EVENT_ORDER, FAILED, IN_PROGRESS, START, UNDONE, Lease
from dibs.leases.tables import bookings, lease_events, lease_reservations, leases

_ORDER = case(*((lease_events.c.kind == kind, position) for position, kind in enumerate(EVENT_ORDER)))
_FORMER = bookings.alias("former")
_FORMER_RESERVATIONS = lease_reservations.alias("former_reservations")
_FORMER_ENDS = lease_events.alias("former_ends")
_SUCCESSION = lease_reservations.join(bookings, bookings.c.reservation_id == lease_reservations.c.id).join(
    _FORMER, and_(_FORMER.c.host_id == bookings.c.host_id, _FORMER.c.end_at <= bookings.c.start_at)
)
_BLOCKED = (
    select(_FORMER.c.reservation_id)
    .select_from(
        _SUCCESSION.join(_FORMER_RESERVATIONS, _FORMER_RESERVATIONS.c.id == _FORMER.c.reservation_id).join(
            _FORMER_ENDS, _FORMER_ENDS.c.lease_id == _FORMER_RESERVATIONS.c.lease_id
        )
    )
    .where(
        lease_reservations.c.lease_id == lease_events.c.lease_id,
        _FORMER_ENDS.c.kind == END,
        or_(_FORMER_ENDS.c.status == IN_PROGRESS, _FORMER_ENDS.c.status == FAILED),
    )
    .correlate(lease_events)
    .exists()
)
"""An earlier lease is stuck in its end event. Leases that wait for it must not fill the list of due events."""
_DUE = (
    select(leases.c.uuid, lease_events.c.kind)
    .join(leases, leases.c.id == lease_events.c.lease_id)
    .where(lease_events.c.status == UNDONE, lease_events.c.due_at <= bindparam("now"))
    .where(or_(lease_events.c.kind != START, ~_BLOCKED))
    .order_by(lease_events.c.due_at, _ORDER, lease_events.c.id)
    .limit(bindparam("count_max"))
)

_NOT_NOTICED = or_(leases.c.noticed_start_at.is_(None), leases.c.noticed_start_at != leases.c.start_at)
_STARTING = (
    select(leases.c.uuid)
    .join(lease_events, lease_events.c.lease_id == leases.c.id)
    .where(lease_events.c.status == UNDONE, lease_events.c.kind == START)
    .where(lease_events.c.due_at > bindparam("now"), lease_events.c.due_at <= bindparam("until"))
    .where(_NOT_NOTICED)
    .order_by(lease_events.c.due_at, leases.c.id)
    .limit(bindparam("count_max"))
)
_NOTICE_START = (
    update(leases).where(leases.c.id == bindparam("of_lease"), _NOT_NOTICED).values(noticed_start_at=leases.c.start_at)
)


def due(tx: Transaction, now: int, count_max: int) -> list[tuple[str, str]]:
    """Return the uuids of leases with due events and the kinds of the events, in the order in which to run them."""
    return [(uuid, kind) for uuid, kind in tx.tuples(_DUE, {"now": now, "count_max": count_max})]


def starting(tx: Transaction, now: int, until: int, count_max: int) -> list[str]:
    """Return the uuids of leases that start until a moment and whose start was not announced, the first first."""
    return [str(uuid) for uuid in tx.values(_STARTING, {"now": now, "until": until, "count_max": count_max})]


def notice_start(tx: Transaction, lease: Lease) -> bool:
    """Announce the start of a locked lease; return False when it was announced before."""
    announced = tx.change(_NOTICE_START, {"of_lease": lease.id}) == 1
    if announced:
        tx.record(starting_soon_event(lease))
    return announced


def with_predecessor(tx: Transaction, lease_ids: Sequence[int]) -> set[int]:
    """Return the leases of which an earlier lease, whose time is over, has not released a host."""
    return {
        lease_id
        for ids in map(sets.padded, sets.pieces(lease_ids))
        for lease_id in tx.values(_with_predecessor(len(ids)), sets.numbered("id", ids))
    }


@sets.cached
def _with_predecessor(count: int) -> Select[Any]:
    followed = select(lease_reservations.c.lease_id).select_from(_SUCCESSION)
    return followed.where(lease_reservations.c.lease_id.in_(sets.binds("id", count))).distinct()
