"""Bookable hosts and the properties that operators gave to them.

The provider of a host is locked before the host is changed. Inventories, traits and the node of a host are read from
the ledger each time, so there is nothing to synchronise.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Insert, Select, bindparam, case, func, insert, literal, or_, select, update
from sqlalchemy import delete as delete_rows

from dibs.database import sets
from dibs.database.transaction import Transaction
from dibs.leases.model.hosts import DISABLED_TRAIT, Host, HostDetails, HostNode
from dibs.leases.tables import host_properties, hosts
from dibs.ledger.model.inventories import Inventory
from dibs.ledger.queries import structure
from dibs.ledger.tables import inventories, provider_traits, providers, resource_classes
from dibs.machines.tables import holds, nodes

_RESERVED = providers.alias("reserved")
_COLUMNS = ("service_name", "availability_zone", "hypervisor_type", "hypervisor_version", "cpu_info")
_OWN = ("id", "name", "provider_id", "reservation_provider_id", *_COLUMNS, "created_at", "updated_at")
_HOST = (*_OWN, "provider", "reservation_provider")
_OF_NODE = ("uuid", "resource_class", "provision_state", "maintenance", "retired", "instance_uuid", "properties")
_NODE = (*_OF_NODE, "used_until", "claimed")
_SIZES = ("total", "reserved", "min_unit", "max_unit", "step_size", "allocation_ratio", "used")
_INVENTORY = ("resource_class", *_SIZES)
_ALL_DETAILS = HostDetails()
_CLAIMED = (
    select(literal(1)).where(inventories.c.provider_id == nodes.c.id, inventories.c.used > 0).limit(1).scalar_subquery()
)
_NODE_COLUMNS = (
    *(nodes.c[name] for name in _OF_NODE),
    # A conductor does not take the instance off a protected node.
    func.coalesce(holds.c.expires_at, case((nodes.c.protected == 0, nodes.c.instance_until))),
    _CLAIMED,
)
_SELECT = (
    # In the order of _HOST and _NODE: with many rows, a dictionary for each row would cost too much.
    select(
        *(hosts.c[name] for name in _OWN),
        providers.c.uuid,
        _RESERVED.c.uuid,
        *_NODE_COLUMNS,
    )
    .select_from(hosts)
    .join(providers, providers.c.id == hosts.c.provider_id)
    .join(_RESERVED, _RESERVED.c.id == hosts.c.reservation_provider_id)
    .outerjoin(nodes, nodes.c.id == hosts.c.provider_id)
    .outerjoin(holds, holds.c.node_id == hosts.c.provider_id)
    .order_by(hosts.c.id)
)
NODES = (
    select(hosts.c.id, *_NODE_COLUMNS)
    .join(nodes, nodes.c.id == hosts.c.provider_id)
    .outerjoin(holds, holds.c.node_id == nodes.c.id)
)
"""The ids of the hosts that are nodes, each with the columns that ``node_of`` takes."""
_OF_HOST = hosts.c.id == bindparam("of_id")
_INVENTORIES = select(hosts.c.id, resource_classes.c.name, *(inventories.c[name] for name in _SIZES)).select_from(
    hosts.join(inventories, inventories.c.provider_id == hosts.c.provider_id)
    .join(resource_classes, resource_classes.c.id == inventories.c.class_id)
    .outerjoin(nodes, nodes.c.id == hosts.c.provider_id)
)
_TRAIT = provider_traits.c.trait
_PROPERTIES = select(hosts.c.id, host_properties.c.name, host_properties.c.value).join(
    host_properties, host_properties.c.host_id == hosts.c.id
)
_INSERT = (
    insert(hosts)
    .values(
        {
            name: bindparam(name)
            for name in ("provider_id", "reservation_provider_id", "name", *_COLUMNS, "created_at", "updated_at")
        }
    )
    .returning(hosts.c.id)
)
_TOUCH = update(hosts).where(_OF_HOST).values(updated_at=bindparam("now"))
_RENAME = (
    update(hosts)
    .where(hosts.c.provider_id == bindparam("of_provider"))
    .values(name=bindparam("new_name"), service_name=bindparam("new_name"))
)
_CHILD = select(hosts.c.reservation_provider_id).where(hosts.c.provider_id == bindparam("of_provider"))
_DELETE = delete_rows(hosts).where(_OF_HOST)
_DELETE_PROPERTY = delete_rows(host_properties).where(
    host_properties.c.host_id == bindparam("of_host"), host_properties.c.name == bindparam("of_name")
)
_INSERT_PROPERTY = insert(host_properties).values(
    host_id=bindparam("of_host"), name=bindparam("of_name"), value=bindparam("new_value")
)


def every(tx: Transaction, details: HostDetails = _ALL_DETAILS) -> list[Host]:
    """Return every host with these details, the oldest first."""
    return _load(tx, None, details, {})


def some(tx: Transaction, host_ids: Sequence[int], details: HostDetails = _ALL_DETAILS) -> list[Host]:
    """Return the hosts with these ids that exist."""
    return [
        host for piece in sets.pieces(host_ids) for host in _load(tx, len(piece), details, sets.numbered("id", piece))
    ]


def bare(tx: Transaction, host_ids: Sequence[int]) -> list[Host]:
    """Return the hosts with these ids that exist, without inventories, properties and traits: in one statement."""
    return [
        _host(row, [], {}, set())
        for piece in sets.pieces(host_ids)
        for row in tx.tuples(_bare(len(piece)), sets.numbered("id", piece))
    ]


def get(tx: Transaction, host_id: int) -> Host | None:
    """Return one host; None when it does not exist."""
    found = some(tx, [host_id])
    return found[0] if found else None


def add(tx: Transaction, values: Mapping[str, Any]) -> int:
    """Add a host; return its id. Raise Duplicate when the provider is a host already."""
    structure.changed(tx, [values["provider_id"]])
    host_id: int = tx.values(_INSERT, values)[0]
    return host_id


def rename(tx: Transaction, provider_id: int, name: str) -> int | None:
    """Rename the host of a provider; return the id of its reservation provider, None when there is no host."""
    if not tx.change(_RENAME, {"of_provider": provider_id, "new_name": name}):
        return None
    structure.changed(tx, [provider_id])
    child_id: int = tx.values(_CHILD, {"of_provider": provider_id})[0]
    return child_id


def remove(tx: Transaction, host: Host) -> None:
    """Remove a host without bookings; its providers stay."""
    structure.changed(tx, [host.provider_id])
    tx.change(_DELETE, {"of_id": host.id})


def set_properties(tx: Transaction, host: Host, changes: Mapping[str, str | None], now: int) -> None:
    """Set properties of a host; None removes a property."""
    structure.changed(tx, [host.provider_id])
    tx.change(_TOUCH, {"of_id": host.id, "now": now})
    for name, value in changes.items():
        tx.change(_DELETE_PROPERTY, {"of_host": host.id, "of_name": name})
        if value is not None:
            tx.change(_INSERT_PROPERTY, {"of_host": host.id, "of_name": name, "new_value": value})


def add_properties(tx: Transaction, host_id: int, properties: Mapping[str, str]) -> None:
    """Set the properties of a host that has none."""
    for piece in sets.pieces(sorted(properties.items())):
        rows = [{"name": name, "value": value} for name, value in piece]
        tx.change(_insert_properties(len(piece)), {"of_host": host_id, **sets.columns(rows)})


def node_of(row: Sequence[Any]) -> HostNode | None:
    """Return the node of a host; None for a compute host."""
    if row[0] is None:
        return None
    own = dict(zip(_NODE, row, strict=True))
    flags = {name: bool(own[name]) for name in ("maintenance", "retired", "claimed")}
    return HostNode(**{**own, **flags, "properties": json.loads(own["properties"])})


def _load(tx: Transaction, count: int | None, details: HostDetails, values: Mapping[str, Any]) -> list[Host]:
    traits, classes = sorted({DISABLED_TRAIT, *(details.traits or ())}), sorted(details.classes or ())
    statements = _statements(
        count,
        None if details.traits is None else len(traits),
        None if details.classes is None else len(classes),
    )
    rows = tx.tuples(statements["hosts"], values)
    # A host that was added after the first statement is ignored by the others.
    inventory_rows: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for host_id, *inventory in tx.tuples(statements["inventories"], {**values, **sets.numbered("class", classes)}):
        inventory_rows[host_id].append(tuple(inventory))
    properties: dict[int, dict[str, str]] = defaultdict(dict)
    for host_id, name, value in tx.tuples(statements["properties"], values) if details.properties else ():
        properties[host_id][name] = value
    has: dict[int, set[str]] = defaultdict(set)
    for host_id, trait in tx.tuples(statements["traits"], {**values, **sets.numbered("trait", traits)}):
        has[host_id].add(trait)
    return [_host(row, inventory_rows[row[0]], properties[row[0]], has[row[0]]) for row in rows]


def _host(
    row: tuple[Any, ...], inventory_rows: list[tuple[Any, ...]], properties: dict[str, str], traits: set[str]
) -> Host:
    own = dict(zip(_HOST, row, strict=False))
    return Host(
        **own,
        inventories={each[0]: _inventory(own["provider"], each) for each in inventory_rows},
        properties=properties,
        traits=frozenset(traits),
        node=node_of(row[len(_HOST) :]),
    )


def _inventory(provider: str, row: tuple[Any, ...]) -> Inventory:
    return Inventory(provider=provider, **dict(zip(_INVENTORY, row, strict=True)))


@sets.cached
def _statements(count: int | None, traits: int | None, classes: int | None) -> dict[str, Select[Any]]:
    """Return the statements that read all hosts, or ``count`` hosts by id."""
    condition: tuple[ColumnElement[bool], ...] = (hosts.c.id.in_(sets.binds("id", count)),) if count else ()
    having = select(hosts.c.id, _TRAIT).join(provider_traits, provider_traits.c.provider_id == hosts.c.provider_id)
    statements: dict[str, Select[Any]] = {
        "hosts": _SELECT,
        "inventories": _INVENTORIES if classes is None else _INVENTORIES.where(_needed(classes)),
        "properties": _PROPERTIES.order_by(host_properties.c.host_id, host_properties.c.name),
        "traits": having if traits is None else having.where(_TRAIT.in_(sets.binds("trait", traits))),
    }
    return {name: statement.where(*condition) for name, statement in statements.items()}


def _needed(classes: int) -> ColumnElement[bool]:
    """Return the condition for the unit of a node, and for this number of classes of compute hosts."""
    named = (resource_classes.c.name.in_(sets.binds("class", classes)),) if classes else ()
    return or_(nodes.c.id.is_not(None), *named)


@sets.cached
def _bare(count: int) -> Select[Any]:
    return _SELECT.where(hosts.c.id.in_(sets.binds("id", count)))


@sets.cached
def _insert_properties(count: int) -> Insert:
    rows: list[dict[str, Any]] = [
        {
            "host_id": bindparam("of_host"),
            "name": bindparam(f"name_{position}"),
            "value": bindparam(f"value_{position}"),
        }
        for position in range(count)
    ]
    return insert(host_properties).values(rows)
