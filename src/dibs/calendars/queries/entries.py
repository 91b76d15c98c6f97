"""The entries of a feed: one statement for leases and one for allocations, each with a limit.

The window is a range of ends, so that an index on ends finds the first ones, whatever else a project had.
"""

from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Select, bindparam, false, select, true

from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.allocations.model.allocations import ACTIVE
from dibs.allocations.tables import allocations
from dibs.database import sets
from dibs.database.transaction import Row, Transaction
from dibs.leases.tables import bookings, hosts, lease_reservations, leases
from dibs.machines.tables import nodes


class EntryQuery(Struct, frozen=True, kw_only=True):
    """Which entries to read."""

    projects: VisibleProjects
    user: str | None
    node_id: int | None
    start: int
    end: int
    count_max: int

    def values(self) -> dict[str, Any]:
        """Return the values of the parameters."""
        found: dict[str, Any] = {"start": self.start, "end": self.end, "count_max": self.count_max}
        if self.projects is not EVERY_PROJECT:
            found |= sets.numbered("project", sorted(self.projects))
        if self.user is not None:
            found["of_user"] = self.user
        if self.node_id is not None:
            found["of_node"] = self.node_id
        return found

    def shape(self) -> tuple[int | None, bool, bool]:
        """Return what the statement depends on: the number of projects, and whether user and node are given."""
        projects = None if self.projects is EVERY_PROJECT else len(self.projects)
        return projects, self.user is not None, self.node_id is not None


def of_leases(tx: Transaction, query: EntryQuery) -> list[Row]:
    """Return leases in a window, the first to end first."""
    return tx.rows(_leases(*query.shape()), query.values())


def of_allocations(tx: Transaction, query: EntryQuery) -> list[Row]:
    """Return allocations that have a node and an end, the first to end first, with their nodes."""
    return tx.rows(_allocations(*query.shape()), query.values())


@sets.cached
def _leases(projects: int | None, of_user: bool, of_node: bool) -> Select[Any]:
    names = ("uuid", "name", "project_id", "status", "start_at", "end_at", "created_at", "updated_at", "id")
    statement = select(*(leases.c[name] for name in names)).where(
        leases.c.end_at > bindparam("start"),
        leases.c.start_at < bindparam("end"),
        _of_projects(leases.c.project_id, projects),
        leases.c.user_id == bindparam("of_user") if of_user else true(),
        leases.c.id.in_(_LEASES_ON_NODE) if of_node else true(),
    )
    return statement.order_by(leases.c.end_at, leases.c.id).limit(bindparam("count_max"))


_LEASES_ON_NODE = (
    select(lease_reservations.c.lease_id)
    .select_from(hosts)
    .join(bookings, bookings.c.host_id == hosts.c.id)
    .join(lease_reservations, lease_reservations.c.id == bookings.c.reservation_id)
    .where(
        hosts.c.provider_id == bindparam("of_node"),
        bookings.c.end_at > bindparam("start"),
        bookings.c.start_at < bindparam("end"),
    )
)


@sets.cached
def _allocations(projects: int | None, of_user: bool, of_node: bool) -> Select[Any]:
    names = ("uuid", "name", "owner", "state", "created_at", "ends_at", "updated_at")
    node = (nodes.c.uuid, nodes.c.name, nodes.c.owner, nodes.c.lessee)
    statement = (
        select(*(allocations.c[name] for name in names), *(column.label(f"node_{column.name}") for column in node))
        .join(nodes, nodes.c.id == allocations.c.node_id)
        .where(
            allocations.c.state == ACTIVE,
            allocations.c.ends_at > bindparam("start"),
            allocations.c.created_at < bindparam("end"),
            _of_projects(allocations.c.owner, projects),
            allocations.c.user_id == bindparam("of_user") if of_user else true(),
            allocations.c.node_id == bindparam("of_node") if of_node else true(),
        )
    )
    return statement.order_by(allocations.c.ends_at, allocations.c.id).limit(bindparam("count_max"))


def _of_projects(column: ColumnElement[Any], projects: int | None) -> ColumnElement[bool]:
    if projects is None:
        return true()
    return column.in_(sets.binds("project", projects)) if projects else false()
