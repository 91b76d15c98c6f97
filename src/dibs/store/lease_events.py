"""What is due in leases, and what has to happen before."""

from sqlalchemy import and_, bindparam, case, select

from dibs.domain.leases import EVENT_ORDER, UNDONE
from dibs.store.lease_tables import bookings, lease_events, lease_reservations, leases
from dibs.store.transaction import Transaction

_ORDER = case(*((lease_events.c.kind == kind, place) for place, kind in enumerate(EVENT_ORDER)))
_DUE = (
    select(leases.c.uuid, lease_events.c.kind)
    .join(leases, leases.c.id == lease_events.c.lease_id)
    .where(lease_events.c.status == UNDONE, lease_events.c.due_at <= bindparam("now"))
    .order_by(lease_events.c.due_at, _ORDER, lease_events.c.id)
    .limit(bindparam("count_max"))
)
_FORMER = bookings.alias("former")
_PREDECESSORS = (
    select(_FORMER.c.reservation_id)
    .select_from(
        lease_reservations.join(bookings, bookings.c.reservation_id == lease_reservations.c.id).join(
            _FORMER, and_(_FORMER.c.host_id == bookings.c.host_id, _FORMER.c.end_at <= bookings.c.start_at)
        )
    )
    .where(lease_reservations.c.lease_id == bindparam("of_lease"))
    .limit(1)
)


def due(tx: Transaction, now: int, count_max: int) -> list[tuple[str, str]]:
    """The uuids of leases in which something is due, with what it is, in the order in which it should happen."""
    return [(uuid, kind) for uuid, kind in tx.tuples(_DUE, {"now": now, "count_max": count_max})]


def has_predecessor(tx: Transaction, lease_id: int) -> bool:
    """True while an earlier lease, whose time is over, has not given back a host of this one."""
    return bool(tx.values(_PREDECESSORS, {"of_lease": lease_id}))
