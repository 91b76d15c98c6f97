"""Active reservations of whole hosts, with the hosts that they have."""

from typing import Any

from sqlalchemy import select

from dibs.database.transaction import Transaction
from dibs.leases.model.leases import RESERVATION_ACTIVE, WHOLE_HOST
from dibs.leases.tables import bookings, lease_reservations, leases

_ACTIVE = (
    select(
        lease_reservations.c.id,
        lease_reservations.c.uuid,
        lease_reservations.c.created_at,
        lease_reservations.c.updated_at,
        leases.c.project_id,
        bookings.c.host_id,
    )
    .select_from(
        lease_reservations.join(leases, leases.c.id == lease_reservations.c.lease_id).outerjoin(
            bookings, bookings.c.reservation_id == lease_reservations.c.id
        )
    )
    .where(lease_reservations.c.status == RESERVATION_ACTIVE, lease_reservations.c.resource_type == WHOLE_HOST)
    .order_by(lease_reservations.c.id, bookings.c.host_id)
)


def active(tx: Transaction) -> list[dict[str, Any]]:
    """Return a row for each host of each active reservation; a reservation without hosts has one row with None."""
    return tx.rows(_ACTIVE)
