"""Write nodes: the row, its provider, and the event that a node may be free."""

from collections.abc import Mapping, Sequence
from typing import Any

from dibs.database.transaction import Transaction
from dibs.ledger.model.events import CAPACITY_FREED
from dibs.ledger.operations.guards import guards
from dibs.machines.model.nodes import Node, is_free
from dibs.machines.operations.guards import node_guards
from dibs.machines.queries import nodes


def add_node(tx: Transaction, now: int, values: Mapping[str, Any]) -> Node:
    """Add a node with its provider and the one unit of its class."""
    node = nodes.create(tx, now, values)
    _announce(tx, node)
    return node


def save_node(tx: Transaction, node: Node, now: int, **changes: Any) -> Node:
    """Change a locked node, and its provider where that follows; return the changed node.

    Another instance, or none, does not leave when the former one would have left.
    """
    if changes.get("instance_uuid", node.instance_uuid) != node.instance_uuid:
        changes.setdefault("instance_until", None)
    after = nodes.update(tx, node, now, **changes)
    if after.name != node.name:
        for guard in guards(tx):
            guard.provider_renamed(tx, node.id, after.name or after.uuid)
    if after.maintenance and not node.maintenance:
        for node_guard in node_guards(tx):
            node_guard.node_lost(tx, after)
    _announce(tx, after)
    return after


def save_instances(tx: Transaction, now: int, given: Sequence[tuple[Node, Mapping[str, Any]]]) -> list[Node]:
    """Change what locked nodes say about their instances, of one node or of many in one statement."""
    if len(given) == 1:
        ((node, changes),) = given
        return [save_node(tx, node, now, **changes)]
    return nodes.update_many(tx, now, given)


def _announce(tx: Transaction, node: Node) -> None:
    if is_free(node):
        tx.publish(CAPACITY_FREED)
