"""Ports of nodes."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Select, Update, bindparam, false, insert, or_, select
from sqlalchemy import delete as delete_rows
from sqlalchemy import update as update_rows

from dibs.access.access import EVERY_PROJECT
from dibs.database import paging
from dibs.database.columns import Columns
from dibs.database.transaction import Duplicate, Row, Transaction
from dibs.machines.model.errors import PortExists
from dibs.machines.model.nodes import is_uuid
from dibs.machines.model.ports import Port, PortQuery
from dibs.machines.tables import nodes, ports

COLUMNS = Columns(Port)
_STORED = tuple(name for name in COLUMNS.names if name not in ("id", "node_uuid"))

_SELECT = select(nodes.c.uuid.label("node_uuid"), ports.c.id, *(ports.c[name] for name in _STORED)).join(
    nodes, nodes.c.id == ports.c.node_id
)
_INSERT = insert(ports).values(
    node_id=bindparam("node_id"), **{name: bindparam(name) for name in _STORED}
).returning(ports.c.id)  # fmt: skip
_DELETE = delete_rows(ports).where(ports.c.id == bindparam("of_id"))


def get(tx: Transaction, ident: str) -> Port | None:
    """Return a port by uuid or name."""
    column, value = ("uuid", ident.lower()) if is_uuid(ident) else ("name", ident)
    row = tx.row(_by(column), {"ident": value})
    return _port(row) if row else None


def create(tx: Transaction, now: int, node_id: int, port: Port) -> Port:
    """Add a port; return it with its id."""
    values = COLUMNS.encode({name: getattr(port, name) for name in _STORED})
    try:
        port_id = tx.values(_INSERT, {"node_id": node_id, **values})[0]
    except Duplicate as error:
        raise _meaning(error, port) from error
    return replace(port, id=port_id)


def update(tx: Transaction, port: Port, now: int, node_id: int | None, **changes: Any) -> Port:
    """Change a port; with ``node_id`` move it to that node."""
    after = replace(port, **changes, updated_at=now)
    written = COLUMNS.encode({name: value for name, value in changes.items() if name != "node_uuid"})
    written |= {"updated_at": now} if node_id is None else {"updated_at": now, "node_id": node_id}
    try:
        tx.change(_update(frozenset(written)), {"of_id": port.id, **{f"new_{name}": v for name, v in written.items()}})
    except Duplicate as error:
        raise _meaning(error, after) from error
    return after


def delete(tx: Transaction, port: Port) -> None:
    """Delete a port."""
    tx.change(_DELETE, {"of_id": port.id})


def page(tx: Transaction, query: PortQuery) -> paging.Page[Port] | None:
    """Return one page of ports; None when the marker does not exist."""
    row = tx.row(_select_marker(query.sort_key), {"marker": query.marker}) if query.marker is not None else None
    if query.marker is not None and row is None:
        return None
    asked = _values(query)

    def read(after: Row | None, count: int) -> list[Row]:
        marker, values = paging.marker_values(after, query.sort_key)
        return tx.rows(_page(_template(query), marker), {**asked, **values, "page_limit": count})

    return paging.read_page(read, row, query.sort_key, query.limit).map(_port)


def _values(query: PortQuery) -> dict[str, Any]:
    """Return the parameters of the filters."""
    values: dict[str, Any] = {}
    if query.node is not None:
        values["node"] = query.node.lower() if is_uuid(query.node) else query.node
    if query.address is not None:
        values["address"] = query.address
    if query.projects is not EVERY_PROJECT:
        values |= {f"project_{place}": project for place, project in enumerate(sorted(query.projects))}
    values |= {f"shard_{place}": shard for place, shard in enumerate(query.shards)}
    values |= {f"group_{place}": group for place, group in enumerate(query.conductor_groups)}
    return values


def _template(query: PortQuery) -> PortQuery:
    """Return the query without its values: one statement is built and cached for each."""
    return replace(
        query,
        node=None if query.node is None else ("uuid" if is_uuid(query.node) else "name"),
        address=None if query.address is None else "",
        projects=query.projects if query.projects is EVERY_PROJECT else frozenset(map(str, range(len(query.projects)))),
        shards=("",) * len(query.shards),
        conductor_groups=("",) * len(query.conductor_groups),
        limit=0,
        marker=None,
    )


@lru_cache(maxsize=500)
def _page(template: PortQuery, marker: str) -> Select[Any]:
    statement = _SELECT
    if template.node is not None:
        statement = statement.where(nodes.c[template.node] == bindparam("node"))
    if template.address is not None:
        statement = statement.where(ports.c.address == bindparam("address"))
    if template.projects is not EVERY_PROJECT:
        projects: list[Any] = [bindparam(f"project_{place}") for place in range(len(template.projects))]
        mine = or_(nodes.c.owner.in_(projects), nodes.c.lessee.in_(projects)) if projects else false()
        statement = statement.where(mine)
    if template.shards:
        shards: list[Any] = [bindparam(f"shard_{place}") for place in range(len(template.shards))]
        statement = statement.where(nodes.c.shard.in_(shards))
    if template.conductor_groups:
        groups: list[Any] = [bindparam(f"group_{place}") for place in range(len(template.conductor_groups))]
        statement = statement.where(nodes.c.conductor_group.in_(groups))
    return paging.in_order(statement, ports, template.sort_key, descending=template.descending, marker=marker)


@lru_cache(maxsize=50)
def _select_marker(sort_key: str) -> Select[Any]:
    return paging.select_marker(ports, sort_key)


@lru_cache(maxsize=10)
def _by(column: str) -> Select[Any]:
    return _SELECT.where(ports.c[column] == bindparam("ident"))


@lru_cache(maxsize=200)
def _update(names: frozenset[str]) -> Update:
    values: dict[Any, Any] = {ports.c[name]: bindparam(f"new_{name}") for name in sorted(names)}
    return update_rows(ports).where(ports.c.id == bindparam("of_id")).values(values)


def _meaning(error: Duplicate, port: Port) -> Exception:
    meanings = {
        "uq_ports_uuid": ("UUID", port.uuid),
        "uq_ports_address": ("MAC address", port.address),
        "uq_ports_name": ("name", port.name),
    }
    if error.constraint not in meanings:
        return error
    field, value = meanings[error.constraint]
    return PortExists(field=field, value=value)


def _port(row: Mapping[str, Any]) -> Port:
    return Port(**COLUMNS.decode(row))
