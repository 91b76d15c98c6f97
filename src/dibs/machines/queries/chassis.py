"""Chassis, and whether nodes are in them."""

from functools import lru_cache
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Select, Update, bindparam, insert, select
from sqlalchemy import delete as delete_rows
from sqlalchemy import update as update_rows

from dibs.database import paging
from dibs.database.columns import Columns
from dibs.database.transaction import Duplicate, Row, Transaction
from dibs.machines.model.chassis import Chassis, ChassisQuery
from dibs.machines.model.errors import ChassisExists
from dibs.machines.tables import chassis, nodes

_COLUMNS = Columns(Chassis)
_STORED = tuple(name for name in _COLUMNS.names if name != "id")
_SELECT = select(chassis.c.id, *(chassis.c[name] for name in _STORED))
_BY_UUID = _SELECT.where(chassis.c.uuid == bindparam("of_uuid"))
_INSERT = insert(chassis).values({name: bindparam(name) for name in _STORED}).returning(chassis.c.id)
_LOCK = update_rows(chassis).where(chassis.c.uuid == bindparam("of_uuid")).values(generation=chassis.c.generation + 1)
_DELETE = delete_rows(chassis).where(chassis.c.id == bindparam("of_id"))
_NODE_IN = select(nodes.c.id).where(nodes.c.chassis_uuid == bindparam("of_uuid")).limit(1)


def get(tx: Transaction, uuid: str) -> Chassis | None:
    """Return a chassis."""
    row = tx.row(_BY_UUID, {"of_uuid": uuid})
    return _chassis(row) if row else None


def lock(tx: Transaction, uuid: str) -> Chassis | None:
    """Lock a chassis until the transaction ends, and return it."""
    return get(tx, uuid) if tx.change(_LOCK, {"of_uuid": uuid}) else None


def page(tx: Transaction, query: ChassisQuery) -> paging.Page[Chassis] | None:
    """Return one page of chassis; None when the marker does not exist."""
    row = None
    if query.marker is not None:
        row = tx.row(paging.select_marker(chassis, query.sort_key), {"marker": query.marker})
        if row is None:
            return None

    def read(after: Row | None, count: int) -> list[Row]:
        marker, values = paging.marker_values(after, query.sort_key)
        statement = _page(query.sort_key, query.descending, marker)
        return tx.rows(statement, {**values, "page_limit": count})

    return paging.read_page(read, row, query.limit, paging.marker_by(query.sort_key)).map(_chassis)


def create(tx: Transaction, made: Chassis) -> Chassis:
    """Add a chassis; return it with its id."""
    try:
        row_id = tx.values(_INSERT, _COLUMNS.encode({name: getattr(made, name) for name in _STORED}))[0]
    except Duplicate as error:
        raise ChassisExists(chassis=made.uuid) from error
    return replace(made, id=row_id)


def update(tx: Transaction, found: Chassis, now: int, **changes: Any) -> Chassis:
    """Change a locked chassis."""
    written = _COLUMNS.encode({**changes, "updated_at": now})
    values = {f"new_{name}": value for name, value in written.items()}
    tx.change(_update(frozenset(written)), {"of_id": found.id, **values})
    return replace(found, **changes, updated_at=now)


def delete(tx: Transaction, found: Chassis) -> None:
    """Delete a chassis."""
    tx.change(_DELETE, {"of_id": found.id})


def has_nodes(tx: Transaction, uuid: str) -> bool:
    """Return True when a node is in the chassis."""
    return bool(tx.values(_NODE_IN, {"of_uuid": uuid}))


@lru_cache(maxsize=50)
def _page(sort_key: str, descending: bool, marker: str) -> Select[Any]:
    return paging.in_order(_SELECT, chassis, sort_key, descending=descending, marker=marker)


@lru_cache(maxsize=10)
def _update(names: frozenset[str]) -> Update:
    values: dict[Any, Any] = {chassis.c[name]: bindparam(f"new_{name}") for name in sorted(names)}
    return update_rows(chassis).where(chassis.c.id == bindparam("of_id")).values(values)


def _chassis(row: Row) -> Chassis:
    return Chassis(**_COLUMNS.decode(row))
