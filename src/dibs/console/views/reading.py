"""Read the schedule of nodes as the user may see it."""

from dibs.access.access import VisibleProjects
from dibs.access.machine_policy import listed_projects
from dibs.allocations.model.access import visible_projects
from dibs.allocations.model.schedules import Schedule
from dibs.allocations.operations.schedules import ShowSchedule, show_schedule
from dibs.console.exchange import Exchange
from dibs.console.presentation.bars import Scale
from dibs.console.presentation.lines import COLUMNS, Line, line_of
from dibs.console.times import MINUTE, SECOND
from dibs.errors import Forbidden
from dibs.leases.model.access import visible_leases
from dibs.machines.model.chassis import ChassisQuery
from dibs.machines.model.node_query import Condition, NodeQuery, OneOf
from dibs.machines.operations.chassis import list_chassis
from dibs.machines.operations.nodes import list_nodes

RACKS_MAX = 1_000
ROWS_MAX = 1_000


def read_schedule(
    exchange: Exchange,
    *,
    start: int,
    end: int,
    limit: int,
    conditions: tuple[Condition, ...] = (),
    sort_key: str = "name",
    marker: str | None = None,
    grouped: bool = False,
    columns: frozenset[str] = COLUMNS,
) -> Schedule:
    """Return one page of the nodes that the user sees, and what occupies them in a window."""
    command = ShowSchedule(
        nodes=NodeQuery(
            columns=columns,
            projects=listed_projects(exchange.machines, "node"),
            conditions=conditions,
            sort_key=sort_key,
            limit=limit,
            marker=marker,
        ),
        start=start,
        end=end,
        allocation_projects=allocation_projects(exchange),
        lease_projects=visible_leases(exchange.leases),
        grouped=grouped,
    )
    return exchange.read(show_schedule, exchange.machines, command)


def rows_of(exchange: Exchange, page: int) -> int:
    """Return how many rows to show: a page, or as many as the browser shows already when it loads them again."""
    text = exchange.query.get("rows", "")
    return min(max(page, int(text)), ROWS_MAX) if text.isascii() and text.isdigit() and len(text) <= 4 else page


def scale_of(exchange: Exchange, start: int, end: int) -> Scale:
    """Return the scale of a timeline."""
    services = exchange.services
    return Scale(
        start=start,
        end=end,
        now=exchange.now,
        zone=exchange.zone,
        cleaning=services.lease_rules.cleaning_minutes * MINUTE,
        turnover=round(services.lifetime_rules.turnover_seconds) * SECOND,
    )


def lines_of(schedule: Schedule, now: int) -> list[Line]:
    """Return the nodes of a schedule as lines."""
    return [
        line_of(row, schedule.occupations.get(row["id"], ()), schedule.hosts.get(row["id"]), now)
        for row in schedule.nodes
    ]


def allocation_projects(exchange: Exchange) -> VisibleProjects:
    """Return the projects whose allocations the user sees; none when the user may not list allocations."""
    try:
        return visible_projects(exchange.machines)
    except Forbidden:
        return frozenset()


def node_attributes(exchange: Exchange, uuids: tuple[str, ...], name: str) -> dict[str, str | None]:
    """Return an attribute of nodes by their uuid, as far as the user sees them."""
    if not uuids:
        return {}
    projects = listed_projects(exchange.machines, "node")
    query = NodeQuery(columns=frozenset({name}), projects=projects, conditions=(OneOf("uuid", uuids),))
    return {row["uuid"]: row[name] for row in exchange.read(list_nodes, exchange.machines, query).rows()}


def read_racks(exchange: Exchange) -> dict[str, str]:
    """Return the descriptions of chassis, as far as the user may see them."""
    if not exchange.machines.allows("baremetal:chassis:get", {}):
        return {}
    found = exchange.read(list_chassis, exchange.machines, ChassisQuery(limit=RACKS_MAX))
    return {chassis.uuid: chassis.description for chassis in found if chassis.description}
