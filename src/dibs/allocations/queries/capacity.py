"""Count the nodes of each class that are out of service, in use and booked, with few statements for any fleet."""

from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, bindparam, case, false, func, or_, select, true

from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.allocations.model.capacity import Use
from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.model.hosts import FAILED_STATES
from dibs.leases.tables import bookings, hosts
from dibs.machines.tables import nodes


class NodeOfClass(NamedTuple):
    """A node as the past of its class needs it."""

    id: int
    uuid: str
    resource_class: str | None
    used: bool


WINDOWS_MAX = 50_000
"""The most different windows that are read."""

_IS_OUT = or_(
    nodes.c.maintenance == 1,
    nodes.c.retired == 1,
    *(nodes.c.provision_state == state for state in sorted(FAILED_STATES)),
)


def totals(tx: Transaction, projects: VisibleProjects) -> dict[str | None, tuple[int, int]]:
    """Return the number of nodes of each class, and how many of them are out of service."""
    rows = tx.tuples(_totals(_count(projects)), _values(projects))
    return {resource_class: (total, int(out)) for resource_class, total, out in rows}


def instances(tx: Transaction, projects: VisibleProjects, now: int) -> list[Use]:
    """Return the nodes with an instance, by class and known end."""
    rows = tx.tuples(_instances(_count(projects)), _values(projects))
    return [Use(resource_class=name, start=now, end=end, count=count) for name, end, count in rows]


def booked(tx: Transaction, projects: VisibleProjects, start: int, end: int) -> list[Use]:
    """Return the bookings in a window of nodes without an instance, by class and window.

    A node that has an instance is in use now, by the lease itself or by another user; its later bookings count.
    """
    values = {**_values(projects), "start": start, "end": end, "count_max": WINDOWS_MAX}
    rows = tx.tuples(_booked(_count(projects)), values)
    return [Use(resource_class=name, start=begin, end=until, count=count) for name, begin, until, count in rows]


def nodes_with_use(tx: Transaction, projects: VisibleProjects) -> list[NodeOfClass]:
    """Return each node with its class, and whether it has an instance."""
    return [NodeOfClass(*row) for row in tx.tuples(_nodes(_count(projects)), _values(projects))]


def booked_windows(tx: Transaction, projects: VisibleProjects, start: int, end: int) -> list[tuple[int, int, int]]:
    """Return the id of a node, start and end of each booking in a window."""
    values = {**_values(projects), "start": start, "end": end, "count_max": WINDOWS_MAX}
    return [(node, begin, until) for node, begin, until in tx.tuples(_booked_windows(_count(projects)), values)]


def _count(projects: VisibleProjects) -> int | None:
    return None if projects is EVERY_PROJECT else len(projects)


def _values(projects: VisibleProjects) -> dict[str, Any]:
    return {} if projects is EVERY_PROJECT else sets.numbered("project", sorted(projects))


def _visible(count: int | None) -> ColumnElement[bool]:
    if count is None:
        return true()
    named = sets.binds("project", count)
    return or_(nodes.c.owner.in_(named), nodes.c.lessee.in_(named)) if count else false()


@lru_cache(maxsize=10)
def _totals(count: int | None) -> Select[Any]:
    out = func.coalesce(func.sum(case((_IS_OUT, 1), else_=0)), 0)
    return select(nodes.c.resource_class, func.count(), out).where(_visible(count)).group_by(nodes.c.resource_class)


@lru_cache(maxsize=10)
def _instances(count: int | None) -> Select[Any]:
    used = nodes.c.instance_uuid.is_not(None)
    columns = (nodes.c.resource_class, nodes.c.instance_until)
    return select(*columns, func.count()).where(used, _visible(count)).group_by(*columns)


@lru_cache(maxsize=10)
def _nodes(count: int | None) -> Select[Any]:
    used = nodes.c.instance_uuid.is_not(None)
    return select(nodes.c.id, nodes.c.uuid, nodes.c.resource_class, used).where(_visible(count))


@lru_cache(maxsize=10)
def _booked_windows(count: int | None) -> Select[Any]:
    return (
        select(nodes.c.id, bookings.c.start_at, bookings.c.end_at)
        .select_from(bookings)
        .join(hosts, hosts.c.id == bookings.c.host_id)
        .join(nodes, nodes.c.id == hosts.c.provider_id)
        .where(bookings.c.end_at > bindparam("start"), bookings.c.start_at < bindparam("end"), _visible(count))
        .limit(bindparam("count_max"))
    )


@lru_cache(maxsize=10)
def _booked(count: int | None) -> Select[Any]:
    columns = (nodes.c.resource_class, bookings.c.start_at, bookings.c.end_at)
    in_window = and_(bookings.c.end_at > bindparam("start"), bookings.c.start_at < bindparam("end"))
    later = or_(nodes.c.instance_uuid.is_(None), bookings.c.start_at > bindparam("start"))
    return (
        select(*columns, func.count())
        .select_from(bookings)
        .join(hosts, hosts.c.id == bookings.c.host_id)
        .join(nodes, nodes.c.id == hosts.c.provider_id)
        .where(in_window, later, _visible(count))
        .group_by(*columns)
        .limit(bindparam("count_max"))
    )
