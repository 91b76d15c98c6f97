"""Parts of nodes: one class for all kinds, and one instance for the table of each kind."""

from collections.abc import Collection, Mapping
from functools import cached_property, lru_cache, partial
from typing import Any

from msgspec.structs import asdict, replace
from sqlalchemy import Select, Table, Update, bindparam, false, insert, or_, select
from sqlalchemy import delete as delete_rows
from sqlalchemy import update as update_rows

from dibs.access.access import EVERY_PROJECT
from dibs.database import paging
from dibs.database.columns import Columns
from dibs.database.transaction import Duplicate, Row, Transaction
from dibs.machines.model.errors import PartExists
from dibs.machines.model.nodes import is_uuid
from dibs.machines.model.parts.parts import Part, PartKind, PartQuery
from dibs.machines.model.parts.ports import Port, PortGroup
from dibs.machines.model.parts.volumes import VolumeConnector, VolumeTarget
from dibs.machines.tables import nodes, portgroups, ports, volume_connectors, volume_targets

COUNT_MAX = 10_000
"""Parts of one kind that a node may have at most when all of them are read."""


class PartTable:
    """The table of one kind of part."""

    def __init__(
        self, kind: PartKind, model: type[Part], table: Table, unique: Mapping[str, str], secret: Collection[str] = ()
    ) -> None:
        self.kind = kind
        self.model = model
        self.table = table
        self._columns = Columns(model, secret)
        self._stored = tuple(name for name in self._columns.names if name not in ("id", "node_uuid"))
        self._unique = {f"uq_{table.name}_{columns}": words for columns, words in unique.items()}
        self.select = select(
            nodes.c.uuid.label("node_uuid"), table.c.id, *(table.c[name] for name in self._stored)
        ).join(nodes, nodes.c.id == table.c.node_id)
        self._insert = (
            insert(table)
            .values(node_id=bindparam("node_id"), **{name: bindparam(name) for name in self._stored})
            .returning(table.c.id)
        )
        self._delete = delete_rows(table).where(table.c.id == bindparam("of_id"))

    def get(self, tx: Transaction, ident: str) -> Part | None:
        """Return a part by uuid, or by name when the kind has names."""
        if is_uuid(ident):
            row = tx.row(self._by_uuid, {"ident": ident.lower()})
        else:
            row = tx.row(self._by_name, {"ident": ident}) if "name" in self.table.c else None
        return self.part(tx, row) if row else None

    def of_node(self, tx: Transaction, node_id: int) -> list[Part]:
        """Return all parts of a node, oldest first."""
        return [self.part(tx, row) for row in tx.rows(self._by_node, {"ident": node_id})]

    def create(self, tx: Transaction, node_id: int, part: Part) -> Part:
        """Add a part; return it with its id."""
        values = self._columns.encode({name: getattr(part, name) for name in self._stored}, tx.vault)
        try:
            part_id = tx.values(self._insert, {"node_id": node_id, **values})[0]
        except Duplicate as error:
            raise self._meaning(error, part) from error
        return replace(part, id=part_id)

    def update(self, tx: Transaction, part: Part, now: int, node_id: int | None = None, **changes: Any) -> Part:
        """Change a part; with ``node_id`` move it to that node."""
        after = replace(part, **changes, updated_at=now)
        stored = {name: value for name, value in changes.items() if name != "node_uuid"}
        written = self._columns.encode(stored, tx.vault)
        written |= {"updated_at": now} if node_id is None else {"updated_at": now, "node_id": node_id}
        values = {f"new_{name}": value for name, value in written.items()}
        try:
            tx.change(_update(self.table, frozenset(written)), {"of_id": part.id, **values})
        except Duplicate as error:
            raise self._meaning(error, after) from error
        return after

    def delete(self, tx: Transaction, part: Part) -> None:
        """Delete a part."""
        tx.change(self._delete, {"of_id": part.id})

    def part(self, tx: Transaction, row: Mapping[str, Any]) -> Part:
        """Return the part of a row."""
        return self.model(**self._columns.decode(row, tx.vault))

    @cached_property
    def _by_uuid(self) -> Select[Any]:
        return self.select.where(self.table.c.uuid == bindparam("ident"))

    @cached_property
    def _by_name(self) -> Select[Any]:
        return self.select.where(self.table.c.name == bindparam("ident"))

    @cached_property
    def _by_node(self) -> Select[Any]:
        rows = self.select.where(self.table.c.node_id == bindparam("ident"))
        return rows.order_by(self.table.c.id).limit(COUNT_MAX)

    def _meaning(self, error: Duplicate, part: Part) -> Exception:
        words = self._unique.get(error.constraint or "")
        return error if words is None else PartExists(kind=self.kind.value, what=words.format(**asdict(part)))


