"""Hosts and their bookings as guards read them. The caller has locked the providers already."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, bindparam, or_, select

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.model.host_access import GuardedBooking, GuardedHost
from dibs.leases.model.leases import RESERVATION_ACTIVE, RESERVATION_DELETED, WHOLE_HOST, class_of
from dibs.leases.tables import bookings, hosts, lease_reservations, leases
from dibs.ledger.tables import providers
from dibs.machines.tables import nodes

_HOST_OF = select(hosts.c.name).where(
    or_(hosts.c.provider_id == bindparam("of_provider"), hosts.c.reservation_provider_id == bindparam("of_provider"))
)


def hosts_above(tx: Transaction, provider_ids: Sequence[int]) -> dict[int, GuardedHost]:
    """Return the host of each provider that is a host or in the tree of one."""
    return {
        row.pop("provider_id"): GuardedHost(**row)
        for piece in sets.pieces(provider_ids)
        for row in tx.rows(_hosts_above(len(piece)), sets.numbered("id", piece))
    }


def bookings_on(tx: Transaction, host_ids: Sequence[int]) -> dict[int, list[GuardedBooking]]:
    """Return the bookings of hosts that have not been released, by host."""
    found: dict[int, list[GuardedBooking]] = {host_id: [] for host_id in host_ids}
    for piece in sets.pieces(host_ids):
        for row in tx.rows(_bookings_on(len(piece)), sets.numbered("id", piece)):
            found[row["host_id"]].append(_booking(row))
    return found


def host_of(tx: Transaction, provider_id: int) -> str | None:
    """Return the name of the host that a provider is, or is the reservation provider of; None for others."""
    found: list[str] = tx.values(_HOST_OF, {"of_provider": provider_id})
    return found[0] if found else None


def offered_by(tx: Transaction, provider_ids: Sequence[int]) -> dict[int, str]:
    """Return the name of the host of each provider that is a reservation provider."""
    return dict(
        row
        for piece in sets.pieces(provider_ids)
        for row in tx.tuples(_offered_by(len(piece)), sets.numbered("id", piece))
    )


def live(tx: Transaction, reservations: Sequence[str]) -> list[str]:
    """Return those of the reservations, by uuid, that exist and have not ended."""
    return [
        uuid
        for piece in sets.pieces(reservations)
        for uuid in tx.values(_live(len(piece)), sets.numbered("uuid", piece))
    ]


def _booking(row: dict[str, Any]) -> GuardedBooking:
    return GuardedBooking(
        host_id=row["host_id"],
        reservation_id=row["reservation_id"],
        reservation=row["uuid"],
        resource_class=class_of(row["uuid"]),
        resources=json.loads(row["resources"]),
        whole=row["resource_type"] == WHOLE_HOST,
        project_id=row["project_id"],
        begun=row["status"] == RESERVATION_ACTIVE,
        start_at=row["start_at"],
    )


@sets.cached
def _live(count: int) -> Select[Any]:
    named = lease_reservations.c.uuid.in_(sets.binds("uuid", count))
    return select(lease_reservations.c.uuid).where(named, lease_reservations.c.status != RESERVATION_DELETED)


@sets.cached
def _offered_by(count: int) -> Select[Any]:
    ids = hosts.c.reservation_provider_id.in_(sets.binds("id", count))
    return select(hosts.c.reservation_provider_id, hosts.c.name).where(ids)


@sets.cached
def _hosts_above(count: int) -> Select[Any]:
    columns = (
        providers.c.id.label("provider_id"),
        hosts.c.id,
        hosts.c.name,
        nodes.c.uuid.label("node"),
        hosts.c.reservation_provider_id,
    )
    tree = hosts.join(providers, providers.c.root_id == hosts.c.provider_id)
    joined = tree.outerjoin(nodes, nodes.c.id == hosts.c.provider_id)
    return select(*columns).select_from(joined).where(providers.c.id.in_(sets.binds("id", count)))


@sets.cached
def _bookings_on(count: int) -> Select[Any]:
    columns = (
        bookings.c.host_id,
        bookings.c.reservation_id,
        bookings.c.start_at,
        lease_reservations.c.uuid,
        lease_reservations.c.resource_type,
        lease_reservations.c.resources,
        lease_reservations.c.status,
        leases.c.project_id,
    )
    joined = bookings.join(lease_reservations, lease_reservations.c.id == bookings.c.reservation_id)
    joined = joined.join(leases, leases.c.id == lease_reservations.c.lease_id)
    return select(*columns).select_from(joined).where(bookings.c.host_id.in_(sets.binds("id", count)))
