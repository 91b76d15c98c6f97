"""Allocations: create, read, change and delete rows. Conductors read and write the queue with ``queries.queue``."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec.structs import replace
from sqlalchemy import Select, Update, bindparam, false, insert, select
from sqlalchemy import delete as delete_rows
from sqlalchemy import update as update_rows

from dibs.access.access import EVERY_PROJECT
from dibs.allocations.model.allocations import Allocation, AllocationQuery
from dibs.allocations.model.errors import AllocationExists
from dibs.allocations.model.events import allocation_event
from dibs.allocations.tables import allocations
from dibs.database import paging, sets
from dibs.database.columns import Columns
from dibs.database.transaction import Duplicate, Row, Transaction
from dibs.ledger.tables import consumers
from dibs.machines.model.nodes import is_uuid
from dibs.machines.tables import holds, nodes

COLUMNS = Columns(Allocation)
_STORED = tuple(name for name in COLUMNS.names if name not in ("id", "node_uuid"))
_LISTS = ("traits", "candidate_nodes", "promise_nodes")

SELECT = select(
    allocations.c.id, *(allocations.c[name] for name in _STORED), nodes.c.uuid.label("node_uuid")
).select_from(allocations.outerjoin(nodes, nodes.c.id == allocations.c.node_id))
_OF_BATCH = SELECT.where(allocations.c.batch == bindparam("of_batch")).order_by(allocations.c.id)
_OF_NODE = SELECT.where(allocations.c.node_id == bindparam("of_node"))
_INSERT = insert(allocations).values({name: bindparam(name) for name in _STORED}).returning(allocations.c.id)
_OF_ID = allocations.c.id == bindparam("of_id")
_DELETE = delete_rows(allocations).where(_OF_ID)
_DELETE_UNPLACED = _DELETE.where(allocations.c.node_id.is_(None))
_INSTANCE = select(nodes.c.id).where(nodes.c.instance_uuid == bindparam("of_uuid"))
_CONSUMER = consumers.c.uuid == bindparam("of_uuid")
_USE = select(
    _INSTANCE.scalar_subquery(),
    select(holds.c.expires_at).where(holds.c.instance_uuid == bindparam("of_uuid")).scalar_subquery(),
    select(consumers.c.id).where(_CONSUMER).scalar_subquery(),
    select(consumers.c.project_id).where(_CONSUMER).scalar_subquery(),
)


class UuidUse(NamedTuple):
    """What the uuid of a new allocation stands for already; each is None when there is nothing of the kind."""

    node_id: int | None
    """The node that carries it as its instance."""
    held_until: int | None
    """The end of the hold for it."""
    consumer_id: int | None
    project: str | None
    """The project of the consumer."""


def get(tx: Transaction, ident: str) -> Allocation | None:
    """Return an allocation by uuid or name."""
    column, value = ("uuid", ident.lower()) if is_uuid(ident) else ("name", ident)
    row = tx.row(_by(column), {"ident": value})
    return decode(row) if row else None


def of_node(tx: Transaction, node_id: int) -> Allocation | None:
    """Return the allocation that has a node."""
    row = tx.row(_OF_NODE, {"of_node": node_id})
    return decode(row) if row else None


def of_nodes(tx: Transaction, node_ids: Sequence[int]) -> dict[int, str]:
    """Return the uuid of the allocation that has each of these nodes."""
    return {
        node_id: uuid
        for piece in sets.pieces(node_ids)
        for node_id, uuid in tx.tuples(_of_nodes(len(piece)), sets.numbered("id", piece))
    }


def of_batch(tx: Transaction, batch: str) -> list[Allocation]:
    """Return all allocations of a batch, in the order of their ids."""
    return [decode(row) for row in tx.rows(_OF_BATCH, {"of_batch": batch})]


def lock(tx: Transaction, ident: str) -> Allocation | None:
    """Lock an allocation, found by uuid or name, and return it."""
    column, value = ("uuid", ident.lower()) if is_uuid(ident) else ("name", ident)
    return get(tx, ident) if tx.change(_lock_by(column), {"ident": value}) else None


def create(tx: Transaction, allocation: Allocation, asked: Allocation | None = None) -> Allocation:
    """Add an allocation and return it with its id.

    ``asked`` is the allocation before it got its node: its creation and its grant are events of their own, as if it had
    been in the queue.
    """
    try:
        allocation_id = tx.values(_INSERT, _encode({name: getattr(allocation, name) for name in _STORED}))[0]
    except Duplicate as error:
        raise _meaning(error, allocation) from error
    created = replace(allocation, id=allocation_id)
    if asked is not None:
        tx.record(allocation_event(None, asked))
    tx.record(allocation_event(asked, created))
    return created


def update(tx: Transaction, allocation: Allocation, now: int, **changes: Any) -> Allocation:
    """Change attributes other than state and node."""
    after = replace(allocation, **changes, updated_at=now)
    written = _encode({**changes, "updated_at": now})
    values = {f"new_{name}": value for name, value in written.items()}
    try:
        tx.change(_update(frozenset(written)), {"of_id": allocation.id, **values})
    except Duplicate as error:
        raise _meaning(error, after) from error
    tx.record(allocation_event(allocation, after))
    return after


def delete(tx: Transaction, allocation: Allocation) -> None:
    """Delete an allocation whose node is locked."""
    tx.change(_DELETE, {"of_id": allocation.id})
    tx.record(allocation_event(allocation, None))


def delete_unplaced(tx: Transaction, allocation: Allocation) -> bool:
    """Delete an allocation that has no node; return False when it has one by now, or is gone."""
    deleted = tx.change(_DELETE_UNPLACED, {"of_id": allocation.id}) == 1
    if deleted:
        tx.record(allocation_event(allocation, None))
    return deleted


def is_instance(tx: Transaction, uuid: str) -> bool:
    """Return True when a node carries this instance."""
    return tx.row(_INSTANCE, {"of_uuid": uuid}) is not None


def use_of(tx: Transaction, uuid: str) -> UuidUse:
    """Return what a uuid stands for already."""
    return UuidUse(*tx.tuples(_USE, {"of_uuid": uuid})[0])


def page(tx: Transaction, query: AllocationQuery) -> paging.Page[Allocation] | None:
    """Return one page of allocations, or None when the marker does not exist. ``query.node`` is a uuid."""
    row = tx.row(_select_marker(query.sort_key), {"marker": query.marker}) if query.marker is not None else None
    if query.marker is not None and row is None:
        return None
    asked = tuple(name for name in ("node", "resource_class", "state") if getattr(query, name) is not None)
    filters = {name: getattr(query, name) for name in asked}
    projects = None
    if query.projects is not EVERY_PROJECT:
        projects = len(query.projects)
        filters |= sets.numbered("project", sorted(query.projects))

    def read(after: Row | None, count: int) -> list[Row]:
        marker, values = paging.marker_values(after, query.sort_key)
        statement = _page(asked, projects, query.sort_key, query.descending, marker)
        return tx.rows(statement, {**filters, **values, "page_limit": count})

    return paging.read_page(read, row, query.limit, paging.marker_by(query.sort_key)).map(decode)


@lru_cache(maxsize=500)
def _page(asked: tuple[str, ...], projects: int | None, sort_key: str, descending: bool, marker: str) -> Select[Any]:
    columns = {**{name: allocations.c[name] for name in asked if name != "node"}, "node": nodes.c.uuid}
    statement = SELECT.where(*(columns[name] == bindparam(name) for name in asked))
    if projects is not None:
        visible = allocations.c.owner.in_(sets.binds("project", projects)) if projects else false()
        statement = statement.where(visible)
    return paging.in_order(statement, allocations, sort_key, descending=descending, marker=marker)


@lru_cache(maxsize=50)
def _select_marker(sort_key: str) -> Select[Any]:
    return paging.select_marker(allocations, sort_key)


@lru_cache(maxsize=10)
def _by(column: str) -> Select[Any]:
    return SELECT.where(allocations.c[column] == bindparam("ident"))


@lru_cache(maxsize=10)
def _lock_by(column: str) -> Update:
    """Change nothing: an UPDATE is the lock that works on every engine."""
    return update_rows(allocations).where(allocations.c[column] == bindparam("ident")).values(state=allocations.c.state)


@lru_cache(maxsize=50)
def _update(names: frozenset[str]) -> Update:
    values: dict[Any, Any] = {allocations.c[name]: bindparam(f"new_{name}") for name in sorted(names)}
    return update_rows(allocations).where(_OF_ID).values(values)


def _meaning(error: Duplicate, allocation: Allocation) -> Exception:
    if error.constraint == "uq_allocations_name":
        return AllocationExists(field="name", value=allocation.name)
    # The uuid of an allocation is the instance of its node, so two allocations for one node have the same uuid.
    if error.constraint in ("uq_allocations_uuid", "uq_allocations_node_id"):
        return AllocationExists(field="UUID", value=allocation.uuid)
    return error


def _encode(values: Mapping[str, Any]) -> dict[str, Any]:
    return COLUMNS.encode({name: _text(value) if name in _LISTS else value for name, value in values.items()})


def decode(row: Mapping[str, Any]) -> Allocation:
    """Return the allocation in a row of SELECT."""
    lists = {name: _list(row[name]) for name in _LISTS}
    return Allocation(**{**COLUMNS.decode(row), **lists})


def _text(values: Sequence[str]) -> str:
    """Return a list as JSON; most are empty."""
    return json.dumps(values) if values else "[]"


def _list(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))


@sets.cached
def _of_nodes(count: int) -> Select[Any]:
    columns = (allocations.c.node_id, allocations.c.uuid)
    return select(*columns).where(allocations.c.node_id.in_(sets.binds("id", count)))
