"""Hooks of machines: what packages above add to operations on nodes, and what machines add to the ledger."""

from collections.abc import Mapping, Sequence
from typing import Any

from dibs.database.transaction import Transaction
from dibs.ledger.model.errors import ProviderOwnedByNode
from dibs.ledger.model.providers import Provider
from dibs.ledger.operations.guards import LedgerGuard, ReleasedClaim
from dibs.machines.model.driver import Driver, check_boot_device, check_settings, find_driver
from dibs.machines.model.errors import NodeAssociated
from dibs.machines.model.nodes import Node
from dibs.machines.queries import holds, nodes


class NodeGuard:
    """Checks and reactions of one package above machines. The node is locked; a check raises to refuse."""

    def check_instances(self, tx: Transaction, instances: Sequence[tuple[Node, str | None]]) -> None:
        """Check that each instance may have its node; None stands for a deployment without an instance."""

    def check_hold(self, tx: Transaction, node: Node, until: int) -> None:
        """Check that the node may be held until a moment."""

    def check_properties(self, tx: Transaction, node: Node, after: Node) -> None:
        """Check that the node's properties may change."""

    def check_class_change(self, tx: Transaction, node: Node) -> None:
        """Check that the node's resource class may change."""

    def reserves_instance(self, tx: Transaction, instance_uuid: str) -> bool:
        """Return True when the uuid is reserved for an instance of this package, so that no hold may use it."""
        return False

    def allocations_of(self, tx: Transaction, node_ids: Sequence[int]) -> Mapping[int, str]:
        """Return the uuid of the allocation that has each of these nodes."""
        return {}

    def instance_removed(self, tx: Transaction, node: Node) -> None:
        """React to a client that removes the instance from the node; may refuse."""

    def node_deleted(self, tx: Transaction, node: Node) -> None:
        """React to the deletion of a node with an instance, before its row is gone."""

    def node_lost(self, tx: Transaction, node: Node) -> None:
        """React to a node that goes out of service: into maintenance, by an operator or because its work failed."""

    def kept_after_teardown(self, tx: Transaction, node: Node) -> Mapping[str, Any] | None:
        """React to the end of a teardown: return the changes of a node that keeps its instance, None otherwise."""
        return None


def node_guards(tx: Transaction) -> tuple[NodeGuard, ...]:
    """Return the registered guards of nodes."""
    return tx.hooks.every(NodeGuard)


class NodeDrivers:
    """The drivers of this process, for operations that must know whether a driver accepts a node's settings."""

    def __init__(self, drivers: Mapping[str, Driver]) -> None:
        self.by_name = drivers

    def check_settings(self, node: Node, verb: str) -> None:
        """Check that the settings of a node allow a provision verb, or ``power``."""
        check_settings(find_driver(self.by_name, node.driver), node, verb)

    def check_boot_device(self, node: Node, device: str) -> None:
        """Check that the driver of a node can boot from a device."""
        check_boot_device(find_driver(self.by_name, node.driver), device)


def node_drivers(tx: Transaction) -> NodeDrivers:
    """Return the registered drivers."""
    return tx.hooks.every(NodeDrivers)[0]


class NodeLedgerGuard(LedgerGuard):
    """Keeps claims, providers and classes consistent with the nodes that own them."""

    def check_release(self, tx: Transaction, released: Sequence[ReleasedClaim]) -> None:
        """Refuse to release the unit of a node that still has the instance.

        Otherwise another consumer could claim a running machine. Removing the instance from the node releases it.
        """
        found = nodes.instances_on(tx, sorted({each.provider_id for each in released}))
        for each in released:
            node, instance = found.get(each.provider_id, ("", None))
            if instance == each.consumer:
                raise NodeAssociated(node=node, instance=instance)

    def claims_released(self, tx: Transaction, provider_ids: Sequence[int]) -> None:
        """End the holds on these nodes: a held node has no other claim than its hold's."""
        holds.remove_from(tx, provider_ids)

    def check_ownership(self, tx: Transaction, changed: Sequence[Provider]) -> None:
        """Refuse to change a node through its provider."""
        owners = nodes.names_of(tx, sorted(provider.id for provider in changed))
        for provider in changed:
            if provider.id in owners:
                raise ProviderOwnedByNode(provider=provider.uuid, node=owners[provider.id])

    def check_class_rename(self, tx: Transaction, class_id: int, name: str) -> None:
        """Refuse to rename the class of a node."""
        node = nodes.with_class(tx, class_id)
        if node is not None:
            raise ProviderOwnedByNode(provider=node, node=node)
