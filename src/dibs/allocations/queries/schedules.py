"""What occupies nodes: three statements for a page of nodes, whatever the number of bookings."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Select, bindparam, select

from dibs.allocations.model.schedules import ALLOCATION, HOLD, LEASE, Occupation
from dibs.allocations.tables import allocations
from dibs.database import sets
from dibs.database.transaction import Row, Transaction
from dibs.leases.tables import bookings, hosts, lease_reservations, leases
from dibs.machines.tables import holds, nodes

BOOKINGS_MAX = 10_000
"""The most bookings that are read for one page; a calendar of a page of nodes cannot show more."""


def occupations(tx: Transaction, node_ids: Sequence[int], start: int, end: int, now: int) -> list[Occupation]:
    """Return what occupies nodes in a window, except holds that have expired."""
    found = []
    for piece in sets.pieces(node_ids):
        values = {**sets.numbered("id", piece), "start": start, "end": end, "now": now, "count_max": BOOKINGS_MAX}
        for kind, build in _STATEMENTS.items():
            rows = tx.rows(build(len(piece)), values)
            found += [Occupation(kind=kind, visible=True, **row) for row in rows]
    return sorted(found, key=lambda each: each.start)


def host_names(tx: Transaction, node_ids: Sequence[int]) -> dict[int, str]:
    """Return the names of the hosts that these nodes are, by the id of the node."""
    return {
        node_id: name
        for piece in sets.pieces(node_ids)
        for node_id, name in tx.tuples(_hosts(len(piece)), sets.numbered("id", piece))
    }


def nodes_of_leases(tx: Transaction, lease_uuids: Sequence[str], count_max: int) -> list[tuple[str, Row]]:
    """Return the nodes that leases have booked: the uuid of the lease, and uuid, name, owner and lessee of the node."""
    found = [
        row
        for piece in sets.pieces(lease_uuids)
        for row in tx.rows(_nodes_of_leases(len(piece)), {**sets.numbered("lease", piece), "count_max": count_max})
    ]
    return [(row.pop("lease"), row) for row in found]


@sets.cached
def _nodes_of_leases(count: int) -> Select[Any]:
    return (
        select(leases.c.uuid.label("lease"), nodes.c.uuid, nodes.c.name, nodes.c.owner, nodes.c.lessee)
        .select_from(leases)
        .join(lease_reservations, lease_reservations.c.lease_id == leases.c.id)
        .join(bookings, bookings.c.reservation_id == lease_reservations.c.id)
        .join(hosts, hosts.c.id == bookings.c.host_id)
        .join(nodes, nodes.c.id == hosts.c.provider_id)
        .where(leases.c.uuid.in_(sets.binds("lease", count)))
        .order_by(nodes.c.name, nodes.c.id)
        .limit(bindparam("count_max"))
    )


@sets.cached
def _allocations(count: int) -> Select[Any]:
    return select(
        allocations.c.node_id,
        allocations.c.created_at.label("start"),
        allocations.c.ends_at.label("end"),
        allocations.c.uuid,
        allocations.c.name,
        allocations.c.owner.label("project"),
        allocations.c.state.label("status"),
    ).where(allocations.c.node_id.in_(sets.binds("id", count)))


@sets.cached
def _bookings(count: int) -> Select[Any]:
    """SELECT … FROM hosts JOIN bookings … WHERE hosts.provider_id IN (…) AND end_at > ? AND start_at < ?"""
    return (
        select(
            hosts.c.provider_id.label("node_id"),
            bookings.c.start_at.label("start"),
            bookings.c.end_at.label("end"),
            leases.c.uuid,
            leases.c.name,
            leases.c.project_id.label("project"),
            leases.c.status,
            lease_reservations.c.maintenance,
        )
        .select_from(hosts)
        .join(bookings, bookings.c.host_id == hosts.c.id)
        .join(lease_reservations, lease_reservations.c.id == bookings.c.reservation_id)
        .join(leases, leases.c.id == lease_reservations.c.lease_id)
        .where(
            hosts.c.provider_id.in_(sets.binds("id", count)),
            bookings.c.end_at > bindparam("start"),
            bookings.c.start_at < bindparam("end"),
        )
        .order_by(bookings.c.start_at, bookings.c.reservation_id)
        .limit(bindparam("count_max"))
    )


@sets.cached
def _holds(count: int) -> Select[Any]:
    """The uuid of a hold proves it, so it is not read."""
    return select(
        holds.c.node_id,
        holds.c.created_at.label("start"),
        holds.c.expires_at.label("end"),
        holds.c.project_id.label("project"),
    ).where(holds.c.node_id.in_(sets.binds("id", count)), holds.c.expires_at > bindparam("now"))


@sets.cached
def _hosts(count: int) -> Select[Any]:
    return select(hosts.c.provider_id, hosts.c.name).where(hosts.c.provider_id.in_(sets.binds("id", count)))


_STATEMENTS: Mapping[str, Callable[[int], Select[Any]]] = {ALLOCATION: _allocations, LEASE: _bookings, HOLD: _holds}
