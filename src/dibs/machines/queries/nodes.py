"""Nodes. Each is written together with its provider, so that the two stay consistent (law 2 of the ledger)."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Select, Update, bindparam, func, insert, or_, select
from sqlalchemy import update as update_rows

from dibs.database import sets
from dibs.database.columns import WRITTEN_BYTES_MAX, Columns
from dibs.database.transaction import Again, Duplicate, Transaction
from dibs.ledger.model.errors import ProviderExists
from dibs.ledger.queries import providers
from dibs.ledger.tables import inventories
from dibs.ledger.tables import providers as provider_rows
from dibs.machines.model.errors import InstanceAssociated, NodeExists, WrongState
from dibs.machines.model.events import node_event, parent_removed_event
from dibs.machines.model.nodes import Node, is_uuid
from dibs.machines.tables import conductors, nodes

COLUMNS = Columns(Node, secret=("driver_info", "instance_info"))

_SELECT = select(*(nodes.c[name] for name in COLUMNS.names))
_BY_UUID = _SELECT.where(nodes.c.uuid == bindparam("ident"))
_BY_NAME = _SELECT.where(nodes.c.name == bindparam("ident"))
_BY_ID = _SELECT.where(nodes.c.id == bindparam("ident"))
_WITH_INSTANCE = _SELECT.where(nodes.c.instance_uuid == bindparam("ident"))
_WITH_CLASS = (
    select(nodes.c.uuid)
    .join(inventories, inventories.c.provider_id == nodes.c.id)
    .where(inventories.c.class_id == bindparam("of_id"))
    .limit(1)
)
_INSERT = insert(nodes).values({name: bindparam(name) for name in COLUMNS.names})
_PLAIN_PROVIDER = (
    select(provider_rows.c.uuid, provider_rows.c.name)
    .outerjoin(nodes, nodes.c.id == provider_rows.c.id)
    .where(or_(provider_rows.c.uuid == bindparam("of_uuid"), provider_rows.c.name == bindparam("of_name")))
    .where(nodes.c.id.is_(None))
    .order_by(provider_rows.c.id)
)
_CHILDREN = select(nodes.c.uuid, nodes.c.owner).where(nodes.c.parent_node == bindparam("of_uuid")).order_by(nodes.c.id)
_FORGET_PARENT = update_rows(nodes).where(nodes.c.parent_node == bindparam("of_uuid")).values(parent_node=None)
_CONDUCTOR_NAME = select(conductors.c.hostname).where(conductors.c.id == bindparam("of_id"))


def get(tx: Transaction, ident: str) -> Node | None:
    """Return a node by uuid or name."""
    row = tx.row(_BY_UUID, {"ident": ident.lower()}) if is_uuid(ident) else tx.row(_BY_NAME, {"ident": ident})
    return _node(tx, row) if row else None


def get_many(tx: Transaction, idents: Sequence[str]) -> dict[str, Node]:
    """Return those of several nodes that exist, by the uuid or name in ``idents``."""
    found: dict[str, Node] = {}
    uuids = {ident.lower(): ident for ident in idents if is_uuid(ident)}
    names = {ident: ident for ident in idents if not is_uuid(ident)}
    for column, asked in (("uuid", uuids), ("name", names)):
        for piece in sets.pieces(list(asked)):
            for row in tx.rows(_many(column, len(piece)), sets.numbered("ident", piece)):
                found[asked[row[column]]] = _node(tx, row)
    return found


def get_by_id(tx: Transaction, node_id: int) -> Node | None:
    """Return a node by row id."""
    row = tx.row(_BY_ID, {"ident": node_id})
    return _node(tx, row) if row else None


def with_instance(tx: Transaction, instance_uuid: str) -> Node | None:
    """Return the node of an instance."""
    row = tx.row(_WITH_INSTANCE, {"ident": instance_uuid})
    return _node(tx, row) if row else None


def lock(tx: Transaction, ident: str, now: int) -> Node | None:
    """Lock a node by uuid or name until the transaction ends, and return it."""
    if is_uuid(ident):
        return get(tx, ident) if providers.lock(tx, ident.lower(), now) else None
    # The name may move before the lock is held: read again under the lock, and compare.
    named = get(tx, ident)
    locked = lock(tx, named.uuid, now) if named else None
    if named and (locked is None or locked.name != ident):
        raise Again
    return locked


def lock_many(tx: Transaction, uuids: Sequence[str], now: int) -> dict[str, Node]:
    """Lock nodes in the order of their ids until the transaction ends; return those that exist, by uuid."""
    if len(uuids) == 1:
        # A single lock needs no order, and so no ids.
        node = lock(tx, uuids[0], now)
        return {} if node is None else {node.uuid: node}
    providers.lock_many(tx, providers.ids_of(tx, uuids).values(), now)
    return get_many(tx, uuids)


def create(tx: Transaction, now: int, values: Mapping[str, Any]) -> Node:
    """Add a node, its provider, and the one unit of its class."""
    uuid, name = values["uuid"], values.get("name")
    _require_no_plain_provider(tx, uuid, name or uuid)
    try:
        node_id = providers.insert_provider(tx, uuid, name or uuid, now)
        node = Node(**{"created_at": now, **values, "id": node_id})
        values_of_node = {attribute: getattr(node, attribute) for attribute in COLUMNS.names}
        tx.change(_INSERT, COLUMNS.encode(values_of_node, tx.vault))
    except Duplicate as error:
        raise _meaning(error, uuid, values) from error
    if node.inventory_class:
        providers.offer_one_unit(tx, node_id, node.inventory_class, reserved=node.units_reserved, now=now)
    tx.record(node_event(None, node))
    return node


def update(tx: Transaction, node: Node, now: int, **changes: Any) -> Node:
    """Change a locked node, and its provider where that follows; return the changed node."""
    after = replace(node, **changes, updated_at=now)
    written = {**changes, "updated_at": now}
    values = {f"new_{name}": value for name, value in COLUMNS.encode(written, tx.vault).items()}
    try:
        tx.change(_update(frozenset(written)), {"of_id": node.id, **values})
        _keep_provider_in_step(tx, now, node, after)
    except Duplicate as error:
        if error.constraint == "uq_providers_name":
            # No node has the name: the constraint of nodes would have failed first.
            raise ProviderExists(field="name", value=after.name or after.uuid) from error
        raise _meaning(error, node.uuid, changes) from error
    tx.record(node_event(node, after))
    return after


def update_many(tx: Transaction, now: int, changed: Sequence[tuple[Node, Mapping[str, Any]]]) -> list[Node]:
    """Change the same attributes of locked nodes, each to its own values, in one statement; return the changed nodes.

    The caller changes nothing that a provider follows: neither name nor class nor whether the node can be deployed.
    """
    names = frozenset(name for node, changes in changed for name, new in changes.items() if getattr(node, name) != new)
    rows = [COLUMNS.encode({name: changes[name] for name in names}, tx.vault) for _, changes in changed]
    if sum(len(value) for row in rows for value in row.values() if isinstance(value, str)) > WRITTEN_BYTES_MAX:
        return [update(tx, node, now, **changes) for node, changes in changed]
    values = sets.columns([{"id": node.id, **row} for (node, _), row in zip(changed, rows, strict=True)])
    try:
        tx.change(_update_many(names, len(changed)), {**values, "now": now})
    except Duplicate as error:
        # The constraint does not say which of the nodes it concerns.
        raise _meaning(error, changed[0][0].uuid, changed[0][1]) from error
    after = [replace(node, **changes, updated_at=now) for node, changes in changed]
    for (node, _), changed_node in zip(changed, after, strict=True):
        tx.record(node_event(node, changed_node))
    return after


def delete(tx: Transaction, node: Node) -> None:
    """Delete a locked node with its provider, traits, ports and task."""
    providers.delete_provider(tx, node.id)
    tx.record(node_event(node, None))


def instances_on(tx: Transaction, node_ids: Sequence[int]) -> dict[int, tuple[str, str | None]]:
    """Return uuid and instance of those of the providers that are nodes."""
    return {
        row_id: (uuid, instance)
        for piece in sets.pieces(node_ids)
        for row_id, uuid, instance in tx.tuples(_instances(len(piece)), sets.numbered("id", piece))
    }


def names_of(tx: Transaction, provider_ids: Sequence[int]) -> dict[int, str]:
    """Return the name or uuid of those of the providers that are nodes."""
    return {
        row_id: name
        for piece in sets.pieces(provider_ids)
        for row_id, name in tx.tuples(_names(len(piece)), sets.numbered("id", piece))
    }


def with_class(tx: Transaction, class_id: int) -> str | None:
    """Return the uuid of a node that offers a unit of this class; None when there is none."""
    found: list[str] = tx.values(_WITH_CLASS, {"of_id": class_id})
    return found[0] if found else None


def forget_parent(tx: Transaction, node: Node) -> None:
    """Clear the parent of the children of a locked node."""
    children = tx.tuples(_CHILDREN, {"of_uuid": node.uuid})
    if children:
        tx.change(_FORGET_PARENT, {"of_uuid": node.uuid})
    for child, owner in children:
        tx.record(parent_removed_event(child, owner, node.uuid))


def conductor_name(tx: Transaction, node: Node) -> str | None:
    """Return the name of the conductor that runs the tasks of the node."""
    found = tx.values(_CONDUCTOR_NAME, {"of_id": node.conductor_id}) if node.conductor_id else []
    return found[0] if found else None


def _require_no_plain_provider(tx: Transaction, uuid: str, name: str) -> None:
    """Raise ProviderExists when a provider that is no node has the uuid or name.

    A violated constraint could not tell it from a node.
    """
    taken = tx.row(_PLAIN_PROVIDER, {"of_uuid": uuid, "of_name": name})
    if taken:
        field = "uuid" if taken["uuid"] == uuid else "name"
        raise ProviderExists(field=field, value=taken[field])


def _keep_provider_in_step(tx: Transaction, now: int, before: Node, after: Node) -> None:
    if after.name != before.name:
        providers.rename(tx, after.id, after.name or after.uuid)
    if after.inventory_class != before.inventory_class:
        if before.inventory_class and not providers.withdraw_unit(tx, after.id):
            raise WrongState(
                reason=f"Node {after.uuid} can not have resource_class updated while its unit of "
                f"{before.inventory_class} is claimed."
            )
        if after.inventory_class:
            providers.offer_one_unit(tx, after.id, after.inventory_class, reserved=after.units_reserved, now=now)
    elif after.units_reserved != before.units_reserved and after.inventory_class:
        providers.reserve_unit(tx, after.id, after.units_reserved)
    else:
        return
    providers.bump_generation(tx, after.id, now)


@sets.cached
def _names(count: int) -> Select[Any]:
    return select(nodes.c.id, func.coalesce(nodes.c.name, nodes.c.uuid)).where(nodes.c.id.in_(sets.binds("id", count)))


@sets.cached
def _instances(count: int) -> Select[Any]:
    columns = (nodes.c.id, nodes.c.uuid, nodes.c.instance_uuid)
    return select(*columns).where(nodes.c.id.in_(sets.binds("id", count)))


@sets.cached
def _many(column: str, count: int) -> Select[Any]:
    return _SELECT.where(nodes.c[column].in_(sets.binds("ident", count)))


@lru_cache(maxsize=512)
def _update(names: frozenset[str]) -> Update:
    """Return the statement for a set of columns; few sets occur."""
    values: dict[Any, Any] = {nodes.c[name]: bindparam(f"new_{name}") for name in sorted(names)}
    return update_rows(nodes).where(nodes.c.id == bindparam("of_id")).values(values)


@sets.cached
def _update_many(names: frozenset[str], count: int) -> Update:
    values: dict[Any, Any] = {
        nodes.c[name]: sets.by_key(nodes.c.id, "id", name, count, nodes.c[name].type) for name in sorted(names)
    }
    changed = update_rows(nodes).where(nodes.c.id.in_(sets.binds("id", count)))
    return changed.values({**values, nodes.c.updated_at: bindparam("now")})


def _meaning(error: Duplicate, uuid: str, values: Mapping[str, Any]) -> Exception:
    """Return the error for a violated constraint."""
    if error.constraint == "uq_nodes_instance_uuid":
        return InstanceAssociated(instance=values["instance_uuid"], node=uuid)
    if error.constraint in ("uq_nodes_name", "uq_providers_name") and values.get("name"):
        return NodeExists(field="name", value=values["name"])
    # The provider of a node without a name is called by its uuid.
    if error.constraint in ("uq_nodes_uuid", "uq_providers_uuid", "uq_providers_name"):
        return NodeExists(field="UUID", value=uuid)
    return error


def _node(tx: Transaction, row: Mapping[str, Any]) -> Node:
    return Node(**COLUMNS.decode(row, tx.vault))
