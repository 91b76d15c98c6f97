"""Keep allocations alive by heartbeats of their clients, and end those whose client is gone.

A client that was killed, lost its network or went to sleep cannot delete its allocation. A client that asked for
``keep_alive_seconds`` sends heartbeats; when they stop, a conductor withdraws the allocation from the queue or releases
its node, and the allocation stays in ``error`` with the reason.
"""

from msgspec import UNSET, Struct, UnsetType

from dibs.access.access import Access
from dibs.allocations.model.access import UPDATE, check_allocation
from dibs.allocations.model.allocations import ERROR, Allocation
from dibs.allocations.model.errors import AllocationNotFound
from dibs.allocations.operations.granting import detach_node
from dibs.allocations.queries import allocations, keep_alive
from dibs.database.transaction import Again, Transaction
from dibs.machines.model import states
from dibs.machines.model.conductors import after
from dibs.machines.model.errors import WrongState
from dibs.machines.model.nodes import Node
from dibs.machines.operations.provisioning import begin_teardown
from dibs.machines.queries import nodes

POSTPONE_SECONDS = 10
"""When to look again at an allocation whose node is busy."""


class RenewAllocation(Struct, frozen=True, kw_only=True):
    """Record a heartbeat; also change the time until the next one if it is given, where None means no more."""

    ident: str
    keep_alive_seconds: int | UnsetType | None = UNSET


def renew_allocation(tx: Transaction, access: Access, now: int, command: RenewAllocation) -> Allocation:
    """Record a heartbeat for an allocation and all of its batch; return it as it is now, ended or not."""
    ident = command.ident
    allocation = allocations.get(tx, ident)
    if allocation is None:
        raise AllocationNotFound(allocation=ident)
    check_allocation(access, allocation, ident, UPDATE)
    if allocation.keep_alive_seconds is None:
        raise WrongState(reason=f"Allocation {allocation.uuid} has no keep_alive_seconds and needs no heartbeats")
    renewed = allocation.kept_alive_for(command.keep_alive_seconds)
    if not keep_alive.renew(tx, renewed, renewed.alive_from(now)) and allocation.state != ERROR:
        raise Again  # A conductor ended it, or a client deleted it, after it was read.
    return allocations.get(tx, allocation.uuid) or allocation


def list_abandoned_allocations(tx: Transaction, access: Access, now: int, count_max: int) -> list[str]:
    """Return the uuids of allocations whose heartbeat is overdue."""
    return keep_alive.abandoned(tx, now, count_max)


def end_abandoned_allocation(tx: Transaction, access: Access, now: int, uuid: str) -> bool:
    """Withdraw an abandoned allocation from the queue, or release its node; return False when it is not ended yet."""
    allocation = allocations.get(tx, uuid)
    if allocation is None:
        return False
    node = None
    if allocation.node_uuid is not None:
        node = nodes.lock(tx, allocation.node_uuid, now)
        # It was read without a lock, to learn which node to lock.
        allocation = allocations.get(tx, uuid)
        if allocation is None or node is None or allocation.node_id != node.id:
            raise Again
    if not keep_alive.end(tx, allocation, _reason(allocation, node), now):
        return False
    if node is None or _release(tx, now, node):
        return True
    raise NodeBusy


class NodeBusy(Exception):
    """The node of an abandoned allocation cannot be released at the moment; nothing was written."""


def postpone_abandoned_allocation(tx: Transaction, access: Access, now: int, uuid: str) -> None:
    """Look at an abandoned allocation again when its node may be free."""
    allocation = allocations.get(tx, uuid)
    if allocation is not None:
        keep_alive.postpone(tx, allocation, after(now, POSTPONE_SECONDS), now)


def _release(tx: Transaction, now: int, node: Node) -> bool:
    """Take the instance off a locked node, by a teardown if it is deployed; return False while it is busy."""
    if begin_teardown(tx, now, node):
        return True
    if node.reservation is not None or node.provision_state in (states.ACTIVE, *states.PHASES, *states.PAUSED):
        return False
    detach_node(tx, now, node)
    return True


def _reason(allocation: Allocation, node: Node | None) -> str:
    silence = f"Its client sent no heartbeat for {allocation.keep_alive_seconds} seconds"
    if node is None:
        return f"{silence}, so it was withdrawn from the queue."
    return f"{silence}, so node {node.name or node.uuid} was released."
