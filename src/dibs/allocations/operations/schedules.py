"""Nodes and what occupies them, for calendars and lists. A constant number of statements for each page."""

from collections import defaultdict

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.access import Access, VisibleProjects, visible_projects
from dibs.allocations.model.capacity import Change, ClassCapacity, Use, joined, taken_in_steps, windows_of_use
from dibs.allocations.model.schedules import ALLOCATION, HOLD, LEASE, Occupation, Schedule
from dibs.allocations.queries import capacity, schedules
from dibs.database.transaction import Transaction
from dibs.events.queries import histories
from dibs.machines.model.access import SEE_NODE, node_target
from dibs.machines.model.holds import administers_system
from dibs.machines.model.node_query import NodeQuery
from dibs.machines.operations.nodes import count_nodes, list_nodes


class ShowSchedule(Struct, frozen=True, kw_only=True):
    """Show one page of nodes, and what occupies them in a window."""

    nodes: NodeQuery
    start: int
    end: int
    allocation_projects: VisibleProjects
    lease_projects: VisibleProjects
    """The projects whose allocations and leases the caller sees; of others it learns only that a node is occupied."""
    grouped: bool = False
    """Count the nodes of each group too: those that have the same value of the sort key."""


class ListNodesOfLeases(Struct, frozen=True, kw_only=True):
    """List the nodes that leases have booked. The caller has been shown the leases."""

    leases: tuple[str, ...]
    count_max: int = 1_000


class LeasedNode(Struct, frozen=True, kw_only=True):
    """A node that a lease has booked."""

    uuid: str
    name: str


def list_nodes_of_leases(
    tx: Transaction, access: Access, now: int, command: ListNodesOfLeases
) -> dict[str, list[LeasedNode]]:
    """Return the nodes that the caller sees, by the uuid of the lease that has booked them."""
    found: dict[str, list[LeasedNode]] = defaultdict(list)
    for lease, row in schedules.nodes_of_leases(tx, command.leases, command.count_max):
        if access.allows(SEE_NODE, node_target(row["owner"], row["lessee"])):
            found[lease].append(LeasedNode(uuid=row["uuid"], name=row["name"] or row["uuid"]))
    return found


def show_schedule(tx: Transaction, access: Access, now: int, command: ShowSchedule) -> Schedule:
    """Return one page of the nodes that the caller sees, with what occupies them."""
    limit = command.nodes.limit
    # One more than the page shows whether another page follows.
    found = list_nodes(tx, access, now, replace(command.nodes, limit=limit + 1))
    rows = found.rows()
    nodes = rows[:limit]
    ids = [row["id"] for row in nodes]
    visible = {
        ALLOCATION: command.allocation_projects,
        LEASE: command.lease_projects,
        HOLD: visible_projects(access.actor, every=administers_system(access.actor)),
    }
    occupations: dict[int, list[Occupation]] = defaultdict(list)
    for each in schedules.occupations(tx, ids, command.start, command.end, now):
        occupations[each.node_id].append(each.shown_to(visible[each.kind]))
    return Schedule(
        nodes=nodes,
        more=len(rows) > limit or found.cut,
        hosts=schedules.host_names(tx, ids),
        occupations=occupations,
        groups=count_nodes(tx, access, now, command.nodes) if command.grouped else (),
    )


class ShowCapacity(Struct, frozen=True, kw_only=True):
    """Show how many nodes of each class are taken, in steps from now on and before now."""

    projects: VisibleProjects
    """Only nodes whose owner or lessee is one of these projects."""
    step: int
    count: int
    before: int = 0
    """The number of steps before now; fewer are shown when events do not reach back that far."""


def show_capacity(tx: Transaction, access: Access, now: int, command: ShowCapacity) -> list[ClassCapacity]:
    """Return the capacity of each class, the largest first."""
    uses: dict[str | None, list[Use]] = defaultdict(list)
    end = now + command.step * command.count
    for use in (*capacity.instances(tx, command.projects, now), *capacity.booked(tx, command.projects, now, end)):
        uses[use.resource_class].append(use)
    steps, past = _past(tx, now, command) if command.before else (0, {})
    found = [
        ClassCapacity(
            resource_class=name,
            total=total,
            out=out,
            taken=taken_in_steps(uses[name], now, command.step, command.count),
            before=taken_in_steps(past.get(name, ()), now - steps * command.step, command.step, steps),
        )
        for name, (total, out) in capacity.totals(tx, command.projects).items()
    ]
    return sorted(found, key=lambda each: (-each.total, each.resource_class or ""))


def _past(tx: Transaction, now: int, command: ShowCapacity) -> tuple[int, dict[str | None, list[Use]]]:
    """Return for how many steps the past is known, and what took the nodes of each class: instances and bookings."""
    history = histories.of_attribute(tx, "instance_uuid", now - command.before * command.step)
    steps = (now - history.since) // command.step
    start = now - steps * command.step
    changes: dict[str, list[Change]] = defaultdict(list)
    for each in history.changes:
        if bool(each.before) != bool(each.after):
            changes[each.node].append(Change(each.moment, bool(each.after)))
    windows: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for node_id, begin, end in capacity.booked_windows(tx, command.projects, start, now):
        windows[node_id].append((begin, min(end, now)))
    uses: dict[str | None, list[Use]] = defaultdict(list)
    for node in capacity.nodes_with_use(tx, command.projects):
        used = windows_of_use(changes[node.uuid], bool(node.used), start, now)
        for begin, end in joined([*used, *windows[node.id]]):
            uses[node.resource_class].append(Use(resource_class=node.resource_class, start=begin, end=end, count=1))
    return steps, uses
