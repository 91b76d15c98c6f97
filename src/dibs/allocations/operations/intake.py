"""Where a dialect hands in allocations for a node, whether the conductor is in this process or in another.

``LocalIntake`` runs the use cases here and wakes the conductor of this process; ``rpc.intake`` calls a conductor
elsewhere. A dialect cannot tell which it has.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from dibs.access.access import Access
from dibs.allocations.model.allocations import Allocation
from dibs.allocations.operations.allocations import (
    CreateAllocation,
    GetAllocation,
    GetAllocationOfNode,
    create_allocation,
    delete_allocation,
    delete_allocation_of_node,
    new_allocation,
)
from dibs.database.runner import Runner
from dibs.database.transaction import Transaction
from dibs.errors import BadValue
from dibs.machines.model.conductors import Conductor
from dibs.machines.model.errors import NodeNotFound
from dibs.machines.queries import conductors, nodes


class AllocationIntake(Protocol):
    """Takes new allocations, and takes back what is no longer wanted."""

    def create(self, access: Access, command: CreateAllocation) -> Allocation:
        """Ask for a node; raises NoConductorAvailable when no conductor lives, with nothing written."""

    def delete(self, access: Access, command: GetAllocation) -> None:
        """Withdraw an allocation, or give its node back."""

    def delete_of_node(self, access: Access, command: GetAllocationOfNode) -> None:
        """Give a node back."""


class LocalIntake:
    """For a process that has a conductor, or belongs to a server that has one."""

    def __init__(self, runner: Runner, wake: Callable[[], None]) -> None:
        self._runner = runner
        self._wake = wake

    def create(self, access: Access, command: CreateAllocation) -> Allocation:
        """See AllocationIntake."""
        allocation = self._runner.write(create_allocation, access, command)
        self._wake()
        return allocation

    def delete(self, access: Access, command: GetAllocation) -> None:
        """See AllocationIntake. A node that becomes free may be what another allocation waits for."""
        self._runner.write(delete_allocation, access, command)
        self._wake()

    def delete_of_node(self, access: Access, command: GetAllocationOfNode) -> None:
        """See AllocationIntake."""
        self._runner.write(delete_allocation_of_node, access, command)
        self._wake()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListCallable:
    """The conductors that take calls."""


def list_callable(tx: Transaction, access: Access, now: int, command: ListCallable) -> list[Conductor]:
    """Those that live and take calls from other processes."""
    return [conductor for conductor in conductors.every(tx) if conductor.alive(now) and conductor.rpc_url is not None]


def settle_allocation(tx: Transaction, access: Access, now: int, command: CreateAllocation) -> CreateAllocation:
    """The same command once all is decided that only the caller's process can decide: it can travel, and be repeated.

    The guards have been asked, names have become uuids, and the allocation's own uuid is chosen.
    """
    fresh = str(uuid.uuid4())
    if command.node is None:
        chosen, node_uuid = command.uuid or fresh, None
    else:
        node = nodes.get(tx, command.node)
        try:
            if node is None:
                raise NodeNotFound(node=command.node)
            command.node_guard(node)
        except NodeNotFound as error:
            raise BadValue(reason=str(error)) from error
        chosen, node_uuid = command.uuid or node.instance_uuid or fresh, node.uuid
    # Whether the chosen uuid is free is not asked here, but when the allocation is written.
    draft = new_allocation(tx, now, command, fresh, command.resource_class)
    return replace(command, uuid=chosen, node=node_uuid, candidate_nodes=draft.candidate_nodes)
