"""Allocations for a node: what was asked for, who is to find it, and which node it was.

Whatever a conductor writes is guarded by its incarnation, which belongs to the allocation's conductor only as long as
nobody took the allocation over or the conductor's name: the compare-and-set of specification 000.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import Select, Update, and_, bindparam, exists, insert, or_, select
from sqlalchemy import delete as delete_rows
from sqlalchemy import update as update_rows

from dibs.allocations.model.allocations import ACTIVE, ALLOCATING, ERROR, Allocation, AllocationQuery
from dibs.allocations.model.errors import AllocationExists
from dibs.allocations.tables import allocations
from dibs.database import paging, sets
from dibs.database.columns import Columns
from dibs.database.transaction import Duplicate, Row, Transaction
from dibs.machines.model.nodes import is_uuid
from dibs.machines.tables import conductors, nodes

COLUMNS = Columns(Allocation)
_STORED = tuple(name for name in COLUMNS.names if name not in ("id", "node_uuid"))
_LISTS = ("traits", "candidate_nodes")

_SELECT = select(
    allocations.c.id, *(allocations.c[name] for name in _STORED), nodes.c.uuid.label("node_uuid")
).select_from(allocations.outerjoin(nodes, nodes.c.id == allocations.c.node_id))
_OF_BATCH = _SELECT.where(allocations.c.batch == bindparam("of_batch")).order_by(allocations.c.id)
_OF_NODE = _SELECT.where(allocations.c.node_id == bindparam("of_node"))
_INSERT = insert(allocations).values({name: bindparam(name) for name in _STORED}).returning(allocations.c.id)
_OF_ID = allocations.c.id == bindparam("of_id")
_DELETE = delete_rows(allocations).where(_OF_ID)
_DELETE_UNPLACED = _DELETE.where(allocations.c.node_id.is_(None))
_INSTANCE = select(nodes.c.id).where(nodes.c.instance_uuid == bindparam("of_uuid"))

_OPEN = allocations.c.state == ALLOCATING
_MINE = (
    allocations.c.conductor_id
    == select(conductors.c.id).where(conductors.c.incarnation == bindparam("of_incarnation")).scalar_subquery()
)
_GRANT = (
    update_rows(allocations)
    .where(_OF_ID, _OPEN, _MINE)
    .values(state=ACTIVE, node_id=bindparam("new_node"), last_error=None, updated_at=bindparam("now"))
)
_FAIL = (
    update_rows(allocations)
    .where(_OF_ID, _OPEN, _MINE)
    .values(state=ERROR, last_error=bindparam("new_error"), updated_at=bindparam("now"))
)
_MOVE_ALL = (
    update_rows(allocations)
    .where(_OPEN, allocations.c.conductor_id == bindparam("of_conductor"))
    .values(conductor_id=bindparam("new_conductor"))
)
_REOPEN = (
    update_rows(allocations)
    .where(or_(allocations.c.batch == bindparam("of_batch"), _OF_ID), allocations.c.state == ERROR)
    .values(
        state=ALLOCATING,
        last_error=None,
        conductor_id=bindparam("new_conductor"),
        wait_until=bindparam("new_wait_until"),
        updated_at=bindparam("now"),
    )
)
_EARLIER = allocations.alias("earlier")
_FIRST_OF_BATCH = and_(
    allocations.c.batch.is_not(None),
    ~exists().where(
        _EARLIER.c.batch == allocations.c.batch,
        _EARLIER.c.state == ALLOCATING,
        _EARLIER.c.id < allocations.c.id,
    ),
)
_ALONE_AND_NOT_WAITING = and_(
    allocations.c.batch.is_(None),
    or_(allocations.c.wait_until.is_(None), allocations.c.wait_until <= bindparam("now")),
)
_DUE = (
    select(allocations.c.uuid, allocations.c.batch, allocations.c.wait_until)
    .where(_OPEN, _MINE, or_(_ALONE_AND_NOT_WAITING, _FIRST_OF_BATCH))
    .order_by(allocations.c.id)
    .limit(bindparam("count_max"))
)
_DEAD = or_(conductors.c.online == 0, conductors.c.alive_until < bindparam("now"))
_DEAD_CONDUCTORS = (
    select(conductors.c.id)
    .where(_DEAD, exists().where(_OPEN, allocations.c.conductor_id == conductors.c.id))
    .order_by(conductors.c.id)
)


def get(tx: Transaction, ident: str) -> Allocation | None:
    """An allocation by uuid or name."""
    column, value = ("uuid", ident.lower()) if is_uuid(ident) else ("name", ident)
    row = tx.row(_by(column), {"ident": value})
    return _allocation(row) if row else None


def of_node(tx: Transaction, node_id: int) -> Allocation | None:
    """The allocation that has a node."""
    row = tx.row(_OF_NODE, {"of_node": node_id})
    return _allocation(row) if row else None


def of_nodes(tx: Transaction, node_ids: Sequence[int]) -> dict[int, str]:
    """Return the uuid of the allocation that has each of these nodes."""
    return {
        node_id: uuid
        for piece in sets.pieces(node_ids)
        for node_id, uuid in tx.tuples(_of_nodes(len(piece)), sets.numbered("id", piece))
    }


def of_batch(tx: Transaction, batch: str) -> list[Allocation]:
    """All allocations of a batch, the first first."""
    return [_allocation(row) for row in tx.rows(_OF_BATCH, {"of_batch": batch})]


def lock(tx: Transaction, ident: str) -> Allocation | None:
    """An allocation by uuid or name, with all others kept from changing it until the transaction ends."""
    column, value = ("uuid", ident.lower()) if is_uuid(ident) else ("name", ident)
    return get(tx, ident) if tx.change(_lock_by(column), {"ident": value}) else None


def create(tx: Transaction, allocation: Allocation) -> Allocation:
    """Add an allocation; its id is given here."""
    try:
        allocation_id = tx.values(_INSERT, _encode({name: getattr(allocation, name) for name in _STORED}))[0]
    except Duplicate as error:
        raise _meaning(error, allocation) from error
    return replace(allocation, id=allocation_id)


def update(tx: Transaction, allocation: Allocation, now: int, **changes: Any) -> Allocation:
    """Change an allocation in what does not concern its node."""
    after = replace(allocation, **changes, updated_at=now)
    written = _encode({**changes, "updated_at": now})
    values = {f"new_{name}": value for name, value in written.items()}
    try:
        tx.change(_update(frozenset(written)), {"of_id": allocation.id, **values})
    except Duplicate as error:
        raise _meaning(error, after) from error
    return after


def delete(tx: Transaction, allocation: Allocation) -> None:
    """Remove an allocation whose node is locked."""
    tx.change(_DELETE, {"of_id": allocation.id})


def delete_unplaced(tx: Transaction, allocation: Allocation) -> bool:
    """Remove an allocation that has no node; False when it has one, or is gone."""
    return tx.change(_DELETE_UNPLACED, {"of_id": allocation.id}) == 1


def is_instance(tx: Transaction, uuid: str) -> bool:
    """True when some node carries this instance."""
    return tx.row(_INSTANCE, {"of_uuid": uuid}) is not None


def grant(tx: Transaction, allocation: Allocation, incarnation: str, node_id: int, now: int) -> bool:
    """Let an allocation have a locked node; False when it is no longer this conductor's, or no longer open."""
    values = {"of_id": allocation.id, "of_incarnation": incarnation, "new_node": node_id, "now": now}
    return tx.change(_GRANT, values) == 1


