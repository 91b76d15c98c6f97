"""Hosts that can be booked, and what operators say of them.

A host's provider is locked before the host is changed. What a host has is read from the ledger each time: its
inventory, its traits, and the node that it is, so there is nothing to keep in step.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Insert, Select, bindparam, insert, select, update
from sqlalchemy import delete as delete_rows

from dibs.domain.hosts import DISABLED_TRAIT, Host, HostNode
from dibs.domain.inventory import Inventory
from dibs.store import sets
from dibs.store.lease_tables import host_properties, hosts
from dibs.store.tables import holds, inventories, nodes, provider_traits, providers, resource_classes
from dibs.store.transaction import Transaction

_RESERVED = providers.alias("reserved")
_COLUMNS = ("service_name", "availability_zone", "hypervisor_type", "hypervisor_version", "cpu_info")
_NODE = ("resource_class", "provision_state", "maintenance", "retired", "instance_uuid", "properties")
_SIZES = ("total", "reserved", "min_unit", "max_unit", "step_size", "allocation_ratio", "used")
_SELECT = (
    select(
        hosts.c.id,
        hosts.c.name,
        hosts.c.provider_id,
        providers.c.uuid.label("provider"),
        hosts.c.reservation_provider_id,
        _RESERVED.c.uuid.label("reservation_provider"),
        *(hosts.c[name] for name in (*_COLUMNS, "created_at", "updated_at")),
        nodes.c.uuid.label("node_uuid"),
        *(nodes.c[name].label(f"node_{name}") for name in _NODE),
        holds.c.expires_at.label("node_hold_ends_at"),
    )
    .select_from(hosts)
    .join(providers, providers.c.id == hosts.c.provider_id)
    .join(_RESERVED, _RESERVED.c.id == hosts.c.reservation_provider_id)
    .outerjoin(nodes, nodes.c.id == hosts.c.provider_id)
    .outerjoin(holds, holds.c.node_id == hosts.c.provider_id)
    .order_by(hosts.c.id)
)
_OF_HOST = hosts.c.id == bindparam("of_id")
_INVENTORIES = select(
    hosts.c.id,
    providers.c.uuid.label("provider"),
    resource_classes.c.name.label("resource_class"),
    *(inventories.c[name] for name in _SIZES),
).select_from(
    hosts.join(inventories, inventories.c.provider_id == hosts.c.provider_id)
    .join(providers, providers.c.id == hosts.c.provider_id)
    .join(resource_classes, resource_classes.c.id == inventories.c.class_id)
)
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
_DELETE = delete_rows(hosts).where(_OF_HOST)
_DELETE_PROPERTY = delete_rows(host_properties).where(
    host_properties.c.host_id == bindparam("of_host"), host_properties.c.name == bindparam("of_name")
)
_INSERT_PROPERTY = insert(host_properties).values(
    host_id=bindparam("of_host"), name=bindparam("of_name"), value=bindparam("new_value")
)


def every(tx: Transaction, traits: Sequence[str] = ()) -> list[Host]:
    """Every host, the oldest first, with those of the named traits that it has."""
    return _load(tx, None, traits, {})


def some(tx: Transaction, host_ids: Sequence[int], traits: Sequence[str] = ()) -> list[Host]:
    """Those of several hosts that exist."""
    return [
        host for piece in sets.pieces(host_ids) for host in _load(tx, len(piece), traits, sets.numbered("id", piece))
    ]


def get(tx: Transaction, host_id: int, traits: Sequence[str] = ()) -> Host | None:
    """One host."""
    found = some(tx, [host_id], traits)
    return found[0] if found else None


def add(tx: Transaction, values: Mapping[str, Any]) -> int:
    """Add a host; returns its number. Duplicate when its provider is one already."""
    host_id: int = tx.values(_INSERT, values)[0]
    return host_id


def touch(tx: Transaction, host_id: int, now: int) -> None:
    """Note that a host was changed."""
    tx.change(_TOUCH, {"of_id": host_id, "now": now})


def remove(tx: Transaction, host_id: int) -> None:
    """Remove a host that nobody has booked; its providers stay."""
    tx.change(_DELETE, {"of_id": host_id})


def set_properties(tx: Transaction, host_id: int, changes: Mapping[str, str | None]) -> None:
    """Say something else of a host; None says nothing more."""
    for name, value in changes.items():
        tx.change(_DELETE_PROPERTY, {"of_host": host_id, "of_name": name})
        if value is not None:
            tx.change(_INSERT_PROPERTY, {"of_host": host_id, "of_name": name, "new_value": value})


def add_properties(tx: Transaction, host_id: int, properties: Mapping[str, str]) -> None:
    """Say something of a host of which nothing was said."""
    for piece in sets.pieces(sorted(properties.items())):
        rows = [{"name": name, "value": value} for name, value in piece]
        tx.change(_insert_properties(len(piece)), {"of_host": host_id, **sets.columns(rows)})


def _load(tx: Transaction, count: int | None, traits: Sequence[str], values: Mapping[str, Any]) -> list[Host]:
    asked = sorted({DISABLED_TRAIT, *traits})
    statements = _statements(count, len(asked))
    rows = tx.rows(statements["hosts"], values)
    # A host that came after the first statement is in none of these.
    stocks: dict[int, dict[str, Inventory]] = defaultdict(dict)
    for row in tx.rows(statements["inventories"], values):
        host_id = row.pop("id")
        stocks[host_id][row["resource_class"]] = Inventory(**row)
    properties: dict[int, dict[str, str]] = defaultdict(dict)
    for host_id, name, value in tx.tuples(statements["properties"], values):
        properties[host_id][name] = value
    has: dict[int, set[str]] = defaultdict(set)
    for host_id, trait in tx.tuples(statements["traits"], {**values, **sets.numbered("trait", asked)}):
        has[host_id].add(trait)
    return [_host(row, stocks[row["id"]], properties[row["id"]], has[row["id"]]) for row in rows]


def _host(row: dict[str, Any], stock: dict[str, Inventory], properties: dict[str, str], traits: set[str]) -> Host:
    of_node = {name: row.pop(f"node_{name}") for name in ("uuid", *_NODE, "hold_ends_at")}
    node = None
    if of_node["uuid"] is not None:
        flags = {name: bool(of_node[name]) for name in ("maintenance", "retired")}
        node = HostNode(**{**of_node, **flags, "properties": json.loads(of_node["properties"])})
    return Host(**row, stock=stock, properties=properties, traits=frozenset(traits), node=node)


@cache
def _statements(count: int | None, traits: int) -> dict[str, Select[Any]]:
    """How to read all hosts, or so many of them by number."""
    condition: tuple[ColumnElement[bool], ...] = (hosts.c.id.in_(sets.binds("id", count)),) if count else ()
    having = (
        select(hosts.c.id, provider_traits.c.trait)
        .join(provider_traits, provider_traits.c.provider_id == hosts.c.provider_id)
        .where(provider_traits.c.trait.in_(sets.binds("trait", traits)))
    )
    statements: dict[str, Select[Any]] = {
        "hosts": _SELECT,
        "inventories": _INVENTORIES,
        "properties": _PROPERTIES.order_by(host_properties.c.host_id, host_properties.c.name),
        "traits": having,
    }
    return {name: statement.where(*condition) for name, statement in statements.items()}


@cache
def _insert_properties(count: int) -> Insert:
    rows: list[dict[str, Any]] = [
        {"host_id": bindparam("of_host"), "name": bindparam(f"name_{place}"), "value": bindparam(f"value_{place}")}
        for place in range(count)
    ]
    return insert(host_properties).values(rows)
