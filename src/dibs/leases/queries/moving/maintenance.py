"""Planned maintenance."""

from typing import Any

from sqlalchemy import bindparam, select

from dibs.database.transaction import Row, Transaction
from dibs.leases.model.leases import TERMINATED
from dibs.leases.tables import bookings, hosts, lease_reservations, leases

_PLANNED = (
    select(leases.c.uuid, leases.c.name, leases.c.start_at, leases.c.end_at, hosts.c.name.label("host"))
    .select_from(lease_reservations)
    .join(leases, leases.c.id == lease_reservations.c.lease_id)
    .join(bookings, bookings.c.reservation_id == lease_reservations.c.id)
    .join(hosts, hosts.c.id == bookings.c.host_id)
    .where(lease_reservations.c.maintenance == 1, leases.c.status != TERMINATED)
    .order_by(leases.c.start_at, leases.c.id, hosts.c.name)
    .limit(bindparam("count_max"))
)


def planned(tx: Transaction, count_max: int) -> list[Row]:
    """Return each host of each maintenance that has not ended, the first to begin first."""
    rows: list[dict[str, Any]] = tx.rows(_PLANNED, {"count_max": count_max})
    return rows
