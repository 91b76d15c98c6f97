"""Aggregates for the metrics, one statement each.

Nodes are counted in an index of class and state, without their rows, and due work is found at the beginning of the
index that conductors use.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Select, bindparam, case, func, select

from dibs.allocations.model.allocations import ALLOCATING
from dibs.allocations.tables import allocations
from dibs.database.transaction import Transaction
from dibs.leases.model.leases import UNDONE
from dibs.leases.tables import lease_events, leases, outbox_calls
from dibs.machines.tables import conductors, holds, nodes
from dibs.webhooks.tables import webhooks

SECOND = 1_000_000

_NODES = select(nodes.c.resource_class, nodes.c.provision_state, func.count()).group_by(
    nodes.c.resource_class, nodes.c.provision_state
)
_QUEUE = (
    select(allocations.c.resource_class, func.count(), func.min(allocations.c.created_at))
    .where(allocations.c.state == ALLOCATING)
    .group_by(allocations.c.resource_class)
)
_LEASES = select(leases.c.status, func.count()).group_by(leases.c.status)
_CONDUCTOR_STATE = case(
    (conductors.c.online == 0, "stopped"), (conductors.c.alive_until < bindparam("now"), "failed"), else_="alive"
)
_CONDUCTORS = select(_CONDUCTOR_STATE.label("state"), func.count()).group_by(_CONDUCTOR_STATE)


def _first(column: Any, *conditions: Any) -> Select[Any]:
    return select(column).where(column.is_not(None), *conditions).order_by(column).limit(1)


_DUE: Mapping[str, Select[Any]] = {
    "lease_event": _first(lease_events.c.due_at, lease_events.c.status == UNDONE),
    "allocation_end": _first(allocations.c.end_due_at),
    "outbox_call": _first(outbox_calls.c.due_at),
    "webhook": _first(webhooks.c.due_at),
    "hold": _first(holds.c.expires_at),
}


def count_nodes(tx: Transaction) -> dict[tuple[str, str], int]:
    """Return the number of nodes by class, empty for none, and provision state."""
    return {(kind or "", state): count for kind, state, count in tx.tuples(_NODES)}


def queue(tx: Transaction, now: int) -> dict[str, tuple[int, float]]:
    """Return how many allocations wait for each class, and for how many seconds the oldest has waited."""
    return {kind or "": (count, max(0, now - oldest) / SECOND) for kind, count, oldest in tx.tuples(_QUEUE)}


def count_leases(tx: Transaction) -> dict[str, int]:
    """Return the number of leases by status."""
    return dict(tx.tuples(_LEASES))


def count_conductors(tx: Transaction, now: int) -> dict[str, int]:
    """Return the number of conductors that are alive, stopped and failed."""
    return {"alive": 0, "stopped": 0, "failed": 0, **dict(tx.tuples(_CONDUCTORS, {"now": now}))}


def lateness(tx: Transaction, now: int) -> dict[str, float]:
    """Return for how many seconds the oldest due work of each kind has been due."""
    found = {kind: tx.values(statement) for kind, statement in _DUE.items()}
    return {kind: max(0, now - first[0]) / SECOND if first else 0.0 for kind, first in found.items()}
