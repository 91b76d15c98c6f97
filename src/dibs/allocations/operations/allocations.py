"""Show, list, change and delete allocations. ``creating`` creates them; conductors find their nodes.

Deleting an allocation releases its node under the lock of that node, like every other change of the node.
"""

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.allocations.model.access import DELETE, UPDATE, check_allocation
from dibs.allocations.model.allocations import Allocation, AllocationQuery, check_removable
from dibs.allocations.model.changes import changes_of
from dibs.allocations.model.errors import AllocationNotFound, NodeHasNoAllocation
from dibs.allocations.operations.granting import detach_node
from dibs.allocations.queries import allocations
from dibs.database.paging import Page
from dibs.database.transaction import Again, Transaction
from dibs.documents.json_patch import Patch
from dibs.errors import BadValue
from dibs.machines.model.access import check_named_node, check_node
from dibs.machines.model.errors import NodeNotFound
from dibs.machines.operations.nodes import check_unlocked
from dibs.machines.queries import nodes


class UpdateAllocation(Struct, frozen=True, kw_only=True):
    """Change the name or the extra of an allocation."""

    ident: str
    """Uuid or name."""
    patch: Patch


def get_allocation(tx: Transaction, access: Access, now: int, ident: str) -> Allocation:
    """Return an allocation by uuid or name."""
    return check_allocation(access, allocations.get(tx, ident), ident)


def get_allocation_of_node(tx: Transaction, access: Access, now: int, node: str) -> Allocation:
    """Return the allocation that has a node, by the node's uuid or name."""
    return _get_of_node(tx, access, node)


def list_allocations(tx: Transaction, access: Access, now: int, query: AllocationQuery) -> Page[Allocation]:
    """Return one page of allocations."""
    if query.node is not None:
        node = check_named_node(access, nodes.get(tx, query.node), query.node)
        query = replace(query, node=node.uuid)
    page = allocations.page(tx, query)
    if page is None:
        raise AllocationNotFound(allocation=query.marker)
    return page


def update_allocation(tx: Transaction, access: Access, now: int, command: UpdateAllocation) -> Allocation:
    """Change an allocation in any state."""
    allocation = check_allocation(access, allocations.lock(tx, command.ident), command.ident, UPDATE)
    changes = changes_of(allocation, command.patch)
    return allocations.update(tx, allocation, now, **changes) if changes else allocation


def delete_allocation(tx: Transaction, access: Access, now: int, ident: str) -> None:
    """Delete an allocation by uuid or name, and release its node."""
    _delete(tx, now, check_allocation(access, allocations.get(tx, ident), ident, DELETE))


def delete_allocation_of_node(tx: Transaction, access: Access, now: int, node: str) -> None:
    """Delete the allocation that has a node, by the node's uuid or name, and release the node."""
    _delete(tx, now, _get_of_node(tx, access, node, DELETE))


def _get_of_node(tx: Transaction, access: Access, ident: str, *rules: str) -> Allocation:
    node = nodes.get(tx, ident)
    if node is None:
        raise NodeNotFound(node=ident)
    check_node(access, node, ident)
    allocation = allocations.of_node(tx, node.id)
    if allocation is None:
        if node.instance_uuid is not None:
            raise BadValue(reason=f"Node {node.uuid} has instance {node.instance_uuid}, which is no allocation's.")
        raise NodeHasNoAllocation(node=ident)
    check_allocation(access, allocation, f"of node {ident}", *rules)
    return allocation


def _delete(tx: Transaction, now: int, allocation: Allocation) -> None:
    """Delete an allocation. It was read without a lock, to learn which node to lock, so it is read again."""
    if allocation.node_uuid is None:
        if not allocations.delete_unplaced(tx, allocation):
            raise Again  # A conductor granted it a node meanwhile, or another client deleted it.
        return
    node = nodes.lock(tx, allocation.node_uuid, now)
    current = allocations.get(tx, allocation.uuid)
    if node is None or current is None or current.node_id != node.id:
        raise Again
    check_removable(node, current)
    check_unlocked(node)
    allocations.delete(tx, current)
    detach_node(tx, now, node)
