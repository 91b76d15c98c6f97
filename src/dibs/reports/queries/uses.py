"""Which projects use which nodes now, and when uses of nodes began and ended."""

from typing import NamedTuple

from sqlalchemy import bindparam, case, or_, select

from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.allocations.tables import allocations
from dibs.database.transaction import Transaction
from dibs.events.model.events import decode_state
from dibs.events.queries.histories import reach_back
from dibs.events.tables import events
from dibs.leases.model.leases import DONE, IN_PROGRESS, START, TERMINATED
from dibs.leases.tables import bookings, hosts, lease_events, lease_reservations, leases
from dibs.ledger.tables import providers
from dibs.machines.tables import nodes
from dibs.reports.model.utilisation import UseChange, UseKey

EVENTS_MAX = 1_000_000
"""The latest events that are looked at. There is no index of types, and a report must not read all events of a year."""
CHANGES_MAX = 200_000
"""The latest beginnings and ends that are read."""

_BEGINNINGS = ("allocation.granted", "allocation.created", "booking.started")
_ENDS = ("allocation.ended", "allocation.deleted", "allocation.failed", "allocation.requeued", "booking.ended")
_REPORTED = "allocation.ended"
_GONE = "node.deleted"
_CHANGES = (
    select(
        events.c.type,
        events.c.object_id,
        events.c.node,
        events.c.project_id,
        events.c.happened_at,
        case((events.c.type == _REPORTED, events.c.after_state), (events.c.type == _GONE, events.c.before_state)),
    )
    .where(
        events.c.id > bindparam("after_id"),
        events.c.happened_at >= bindparam("since"),
        events.c.node.is_not(None),
        or_(*(events.c.type == each for each in (*_BEGINNINGS, *_ENDS, _GONE))),
    )
    .order_by(events.c.id.desc())
    .limit(CHANGES_MAX)
)
_ALLOCATIONS = select(allocations.c.uuid, nodes.c.uuid, allocations.c.owner).join(
    nodes, nodes.c.id == allocations.c.node_id
)
_LEASES = (
    select(leases.c.uuid, providers.c.uuid, leases.c.project_id)
    .join(lease_reservations, lease_reservations.c.lease_id == leases.c.id)
    .join(bookings, bookings.c.reservation_id == lease_reservations.c.id)
    .join(hosts, hosts.c.id == bookings.c.host_id)
    .join(providers, providers.c.id == hosts.c.provider_id)
    .join(lease_events, lease_events.c.lease_id == leases.c.id)
    .where(lease_events.c.kind == START, or_(lease_events.c.status == IN_PROGRESS, lease_events.c.status == DONE))
    .where(leases.c.status != TERMINATED)
)
_CLASSES = select(nodes.c.uuid, nodes.c.resource_class)


class History(NamedTuple):
    """Beginnings and ends of uses, the newest first."""

    since: int
    """The moment from which on all are known."""
    changes: list[UseChange]
    gone: dict[str, str | None]
    """The class of each node that was deleted."""


def history(tx: Transaction, projects: VisibleProjects, since: int) -> History:
    """Return what began and ended since a moment, or since a later one when there are too many events."""
    reach = reach_back(tx, since, EVENTS_MAX)
    rows = tx.tuples(_CHANGES, reach._asdict())
    since = rows[-1][4] if len(rows) == CHANGES_MAX else reach.since
    changes = [
        UseChange(UseKey(kind.partition(".")[0], object_id, node), project, moment, kind in _BEGINNINGS)
        for kind, object_id, node, project, moment, state in rows
        if kind != _GONE and _is_visible(project, projects) and not (kind == _REPORTED and _keeps_its_node(state))
    ]
    gone = [(node, decode_state(state) or {}) for kind, _, node, _, _, state in rows if kind == _GONE]
    return History(since, changes, {node: state.get("resource_class") for node, state in gone})


def present(tx: Transaction, projects: VisibleProjects) -> dict[UseKey, str | None]:
    """Return the uses that go on, each with its project."""
    found = {UseKey("allocation", uuid, node): owner for uuid, node, owner in tx.tuples(_ALLOCATIONS)}
    found |= {UseKey("booking", uuid, node): project for uuid, node, project in tx.tuples(_LEASES)}
    return {key: project for key, project in found.items() if _is_visible(project, projects)}


def classes(tx: Transaction) -> dict[str, str | None]:
    """Return the class of each node."""
    return dict(tx.tuples(_CLASSES))


def _is_visible(project: str | None, projects: VisibleProjects) -> bool:
    return projects is EVERY_PROJECT or project in projects


def _keeps_its_node(after: str | None) -> bool:
    """Return True for an end that is only reported."""
    return '"state"' not in (after or "")