_UUID = {"uuid": "UUID {uuid}"}
_PORT = {**_UUID, "address": "MAC address {address}", "name": "name {name}"}

TABLES: Mapping[PartKind, PartTable] = {
    table.kind: table
    for table in (
        PartTable(PartKind.PORT, Port, ports, _PORT),
        PartTable(PartKind.PORT_GROUP, PortGroup, portgroups, _PORT),
        PartTable(
            PartKind.VOLUME_CONNECTOR,
            VolumeConnector,
            volume_connectors,
            {**_UUID, "type_connector_id": "type {type} and connector ID {connector_id}"},
        ),
        PartTable(
            PartKind.VOLUME_TARGET,
            VolumeTarget,
            volume_targets,
            {**_UUID, "node_id_boot_index": "boot index '{boot_index}' for the same node"},
            # Properties may contain the password of the target.
            secret=("properties",),
        ),
    )
}

_IN_GROUP = select(ports.c.id).where(ports.c.portgroup_uuid == bindparam("of_uuid")).limit(1)


def page(tx: Transaction, query: PartQuery) -> paging.Page[Part] | None:
    """Return one page of parts; None when the marker does not exist."""
    table = TABLES[query.kind]
    row = tx.row(_select_marker(query.kind, query.sort_key), {"marker": query.marker}) if query.marker else None
    if query.marker is not None and row is None:
        return None
    asked = _values(query)

    def read(after: Row | None, count: int) -> list[Row]:
        marker, values = paging.marker_values(after, query.sort_key)
        return tx.rows(_page(_template(query), marker), {**asked, **values, "page_limit": count})

    return paging.read_page(read, row, query.limit, paging.marker_by(query.sort_key)).map(partial(table.part, tx))


def _values(query: PartQuery) -> dict[str, Any]:
    """Return the parameters of the filters."""
    values: dict[str, Any] = {}
    for name in ("node", "portgroup", "address"):
        if getattr(query, name) is not None:
            values[name] = getattr(query, name)
    if query.projects is not EVERY_PROJECT:
        values |= {f"project_{place}": project for place, project in enumerate(sorted(query.projects))}
    values |= {f"shard_{place}": shard for place, shard in enumerate(query.shards)}
    values |= {f"group_{place}": group for place, group in enumerate(query.conductor_groups)}
    return values


def group_has_ports(tx: Transaction, portgroup_uuid: str) -> bool:
    """Return True when a port belongs to the group."""
    return bool(tx.values(_IN_GROUP, {"of_uuid": portgroup_uuid}))


def _template(query: PartQuery) -> PartQuery:
    """Return the query without its values: one statement is built and cached for each."""
    return replace(
        query,
        node=None if query.node is None else "",
        portgroup=None if query.portgroup is None else "",
        address=None if query.address is None else "",
        projects=query.projects if query.projects is EVERY_PROJECT else frozenset(map(str, range(len(query.projects)))),
        shards=("",) * len(query.shards),
        conductor_groups=("",) * len(query.conductor_groups),
        limit=0,
        marker=None,
    )


@lru_cache(maxsize=500)
def _page(template: PartQuery, marker: str) -> Select[Any]:
    """Return the statement of a page; ``node`` and ``portgroup`` are uuids."""
    table = TABLES[template.kind].table
    statement = TABLES[template.kind].select
    if template.node is not None:
        statement = statement.where(nodes.c.uuid == bindparam("node"))
    if template.portgroup is not None:
        statement = statement.where(table.c.portgroup_uuid == bindparam("portgroup"))
    if template.address is not None:
        statement = statement.where(table.c.address == bindparam("address"))
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
    return paging.in_order(statement, table, template.sort_key, descending=template.descending, marker=marker)


@lru_cache(maxsize=200)
def _select_marker(kind: PartKind, sort_key: str) -> Select[Any]:
    return paging.select_marker(TABLES[kind].table, sort_key)


@lru_cache(maxsize=500)
def _update(table: Table, names: frozenset[str]) -> Update:
    values: dict[Any, Any] = {table.c[name]: bindparam(f"new_{name}") for name in sorted(names)}
    return update_rows(table).where(table.c.id == bindparam("of_id")).values(values)