def fail(tx: Transaction, allocation: Allocation, incarnation: str, reason: str, now: int) -> bool:
    """End an allocation without a node; False when it is no longer this conductor's, or no longer open."""
    values = {"of_id": allocation.id, "of_incarnation": incarnation, "new_error": reason, "now": now}
    return tx.change(_FAIL, values) == 1


def due(tx: Transaction, incarnation: str, now: int, count_max: int) -> list[Row]:
    """What a conductor is to try beside the line, the oldest first: uuid, batch, wait_until. A batch is its first."""
    return tx.rows(_DUE, {"of_incarnation": incarnation, "now": now, "count_max": count_max})


def dead_conductors(tx: Transaction, now: int) -> list[int]:
    """The row numbers of conductors that are dead or have stopped, and have open allocations."""
    return tx.values(_DEAD_CONDUCTORS, {"now": now})


def move_all(tx: Transaction, *, from_conductor: int, to_conductor: int) -> int:
    """Give all open allocations of a conductor to another; gives how many were still the former one's."""
    return tx.change(_MOVE_ALL, {"of_conductor": from_conductor, "new_conductor": to_conductor})


def reopen(tx: Transaction, allocation: Allocation, *, conductor_id: int, wait_until: int | None, now: int) -> int:
    """Let an allocation that failed, and all of its batch, be served once more; gives how many there are."""
    values = {
        "of_batch": allocation.batch,
        "of_id": allocation.id,
        "new_conductor": conductor_id,
        "new_wait_until": wait_until,
        "now": now,
    }
    return tx.change(_REOPEN, values)


