"""Servers, each read with the state of its host or node; a server on a node stores no state of its own."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec.structs import replace
from sqlalchemy import ColumnElement, Select, and_, bindparam, case, func, insert, or_, select, update
from sqlalchemy import delete as delete_rows
from sqlalchemy.sql.dml import Delete

from dibs.access.access import EVERY_PROJECT
from dibs.database import paging, sets
from dibs.database.columns import Columns
from dibs.database.transaction import Row, Transaction
from dibs.ledger.tables import providers
from dibs.machines.model import states as node_states
from dibs.machines.tables import nodes
from dibs.servers.model.events import server_event
from dibs.servers.model.servers import (
    ACTIVE,
    DELETE_DEFERRED,
    ERROR,
    NODE_LOST,
    SHUTOFF,
    STATUS_BY_PROVISION_STATE,
    Server,
    ServerQuery,
    ServerView,
)
from dibs.servers.tables import servers

COLUMNS = Columns(Server)

_STATUS_ON_NODE = case(
    (nodes.c.instance_uuid.is_(None), ERROR),
    (nodes.c.instance_uuid != servers.c.uuid, ERROR),
    (
        and_(
            # A driver may deploy a node without switching it on: only a server switched off by request is SHUTOFF.
            servers.c.status == SHUTOFF,
            nodes.c.provision_state == node_states.ACTIVE,
            nodes.c.power_state == node_states.POWER_OFF,
        ),
        SHUTOFF,
    ),
    *((nodes.c.provision_state == state, status) for state, status in STATUS_BY_PROVISION_STATE.items()),
    else_=ACTIVE,
)
_STATUS = case(
    (servers.c.status == ERROR, ERROR),
    (nodes.c.id.is_not(None), _STATUS_ON_NODE),
    # On a compute host a server is stored as ACTIVE, so this one ran on a node that has been removed since.
    (servers.c.status != ACTIVE, ERROR),
    else_=servers.c.status,
)
_FROM = servers.outerjoin(providers, providers.c.id == servers.c.provider_id).outerjoin(
    nodes, nodes.c.id == servers.c.provider_id
)
_JOINED = (
    "shown_status",
    "host",
    "node",
    "power_state",
    "provision_state",
    "last_error",
    "instance_on_node",
    "provisioned_at",
    "maintenance",
)
_SELECT = select(
    *(servers.c[name] for name in COLUMNS.names),
    _STATUS.label("shown_status"),
    providers.c.name.label("host"),
    nodes.c.uuid.label("node"),
    nodes.c.power_state,
    nodes.c.provision_state,
    nodes.c.last_error,
    nodes.c.instance_uuid.label("instance_on_node"),
    nodes.c.provision_updated_at.label("provisioned_at"),
    nodes.c.maintenance,
).select_from(_FROM)
_ONE = _SELECT.where(servers.c.uuid == bindparam("of_uuid"))
_WRITTEN = tuple(name for name in COLUMNS.names if name != "id")
_INSERT = insert(servers).values({name: bindparam(name) for name in _WRITTEN}).returning(servers.c.id)
_LOCK = update(servers).where(servers.c.uuid == bindparam("of_uuid")).values(name=servers.c.name)
_FAIL = (
    update(servers)
    .where(servers.c.id == bindparam("of_id"))
    .values(status=ERROR, fault=bindparam("new_fault"), provider_id=None, launched_at=None)
)
_CHANGE = (
    update(servers)
    .where(servers.c.id == bindparam("of_id"))
    .values(name=bindparam("new_name"), properties=bindparam("new_properties"), updated_at=bindparam("now"))
)
_SET_STATUS = (
    update(servers)
    .where(servers.c.id == bindparam("of_id"))
    .values(status=bindparam("new_status"), updated_at=bindparam("now"))
)
_CAN_BE_TORN_DOWN = and_(
    nodes.c.reservation.is_(None),
    nodes.c.protected == 0,
    or_(*(nodes.c.provision_state == state for state in sorted(node_states.VERBS[node_states.UNDEPLOY]))),
)
_DEFERRED_DELETES = (
    select(servers.c.uuid)
    .select_from(_FROM)
    .where(
        servers.c.status == DELETE_DEFERRED,
        or_(
            nodes.c.id.is_(None),
            nodes.c.instance_uuid.is_(None),
            nodes.c.instance_uuid != servers.c.uuid,
            _CAN_BE_TORN_DOWN,
        ),
    )
    .order_by(servers.c.updated_at, servers.c.id)
    .limit(bindparam("count_max"))
)


class _Shape(NamedTuple):
    """A page query without its values."""

    filters: tuple[str, ...]
    projects: int
    """The number of projects to choose from; 0 does not filter by project."""
    statuses: int
    sort_key: str
    descending: bool
    marker: str


_FILTERS: Mapping[str, ColumnElement[bool]] = {
    "no_project": servers.c.project_id.is_(None),
    "name": func.lower(servers.c.name).like(bindparam("of_name"), escape="/"),
    # The id comes first in the embedded flavor.
    "flavor": servers.c.flavor.like(bindparam("of_flavor"), escape="/"),
    "host": or_(providers.c.name == bindparam("of_host"), providers.c.uuid == bindparam("of_host")),
    "uuid": servers.c.uuid == bindparam("of_uuid"),
    "image": servers.c.image == bindparam("of_image"),
    "user": servers.c.user_id == bindparam("of_user"),
}
_RESERVATION_OF = select(servers.c.reservation_id).where(servers.c.uuid == bindparam("of_uuid"))


def add(tx: Transaction, server: Server) -> Server:
    """Add a server; return it with its row id."""
    row_id = tx.values(_INSERT, COLUMNS.encode({name: getattr(server, name) for name in _WRITTEN}))[0]
    added = replace(server, id=row_id)
    tx.record(server_event(None, added))
    return added


def fail(tx: Transaction, server: Server, fault: str) -> None:
    """Store that no host was found, and why."""
    tx.change(_FAIL, {"of_id": server.id, "new_fault": fault})
    tx.record(server_event(server, replace(server, status=ERROR, fault=fault)))


def get(tx: Transaction, uuid: str) -> ServerView | None:
    """Return one server; None when there is none."""
    row = tx.row(_ONE, {"of_uuid": uuid})
    return _view(row) if row else None


def lock(tx: Transaction, uuid: str) -> ServerView | None:
    """Lock a server until the transaction ends and return it; None when there is none."""
    return get(tx, uuid) if tx.change(_LOCK, {"of_uuid": uuid}) else None


def page(tx: Transaction, query: ServerQuery) -> paging.Page[ServerView] | None:
    """Return one page of servers; None when the marker does not exist."""
    row = None
    if query.marker is not None:
        row = tx.row(_select_marker(query.sort_key), {"marker": query.marker})
        if row is None:
            return None
    projects = () if query.visibility is EVERY_PROJECT else sorted(query.visibility)
    asked = {**_values(query), **sets.numbered("project", projects), **sets.numbered("shown_status", query.statuses)}

    def read(after: Row | None, count: int) -> list[Row]:
        marker, values = paging.marker_values(after, query.sort_key)
        shape = _Shape(_filters(query), len(projects), len(query.statuses), query.sort_key, query.descending, marker)
        return tx.rows(_page(shape), {**asked, **values, "page_limit": count})

    return paging.read_page(read, row, query.limit, paging.marker_by(query.sort_key)).map(_view)


def change(tx: Transaction, server: Server, *, name: str, properties: Mapping[str, Any], now: int) -> None:
    """Replace the name and the properties of a locked server."""
    encoded = json.dumps(properties, separators=(",", ":"), ensure_ascii=False)
    tx.change(_CHANGE, {"of_id": server.id, "new_name": name, "new_properties": encoded, "now": now})
    tx.record(server_event(server, replace(server, name=name, properties=properties)))


def set_status(tx: Transaction, server: Server, status: str, now: int) -> None:
    """Store the status that a locked server on a node should have."""
    tx.change(_SET_STATUS, {"of_id": server.id, "new_status": status, "now": now})
    tx.record(server_event(server, replace(server, status=status)))


def deferred_deletes(tx: Transaction, count_max: int) -> list[str]:
    """Return the uuids of deleted servers whose node can be torn down by now, longest waiting first."""
    return tx.values(_DEFERRED_DELETES, {"count_max": count_max})


def remove(tx: Transaction, server: Server) -> None:
    """Remove the row of a server; the caller releases its claims."""
    tx.change(_delete(1), {"id_0": server.id})
    tx.record(server_event(server, None))


def reservation_of(tx: Transaction, uuid: str) -> int | None:
    """Return the row id of the reservation that a server was launched for; None when there is none."""
    found: list[int | None] = tx.values(_RESERVATION_OF, {"of_uuid": uuid})
    return found[0] if found else None


def of_reservations(tx: Transaction, reservation_ids: Sequence[int]) -> list[str]:
    """Return the uuids of all servers that were launched for reservations."""
    return [
        uuid
        for piece in sets.pieces(reservation_ids)
        for uuid in tx.values(_of_reservations(len(piece)), sets.numbered("id", piece))
    ]


def on_providers(tx: Transaction, provider_ids: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
    """Return the uuid and the name of each server on these providers, by the row id of the provider."""
    found: dict[int, list[tuple[str, str]]] = {provider_id: [] for provider_id in provider_ids}
    for piece in sets.pieces(provider_ids):
        for provider_id, uuid, name in tx.tuples(_on_providers(len(piece)), sets.numbered("id", piece)):
            found[provider_id].append((uuid, name))
    return found


def _filters(query: ServerQuery) -> tuple[str, ...]:
    given = [name for name in ("name", "flavor", "host", "uuid", "image", "user") if getattr(query, name) is not None]
    if query.visibility == frozenset():
        given.append("no_project")
    return tuple(given)


def _values(query: ServerQuery) -> dict[str, Any]:
    plain = {f"of_{name}": getattr(query, name) for name in ("host", "uuid", "image", "user")}
    values = {name: value for name, value in plain.items() if value is not None}
    if query.name is not None:
        values["of_name"] = f"%{_literal(query.name.lower())}%"
    if query.flavor is not None:
        written = json.dumps({"id": query.flavor}, separators=(",", ":"), ensure_ascii=False)
        values["of_flavor"] = f"{_literal(written.removesuffix('}'))},%"
    return values


def _literal(text: str) -> str:
    """Escape text for a LIKE pattern, so that it matches only itself."""
    return text.replace("/", "//").replace("%", "/%").replace("_", "/_")


@lru_cache(maxsize=500)
def _page(shape: _Shape) -> Select[Any]:
    statement = _SELECT.where(*(_FILTERS[name] for name in shape.filters))
    if shape.projects:
        statement = statement.where(servers.c.project_id.in_(sets.binds("project", shape.projects)))
    if shape.statuses:
        statement = statement.where(_STATUS.in_(sets.binds("shown_status", shape.statuses)))
    return paging.in_order(statement, servers, shape.sort_key, descending=shape.descending, marker=shape.marker)


@lru_cache(maxsize=50)
def _select_marker(sort_key: str) -> Select[Any]:
    return paging.select_marker(servers, sort_key)


@sets.cached
def _delete(count: int) -> Delete:
    return delete_rows(servers).where(servers.c.id.in_(sets.binds("id", count)))


@sets.cached
def _of_reservations(count: int) -> Select[Any]:
    chosen = servers.c.reservation_id.in_(sets.binds("id", count))
    return select(servers.c.uuid).where(chosen).order_by(servers.c.id)


@sets.cached
def _on_providers(count: int) -> Select[Any]:
    columns = (servers.c.provider_id, servers.c.uuid, servers.c.name)
    return select(*columns).where(servers.c.provider_id.in_(sets.binds("id", count))).order_by(servers.c.id)


def _view(row: dict[str, Any]) -> ServerView:
    joined = {name: row.pop(name) for name in _JOINED}
    server = Server(**COLUMNS.decode(row))
    lost = server.status not in (ACTIVE, ERROR) and joined["instance_on_node"] != server.uuid
    deployed = joined["provisioned_at"] if joined["provision_state"] == node_states.ACTIVE else None
    return ServerView(
        server=server,
        status=joined["shown_status"],
        host=joined["host"],
        node=joined["node"],
        power_state=joined["power_state"],
        fault=server.fault or (NODE_LOST if lost else joined["last_error"]),
        launched_at=server.launched_at or deployed,
        host_is_up=not joined["maintenance"],
    )
