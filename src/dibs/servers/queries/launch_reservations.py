"""Reservations and the hosts that leases keep, for the launch of servers."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, Update, bindparam, exists, or_, select, update

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.tables import bookings, hosts, lease_reservations, leases
from dibs.machines.tables import nodes
from dibs.servers.model.launch_reservations import LaunchReservation

_SELECT = select(
    lease_reservations.c.id,
    lease_reservations.c.uuid,
    lease_reservations.c.resource_type,
    lease_reservations.c.status,
    leases.c.status.label("lease_status"),
    leases.c.project_id,
).join(leases, leases.c.id == lease_reservations.c.lease_id)
_BY_ID = _SELECT.where(lease_reservations.c.id == bindparam("of_id"))
_ID = select(lease_reservations.c.id).where(lease_reservations.c.uuid == bindparam("of_uuid"))
_BOOKED = (
    select(hosts.c.provider_id)
    .join(bookings, bookings.c.host_id == hosts.c.id)
    .where(bookings.c.reservation_id == bindparam("of_id"))
)


def id_of(tx: Transaction, uuid: str) -> int | None:
    """Return the row id of a reservation; None when there is none."""
    found = tx.values(_ID, {"of_uuid": uuid})
    return found[0] if found else None


def lock(tx: Transaction, reservation_ids: Sequence[int]) -> None:
    """Lock reservations: until the transaction ends, no other one launches servers for them or ends their lease."""
    for piece in sets.pieces(sorted(reservation_ids)):
        tx.change(_lock(len(piece)), sets.numbered("id", piece))


def get(tx: Transaction, reservation_id: int) -> LaunchReservation | None:
    """Return a reservation by its row id; None when there is none."""
    row = tx.row(_BY_ID, {"of_id": reservation_id})
    return LaunchReservation(**row) if row else None


def booked_providers(tx: Transaction, reservation_id: int) -> set[int]:
    """Return the row ids of the providers that are booked for a reservation."""
    return set(tx.values(_BOOKED, {"of_id": reservation_id}))


def kept_for_leases(tx: Transaction, provider_ids: Sequence[int]) -> set[int]:
    """Return those providers that only leases may use: compute hosts that can be booked, and nodes that are."""
    found: set[int] = set()
    for piece in sets.pieces(provider_ids):
        found.update(tx.values(_kept(len(piece)), sets.numbered("id", piece)))
    return found


@sets.cached
def _lock(count: int) -> Update:
    ids = lease_reservations.c.id.in_(sets.binds("id", count))
    return update(lease_reservations).where(ids).values(uuid=lease_reservations.c.uuid)


@sets.cached
def _kept(count: int) -> Select[Any]:
    is_node = exists().where(nodes.c.id == hosts.c.provider_id)
    is_booked = exists().where(bookings.c.host_id == hosts.c.id)
    return select(hosts.c.provider_id).where(hosts.c.provider_id.in_(sets.binds("id", count)), or_(~is_node, is_booked))
