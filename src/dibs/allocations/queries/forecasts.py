"""What forecasts of the queue read and write: waiting allocations, the use of nodes, and promises."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Select, Update, bindparam, case, func, select, update

from dibs.allocations.model.allocations import ALLOCATING, Allocation, Requirements
from dibs.allocations.model.forecasts import NodeUse, Promise
from dibs.allocations.queries import free_nodes
from dibs.allocations.queries.free_nodes import Shape
from dibs.allocations.tables import allocations
from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.tables import bookings, hosts
from dibs.machines.tables import conductors, holds, nodes

_PLAIN = ("uuid", "name", "provision_state", "provision_updated_at", "protected", "instance_uuid", "instance_until")
_FLAGS = ("powered", "unclaimed", "protected")
_MINE = (
    allocations.c.conductor_id
    == select(conductors.c.id).where(conductors.c.incarnation == bindparam("of_incarnation")).scalar_subquery()
)
_PROMISED = select(allocations.c.promised_at, allocations.c.promise_nodes).where(
    allocations.c.state == ALLOCATING,
    allocations.c.resource_class == bindparam("of_class"),
    allocations.c.promised_at.is_not(None),
)


def uses(tx: Transaction, required: Requirements, now: int, count_max: int) -> list[NodeUse]:
    """Return the nodes in service that meet requirements, free or not, in the order of their ids."""
    values = {**free_nodes.values_of(required), "now": now, "count_max": count_max}
    return [
        NodeUse(**{**row, **{name: bool(row[name]) for name in _FLAGS}})
        for row in tx.rows(_uses(free_nodes.shape_of(required)), values)
    ]


def keep(tx: Transaction, promises: Sequence[tuple[Allocation, Promise]], incarnation: str) -> None:
    """Store the promises of allocations, except those that are settled or another conductor's by now."""
    for piece in map(sets.padded, sets.pieces(promises)):
        rows = [
            {
                "id": allocation.id,
                "promised_at": promise.start,
                "promise_nodes": json.dumps(promise.nodes),
                "depends_on": promise.depends_on or None,
                "moved_by": promise.moved_by or None,
            }
            for allocation, promise in piece
        ]
        tx.change(_keep(len(rows)), {"of_incarnation": incarnation, **sets.columns(rows)})


def promised_from(tx: Transaction, node: str, resource_class: str | None) -> int | None:
    """Return the first promised start that counts on a node, by its uuid; None when no allocation counts on it."""
    found = tx.tuples(_PROMISED, {"of_class": resource_class})
    return min((start for start, counted_on in found if node in json.loads(counted_on)), default=None)


@sets.cached
def _keep(count: int) -> Update:
    """UPDATE allocations SET promised_at = CASE id WHEN <first> THEN <its start> … WHERE id IN … AND <open and mine>"""
    own = {
        name: sets.by_key(allocations.c.id, "id", name, count, allocations.c[name].type)
        for name in ("promised_at", "promise_nodes", "depends_on", "moved_by")
    }
    locked = sets.LockedInOrder(allocations.c.id, sets.binds("id", count))
    return update(allocations).where(locked, allocations.c.state == ALLOCATING, _MINE).values(**own)


@lru_cache(maxsize=500)
def _uses(shape: Shape) -> Select[Any]:
    held = select(holds.c.expires_at).where(holds.c.node_id == nodes.c.id, holds.c.expires_at > bindparam("now"))
    booked = (
        select(func.max(bookings.c.end_at))
        .join(hosts, hosts.c.id == bookings.c.host_id)
        .where(hosts.c.provider_id == nodes.c.id)
    )
    return (
        select(
            *(nodes.c[name] for name in _PLAIN),
            case((free_nodes.POWERED, 1), else_=0).label("powered"),
            case((free_nodes.UNCLAIMED, 1), else_=0).label("unclaimed"),
            held.scalar_subquery().label("held_until"),
            booked.scalar_subquery().label("booked_until"),
        )
        .where(*free_nodes.suitable(shape), *free_nodes.IN_SERVICE)
        .order_by(nodes.c.id)
        .limit(bindparam("count_max"))
    )
