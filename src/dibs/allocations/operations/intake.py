"""Create and delete allocations for dialects, whether the conductor is in this process or in another.

``LocalIntake`` runs the operations here and wakes the conductor of this process; ``dibs.rpc.intake`` calls a conductor
elsewhere. Both check the caller's access in the operation, and a dialect cannot tell which one it has.
"""

import logging
import random
import uuid
from collections.abc import Callable
from typing import Protocol

from msgspec.structs import replace

from dibs.access.access import Access
from dibs.allocations.model.access import check_owner
from dibs.allocations.model.allocations import ALLOCATING, Allocation
from dibs.allocations.operations.allocations import delete_allocation, delete_allocation_of_node
from dibs.allocations.operations.creating import (
    CreateAllocation,
    choose_live_conductor,
    create_allocation,
    find_candidates,
)
from dibs.allocations.operations.matching import FindNode, find_node
from dibs.database.runner import Runner
from dibs.database.transaction import Transaction
from dibs.machines.model.access import check_named_node
from dibs.machines.model.conductors import Conductor
from dibs.machines.model.errors import InstanceAssociated, NodeClaimed
from dibs.machines.queries import conductors, nodes
from dibs.quotas.model.errors import QuotaExceeded

logger = logging.getLogger(__name__)


class AllocationIntake(Protocol):
    """Creates and deletes allocations for a dialect."""

    def create(self, access: Access, command: CreateAllocation) -> Allocation:
        """Create an allocation; raise NoConductorAvailable, with nothing written, when no conductor is alive."""

    def delete(self, access: Access, ident: str) -> None:
        """Delete an allocation by uuid or name, and release its node."""

    def delete_of_node(self, access: Access, node: str) -> None:
        """Delete the allocation of a node, by the node's uuid or name, and release the node."""


class LocalIntake:
    """The intake of a process that has a conductor, or whose server has one."""

    def __init__(self, runner: Runner, wake: Callable[[], None]) -> None:
        self._runner = runner
        self._wake = wake

    def create(self, access: Access, command: CreateAllocation) -> Allocation:
        """See AllocationIntake."""
        allocation = create_at_once(self._runner, access, command)
        if allocation.state == ALLOCATING:
            self._wake()
        return allocation

    def delete(self, access: Access, ident: str) -> None:
        """See AllocationIntake. The released node may be the one that another allocation waits for."""
        self._runner.write(delete_allocation, access, ident)
        self._wake()

    def delete_of_node(self, access: Access, node: str) -> None:
        """See AllocationIntake."""
        self._runner.write(delete_allocation_of_node, access, node)
        self._wake()


def create_at_once(
    runner: Runner, access: Access, command: CreateAllocation, deadline: int | None = None
) -> Allocation:
    """Create an allocation with a free node in one transaction if there is one, and in the queue otherwise."""
    node = runner.read(find_node, access, FindNode(command=command, point=random.random()))  # noqa: S311 - no secret
    if node is not None:
        try:
            return runner.write(create_allocation, access, replace(command, chosen=node), deadline=deadline)
        except (InstanceAssociated, NodeClaimed, QuotaExceeded) as error:
            logger.debug("the queue decides about an allocation: %s", error)
    return runner.write(create_allocation, access, command, deadline=deadline)


def list_callable_conductors(tx: Transaction, access: Access, now: int, command: None) -> list[Conductor]:
    """Return the live conductors that take calls from other processes."""
    return [conductor for conductor in conductors.every(tx) if conductor.alive(now) and conductor.rpc_url is not None]


def prepare_to_send(tx: Transaction, access: Access, now: int, command: CreateAllocation) -> CreateAllocation:
    """Return the command with a uuid of its own and with uuids for names, so that it can be sent more than once."""
    check_owner(access, command.owner)
    allocation_uuid, node_uuid = command.uuid or str(uuid.uuid4()), None
    if command.node is not None:
        node = check_named_node(access, nodes.get(tx, command.node), command.node)
        allocation_uuid, node_uuid = command.uuid or node.instance_uuid or allocation_uuid, node.uuid
    candidates = find_candidates(tx, access, command.candidate_nodes)
    choose_live_conductor(tx, now, allocation_uuid)
    return replace(command, uuid=allocation_uuid, node=node_uuid, candidate_nodes=candidates)