def page(tx: Transaction, query: AllocationQuery) -> list[Allocation] | None:
    """One page of allocations; None when the marker is not there."""
    row = tx.row(_select_marker(query.sort_key), {"marker": query.marker}) if query.marker is not None else None
    if query.marker is not None and row is None:
        return None
    marker, values = paging.marker_values(row, query.sort_key)
    asked = tuple(name for name in ("node", "resource_class", "state", "owner") if getattr(query, name) is not None)
    values |= {"page_limit": query.limit, **{name: getattr(query, name) for name in asked}}
    statement = _page(asked, query.sort_key, query.descending, marker)
    return [_allocation(found) for found in tx.rows(statement, values)]


@lru_cache(maxsize=500)
def _page(asked: tuple[str, ...], sort_key: str, descending: bool, marker: str) -> Select[Any]:
    columns = {**{name: allocations.c[name] for name in asked if name != "node"}, "node": nodes.c.uuid}
    statement = _SELECT.where(*(columns[name] == bindparam(name) for name in asked))
    return paging.in_order(statement, allocations, sort_key, descending=descending, marker=marker)


@lru_cache(maxsize=50)
def _select_marker(sort_key: str) -> Select[Any]:
    return paging.select_marker(allocations, sort_key)


@lru_cache(maxsize=10)
def _by(column: str) -> Select[Any]:
    return _SELECT.where(allocations.c[column] == bindparam("ident"))


@lru_cache(maxsize=10)
def _lock_by(column: str) -> Update:
    """Writes nothing new: an UPDATE is what locks on every engine."""
    return update_rows(allocations).where(allocations.c[column] == bindparam("ident")).values(state=allocations.c.state)


@lru_cache(maxsize=50)
def _update(names: frozenset[str]) -> Update:
    values: dict[Any, Any] = {allocations.c[name]: bindparam(f"new_{name}") for name in sorted(names)}
    return update_rows(allocations).where(_OF_ID).values(values)


def _meaning(error: Duplicate, allocation: Allocation) -> Exception:
    if error.constraint == "uq_allocations_name":
        return AllocationExists(field="name", value=allocation.name)
    # An allocation that has a node has its instance as uuid, so that two for one node have the same.
    if error.constraint in ("uq_allocations_uuid", "uq_allocations_node_id"):
        return AllocationExists(field="UUID", value=allocation.uuid)
    return error


def _encode(values: Mapping[str, Any]) -> dict[str, Any]:
    return COLUMNS.encode({name: json.dumps(value) if name in _LISTS else value for name, value in values.items()})


def _allocation(row: Mapping[str, Any]) -> Allocation:
    lists = {name: tuple(json.loads(row[name])) for name in _LISTS}
    return Allocation(**{**COLUMNS.decode(row), **lists})


@cache
def _of_nodes(count: int) -> Select[Any]:
    columns = (allocations.c.node_id, allocations.c.uuid)
    return select(*columns).where(allocations.c.node_id.in_(sets.binds("id", count)))
