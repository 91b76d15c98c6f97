"""What the user's project has and will have: leases and allocations, the first to end first."""

import secrets
from collections.abc import Mapping

from msgspec import Struct

from dibs.access.access import EVERY_PROJECT
from dibs.allocations.model.allocations import ACTIVE, ALLOCATING, ERROR, Allocation, AllocationQuery, Lifetime
from dibs.allocations.operations.allocations import list_allocations
from dibs.allocations.operations.endings import RenewAllocation
from dibs.allocations.operations.endings import renew_allocation as renew
from dibs.allocations.operations.promises import ListQueue, QueuedAllocation, list_queue
from dibs.allocations.operations.schedules import LeasedNode, ListNodesOfLeases, list_nodes_of_leases
from dibs.calendars.model.calendars import TOKEN_BYTES, digest_of, feed_path
from dibs.calendars.operations.calendars import CreateCalendar
from dibs.calendars.operations.calendars import create_calendar as create
from dibs.console import pages
from dibs.console.exchange import Exchange
from dibs.console.views.reading import allocation_projects, node_attributes
from dibs.errors import Forbidden
from dibs.http.messages import Response
from dibs.leases.model.leases import Lease
from dibs.leases.operations.leases import ListCurrentLeases, list_current_leases

ENTRIES_MAX = 200
_FAR = 2**62


class Entry(Struct, frozen=True, kw_only=True):
    """A lease or an allocation of the project."""

    kind: str
    uuid: str
    name: str
    status: str
    start: int
    end: int | None
    nodes: list[LeasedNode]
    detail: str = ""
    renewable: bool = False
    """An allocation that can get another end."""
    queued: QueuedAllocation | None = None
    """The place in the queue of an allocation that waits."""


def show(exchange: Exchange) -> Response:
    """GET /mine"""
    return _show(exchange)


def create_calendar(exchange: Exchange) -> Response:
    """POST /mine/calendar"""
    exchange.check_form()
    token = secrets.token_urlsafe(TOKEN_BYTES)
    command = CreateCalendar(project=exchange.actor.project, token_digest=digest_of(token))
    exchange.write(create, exchange.machines, command)
    # The page is the only one that shows the URL, so there is no redirect to another one.
    return _show(exchange, feed=f"{exchange.request.base_url.removesuffix('/console')}/dibs{feed_path(token)}")


def _show(exchange: Exchange, feed: str = "") -> Response:
    changes = exchange.count_changes()
    entries = sorted([*_leases(exchange), *_allocations(exchange)], key=_end_of)
    return exchange.page(
        "mine.html",
        changes=changes,
        entries=entries,
        done=exchange.query.get("done", ""),
        feed=feed,
        command="dibs lease list; dibs allocation list; dibs calendar create",
    )


def release_allocation(exchange: Exchange) -> Response:
    """POST /allocations/{allocation}/release"""
    exchange.check_form()
    exchange.services.intake.delete(exchange.machines, exchange.arguments["allocation"])
    return pages.redirect(exchange.url("/mine", done="released"))


def renew_allocation(exchange: Exchange) -> Response:
    """POST /allocations/{allocation}/renew"""
    exchange.check_form()
    until = exchange.zone.read(exchange.form.get("until", ""), "the end")
    command = RenewAllocation(
        ident=exchange.arguments["allocation"],
        lifetime=Lifetime(until=until),
        rules=exchange.services.lifetime_rules,
    )
    exchange.write(renew, exchange.machines, command)
    return pages.redirect(exchange.url("/mine", done="extended"))


def _end_of(entry: Entry) -> int:
    """Return the moment by which entries are sorted; what waits has its promised start."""
    promised = entry.queued.allocation.promised_at if entry.queued is not None else None
    return entry.end or promised or _FAR


def _leases(exchange: Exchange) -> list[Entry]:
    try:
        found = exchange.read(list_current_leases, exchange.leases, ListCurrentLeases(count_max=ENTRIES_MAX))
    except Forbidden:
        return []
    uuids = tuple(lease.uuid for lease in found)
    nodes = exchange.read(list_nodes_of_leases, exchange.machines, ListNodesOfLeases(leases=uuids))
    return [_lease_entry(lease, nodes.get(lease.uuid, [])) for lease in found]


def _lease_entry(lease: Lease, nodes: list[LeasedNode]) -> Entry:
    return Entry(
        kind="lease",
        uuid=lease.uuid,
        name=lease.name,
        status=lease.status.lower(),
        start=lease.start_at,
        end=lease.end_at,
        nodes=nodes,
    )


def _allocations(exchange: Exchange) -> list[Entry]:
    """Return the allocations of the project; those of the whole system for a user without a project."""
    visible = allocation_projects(exchange)
    project = exchange.actor.project
    if project is not None:
        visible = frozenset({project}) if visible is EVERY_PROJECT or project in visible else frozenset()
    query = AllocationQuery(projects=visible, limit=ENTRIES_MAX, descending=True)
    found = exchange.read(list_allocations, exchange.machines, query)
    names = node_attributes(exchange, tuple(each.node_uuid for each in found if each.node_uuid), "name")
    waiting = any(each.state == ALLOCATING for each in found)
    queue = exchange.read(list_queue, exchange.machines, ListQueue(projects=visible)).visible if waiting else []
    queued = {each.allocation.uuid: each for each in queue}
    return [_allocation_entry(each, names, queued.get(each.uuid)) for each in found]


def _allocation_entry(
    allocation: Allocation, names: Mapping[str, str | None], queued: QueuedAllocation | None
) -> Entry:
    wanted = " ".join([allocation.resource_class or "", *allocation.traits])
    waits = f"for {wanted}" if allocation.state == ALLOCATING else ""
    node = allocation.node_uuid
    return Entry(
        kind="allocation",
        uuid=allocation.uuid,
        name=allocation.name or allocation.uuid.partition("-")[0],
        status={ALLOCATING: "waiting", ERROR: "failed"}.get(allocation.state, allocation.state),
        start=allocation.created_at,
        end=allocation.ends_at,
        nodes=[LeasedNode(uuid=node, name=names.get(node) or node.partition("-")[0])] if node else [],
        detail=allocation.last_error or waits,
        renewable=allocation.state == ACTIVE,
        queued=queued,
    )
