"""Read what a calendar shows: a constant number of statements, and a bounded number of entries."""

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.access import Access, VisibleProjects
from dibs.allocations.operations.schedules import ListNodesOfLeases, list_nodes_of_leases
from dibs.calendars.model.access import listed_allocations, shown_projects
from dibs.calendars.model.calendars import (
    ALLOCATION,
    ENTRIES_MAX,
    FUTURE,
    LEASE,
    PAST,
    Calendar,
    Entry,
    Feed,
)
from dibs.calendars.queries import calendars, entries
from dibs.calendars.queries.entries import EntryQuery
from dibs.database.transaction import Row, Transaction
from dibs.machines.model.access import SEE_NODE, node_target
from dibs.machines.operations.nodes import GetNode, get_node


class ReadFeed(Struct, frozen=True, kw_only=True):
    """Read the feed of a calendar, with the access of its creator."""

    calendar: Calendar
    lease_projects: VisibleProjects
    """The projects whose leases the creator may list."""


def find_calendar(tx: Transaction, access: Access, now: int, token_digest: str) -> Calendar | None:
    """Return the calendar that a token opens; None when there is none."""
    return calendars.of_token(tx, token_digest)


def read_feed(tx: Transaction, access: Access, now: int, command: ReadFeed) -> Feed:
    """Return what a calendar shows now; raise NodeNotFound when its creator may not see its node any more."""
    calendar = command.calendar
    node = None
    if calendar.node is not None:
        node = get_node(tx, access, now, GetNode(ident=calendar.node, rules=())).node
    query = EntryQuery(
        projects=shown_projects(calendar, command.lease_projects),
        user=calendar.user_id,
        node_id=None if node is None else node.id,
        start=now - PAST,
        end=now + FUTURE,
        count_max=ENTRIES_MAX,
    )
    found = _leases(tx, access, now, query)
    query = replace(query, projects=shown_projects(calendar, listed_allocations(access)))
    found += [_allocation(access, row) for row in entries.of_allocations(tx, query)]
    of = calendar.user_id or calendar.project_id
    name = "" if node is None else f" node {node.name or node.uuid}"
    return Feed(title=f"Dibs{name}{f' {of}' if of else ''}", entries=tuple(sorted(found, key=_order)))


def _leases(tx: Transaction, access: Access, now: int, query: EntryQuery) -> list[Entry]:
    rows = entries.of_leases(tx, query)
    uuids = tuple(row["uuid"] for row in rows)
    nodes = list_nodes_of_leases(tx, access, now, ListNodesOfLeases(leases=uuids))
    return [
        Entry(
            kind=LEASE,
            uuid=row["uuid"],
            name=row["name"],
            project=row["project_id"],
            status=row["status"].lower(),
            start=row["start_at"],
            end=row["end_at"],
            changed_at=row["updated_at"] or row["created_at"],
            nodes=tuple(dict.fromkeys(node.name for node in nodes.get(row["uuid"], ()))),
        )
        for row in rows
    ]


def _allocation(access: Access, row: Row) -> Entry:
    seen = access.allows(SEE_NODE, node_target(row["node_owner"], row["node_lessee"]))
    return Entry(
        kind=ALLOCATION,
        uuid=row["uuid"],
        name=row["name"] or f"allocation {row['uuid'].partition('-')[0]}",
        project=row["owner"],
        status=row["state"],
        start=row["created_at"],
        end=row["ends_at"],
        changed_at=row["updated_at"] or row["created_at"],
        nodes=(row["node_name"] or row["node_uuid"],) if seen else (),
    )


def _order(entry: Entry) -> tuple[int, str]:
    return entry.start, entry.uuid
