"""Checks and reactions of allocations to operations on nodes."""

from collections.abc import Mapping, Sequence
from typing import Any

from dibs.allocations.model.allocations import check_removable
from dibs.allocations.model.events import node_lost_event
from dibs.allocations.queries import allocations, quota_uses
from dibs.database.transaction import Transaction
from dibs.machines.model.nodes import Node
from dibs.machines.operations.guards import NodeGuard
from dibs.quotas.model.uses import Queued
from dibs.quotas.operations.sources import UsageSource


class QueueUsage(UsageSource):
    """The allocations of projects that have no node yet, for their quotas."""

    def queued(self, tx: Transaction, projects: Sequence[str]) -> list[Queued]:
        """See UsageSource."""
        return quota_uses.queued(tx, projects)


class AllocationNodeGuard(NodeGuard):
    """Keeps allocations consistent with the nodes that they have."""

    def reserves_instance(self, tx: Transaction, instance_uuid: str) -> bool:
        """Return True for the uuid of an allocation: its node will carry it as its instance."""
        return allocations.get(tx, instance_uuid) is not None

    def allocations_of(self, tx: Transaction, node_ids: Sequence[int]) -> Mapping[int, str]:
        """Return the uuid of the allocation that has each of these nodes."""
        return allocations.of_nodes(tx, node_ids)

    def instance_removed(self, tx: Transaction, node: Node) -> None:
        """End the allocation whose instance an operator takes off the node.

        Quirk: the traits of the allocation stay in instance_info, as in Ironic (contract sample 227).
        """
        allocation = allocations.of_node(tx, node.id)
        if allocation is not None:
            check_removable(node, allocation)
            allocations.delete(tx, allocation)

    def node_deleted(self, tx: Transaction, node: Node) -> None:
        """Delete the allocation that has the node."""
        allocation = allocations.of_node(tx, node.id)
        if allocation is not None:
            allocations.delete(tx, allocation)

    def node_lost(self, tx: Transaction, node: Node) -> None:
        """Tell the project of the allocation that its node is out of service."""
        allocation = allocations.of_node(tx, node.id) if node.instance_uuid is not None else None
        if allocation is not None:
            tx.record(node_lost_event(allocation, node.maintenance_reason))

    def kept_after_teardown(self, tx: Transaction, node: Node) -> Mapping[str, Any] | None:
        """End the allocation of a node that was torn down; a sticky one keeps the node for the next deployment."""
        allocation = allocations.of_node(tx, node.id)
        if allocation is None:
            return None
        if not allocation.sticky:
            allocations.delete(tx, allocation)
            return None
        info = {"traits": list(allocation.traits)} if allocation.traits else {}
        return {"instance_name": None, "instance_info": info}
