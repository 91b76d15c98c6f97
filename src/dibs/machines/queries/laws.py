"""Read what the laws of nodes compare: nodes, their units, their holders and their tasks."""

from collections import defaultdict
from typing import Any

from sqlalchemy import or_, select

from dibs.database.laws import Page, pages_of, within
from dibs.database.transaction import Row, Transaction
from dibs.ledger.tables import claims, consumers, inventories, providers, resource_classes
from dibs.machines.model.nodes import Node
from dibs.machines.queries.nodes import COLUMNS
from dibs.machines.tables import conductors, holds, node_tasks, nodes

nodes_page = pages_of(nodes.c.id)

_NODES = (
    select(*(nodes.c[name] for name in COLUMNS.names if name not in COLUMNS.secret))
    .where(within(nodes.c.id))
    .order_by(nodes.c.id)
)
_IN_PAGE = within(nodes.c.id)
_STRANGERS = (
    select(nodes.c.uuid, providers.c.uuid.label("provider"), providers.c.name.label("provider_name"))
    .join(providers, providers.c.id == nodes.c.id)
    .where(_IN_PAGE)
    .where(
        or_(
            nodes.c.uuid != providers.c.uuid,
            nodes.c.name.is_not(None) & (nodes.c.name != providers.c.name),
            nodes.c.name.is_(None) & (nodes.c.uuid != providers.c.name),
        )
    )
)
_UNITS = (
    select(nodes.c.id, resource_classes.c.name, inventories.c.total, inventories.c.reserved)
    .join(inventories, inventories.c.provider_id == nodes.c.id)
    .join(resource_classes, resource_classes.c.id == inventories.c.class_id)
    .where(_IN_PAGE)
    .order_by(resource_classes.c.name)
)
_HOLDERS = (
    select(nodes.c.id, consumers.c.uuid)
    .join(claims, claims.c.provider_id == nodes.c.id)
    .join(consumers, consumers.c.id == claims.c.consumer_id)
    .where(_IN_PAGE)
    .order_by(consumers.c.uuid)
)
_HOLDS = select(holds.c.node_id, holds.c.instance_uuid).where(within(holds.c.node_id))
_TASKS = (
    select(node_tasks.c.node_id, node_tasks.c.work, conductors.c.hostname)
    .join(conductors, conductors.c.id == node_tasks.c.conductor_id)
    .where(within(node_tasks.c.node_id))
)


def nodes_of(tx: Transaction, page: Page) -> list[Node]:
    """Return the nodes of a page."""
    # No law is about secrets, which may be encrypted.
    without = dict.fromkeys(COLUMNS.secret, "{}")
    return [Node(**COLUMNS.decode({**row, **without})) for row in tx.rows(_NODES, page.binds)]


def with_another_provider(tx: Transaction, page: Page) -> list[Row]:
    """Return the nodes whose provider has another uuid or name."""
    return tx.rows(_STRANGERS, page.binds)


def units(tx: Transaction, page: Page) -> dict[int, list[tuple[str, int, int]]]:
    """Return class, total and reserved of each inventory of the nodes of a page."""
    return _by_node(
        (node_id, (name, total, reserved)) for node_id, name, total, reserved in tx.tuples(_UNITS, page.binds)
    )


def holders(tx: Transaction, page: Page) -> dict[int, list[str]]:
    """Return the consumers that have claimed each node of a page."""
    return _by_node((node_id, consumer) for node_id, consumer in tx.tuples(_HOLDERS, page.binds))


def held_for(tx: Transaction, page: Page) -> dict[int, str]:
    """Return the instance for which a reservation holds each node."""
    return dict(tx.tuples(_HOLDS, page.binds))


def tasks(tx: Transaction, page: Page) -> dict[int, tuple[str, str]]:
    """Return the work and the conductor of the task of each node."""
    return {node_id: (work, conductor) for node_id, work, conductor in tx.tuples(_TASKS, page.binds)}


def _by_node(pairs: Any) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = defaultdict(list)
    for node_id, value in pairs:
        found[node_id].append(value)
    return found
