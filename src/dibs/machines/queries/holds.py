"""Holds on nodes. Callers lock the node's provider row before they change a hold."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Select, bindparam, insert, select, update
from sqlalchemy import delete as delete_rows
from sqlalchemy.sql.dml import Delete

from dibs.access.access import EVERY_PROJECT, VisibleProjects
from dibs.database import sets
from dibs.database.transaction import Again, Duplicate, Transaction
from dibs.machines.model.errors import HoldExists
from dibs.machines.model.events import hold_event
from dibs.machines.model.holds import Hold
from dibs.machines.tables import holds, nodes

_SELECT = select(*holds.c, nodes.c.uuid.label("node_uuid")).join(nodes, nodes.c.id == holds.c.node_id)
_BY_UUID = _SELECT.where(holds.c.uuid == bindparam("of_uuid"))
_OF_NODE = _SELECT.where(holds.c.node_id == bindparam("of_node"))
_FOR_INSTANCE = _SELECT.where(holds.c.instance_uuid == bindparam("of_instance"))
_STORED = tuple(column.name for column in holds.c if column.name != "id")
_INSERT = insert(holds).values({name: bindparam(name) for name in _STORED})
_RENEW = (
    update(holds)
    .where(holds.c.id == bindparam("of_id"))
    .values(expires_at=bindparam("new_expires_at"), updated_at=bindparam("now"))
)
_DELETE = delete_rows(holds).where(holds.c.id == bindparam("of_id"))
_EXPIRED = (
    select(holds.c.uuid)
    .where(holds.c.expires_at <= bindparam("now"))
    .order_by(holds.c.expires_at, holds.c.id)
    .limit(bindparam("count_max"))
)
_ALL = (
    _SELECT.where(holds.c.expires_at > bindparam("now"), holds.c.id > bindparam("after_id"))
    .order_by(holds.c.id)
    .limit(bindparam("page_limit"))
)


def get(tx: Transaction, uuid: str) -> Hold | None:
    """Return a hold by its uuid."""
    return _one(tx, _BY_UUID, {"of_uuid": uuid})


def of_node(tx: Transaction, node_id: int) -> Hold | None:
    """Return the hold on a node."""
    return _one(tx, _OF_NODE, {"of_node": node_id})


def for_instance(tx: Transaction, instance_uuid: str) -> Hold | None:
    """Return the hold for an instance."""
    return _one(tx, _FOR_INSTANCE, {"of_instance": instance_uuid})


def page(tx: Transaction, now: int, *, projects: VisibleProjects, after_id: int, limit: int) -> list[Hold]:
    """Return holds that have not expired, of these projects, the oldest first."""
    values: dict[str, Any] = {"now": now, "after_id": after_id, "page_limit": limit}
    if projects is EVERY_PROJECT:
        return [Hold(**row) for row in tx.rows(_ALL, values)]
    if not projects:
        return []
    owners = sorted(projects)
    return [Hold(**row) for row in tx.rows(_of_projects(len(owners)), {**values, **sets.numbered("project", owners)})]


def expired(tx: Transaction, now: int, count_max: int) -> list[str]:
    """Return the uuids of expired holds, the first to expire first."""
    return tx.values(_EXPIRED, {"now": now, "count_max": count_max})


def add(tx: Transaction, hold: Hold) -> None:
    """Add a hold to a locked node that has none."""
    values = {name: getattr(hold, name) for name in _STORED}
    try:
        tx.change(_INSERT, values)
    except Duplicate as error:
        if error.constraint != "uq_holds_instance_uuid":
            raise
        raise HoldExists(instance=hold.instance_uuid) from error
    tx.record(hold_event(None, hold))


def renew(tx: Transaction, hold: Hold, *, expires_at: int, now: int) -> Hold:
    """Change the end of a hold; return the changed hold."""
    tx.change(_RENEW, {"of_id": hold.id, "new_expires_at": expires_at, "now": now})
    renewed = replace(hold, expires_at=expires_at, updated_at=now)
    tx.record(hold_event(hold, renewed))
    return renewed


def remove(tx: Transaction, hold: Hold) -> None:
    """Remove a hold; the caller releases its claim."""
    if tx.change(_DELETE, {"of_id": hold.id}) != 1:
        raise Again  # A concurrent transaction removed it.
    tx.record(hold_event(hold, None))


def remove_from(tx: Transaction, node_ids: Sequence[int]) -> None:
    """Remove the holds on these locked nodes, if there are any."""
    for piece in sets.pieces(node_ids):
        found = [Hold(**row) for row in tx.rows(_on_nodes(len(piece)), sets.numbered("id", piece))]
        if found:
            tx.change(_remove_from(len(piece)), sets.numbered("id", piece))
        for hold in found:
            tx.record(hold_event(hold, None))


@sets.cached
def _of_projects(count: int) -> Select[Any]:
    return _ALL.where(holds.c.project_id.in_(sets.binds("project", count)))


@sets.cached
def _on_nodes(count: int) -> Select[Any]:
    return _SELECT.where(holds.c.node_id.in_(sets.binds("id", count))).order_by(holds.c.id)


@sets.cached
def _remove_from(count: int) -> Delete:
    return delete_rows(holds).where(holds.c.node_id.in_(sets.binds("id", count)))


def _one(tx: Transaction, statement: Select[Any], values: dict[str, Any]) -> Hold | None:
    row = tx.row(statement, values)
    return Hold(**row) if row else None
