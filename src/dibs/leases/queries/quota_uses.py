"""What leases book for projects, as quotas count it."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, bindparam, select

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.model.leases import TERMINATED, WHOLE_HOST
from dibs.leases.tables import bookings, hosts, lease_reservations, leases
from dibs.machines.tables import nodes
from dibs.quotas.model.uses import Use


def of_projects(tx: Transaction, projects: Sequence[str], now: int) -> list[Use]:
    """Return the bookings of these projects that have not ended."""
    return [
        Use(project, lease, provider_id, resource_class, start, end, leased=True, whole=kind == WHOLE_HOST)
        for piece in sets.pieces(projects)
        for project, lease, provider_id, resource_class, start, end, kind in tx.tuples(
            _of_projects(len(piece)), {"now": now, **sets.numbered("project", piece)}
        )
    ]


def classes_of(tx: Transaction, host_ids: Sequence[int]) -> dict[int, tuple[int, str | None]]:
    """Return the provider and the resource class of each host; the class is None when the host is no node."""
    return {
        host_id: (provider_id, resource_class)
        for piece in sets.pieces(host_ids)
        for host_id, provider_id, resource_class in tx.tuples(_classes_of(len(piece)), sets.numbered("id", piece))
    }


@sets.cached
def _of_projects(count: int) -> Select[Any]:
    return (
        select(
            leases.c.project_id,
            leases.c.uuid,
            hosts.c.provider_id,
            nodes.c.resource_class,
            bookings.c.start_at,
            bookings.c.end_at,
            lease_reservations.c.resource_type,
        )
        .join(lease_reservations, lease_reservations.c.lease_id == leases.c.id)
        .join(bookings, bookings.c.reservation_id == lease_reservations.c.id)
        .join(hosts, hosts.c.id == bookings.c.host_id)
        .outerjoin(nodes, nodes.c.id == hosts.c.provider_id)
        .where(
            leases.c.project_id.in_(sets.binds("project", count)),
            leases.c.status != TERMINATED,
            bookings.c.end_at > bindparam("now"),
        )
    )


@sets.cached
def _classes_of(count: int) -> Select[Any]:
    return (
        select(hosts.c.id, hosts.c.provider_id, nodes.c.resource_class)
        .outerjoin(nodes, nodes.c.id == hosts.c.provider_id)
        .where(hosts.c.id.in_(sets.binds("id", count)))
    )
