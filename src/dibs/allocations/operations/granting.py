"""Give nodes to a queue entry, or fail it: the last steps of queue → match → grant → outcome.

The transaction locks the nodes in the order of their ids, checks again what the match saw, and writes all or nothing.
Two entries that want one node meet at its lock, and the second tries the next node.
"""

from msgspec import Struct, field

from dibs.access.access import Access
from dibs.allocations.model.allocations import Allocation
from dibs.allocations.model.lifetimes import LifetimeRules, begin
from dibs.allocations.model.outcomes import Outcome
from dibs.allocations.model.queue import QueueEntry, entry_of
from dibs.allocations.operations.queue import promised_nodes
from dibs.allocations.queries import queue
from dibs.database.transaction import Again, Transaction
from dibs.ledger.queries import traits
from dibs.machines.model.nodes import Node, is_free
from dibs.machines.operations import node_claims
from dibs.machines.operations.saving import save_node
from dibs.machines.queries import nodes
from dibs.quotas.operations.shares import lock_share


class GrantNodes(Struct, frozen=True, kw_only=True):
    """Give each allocation of an entry one of these nodes."""

    entry: QueueEntry
    incarnation: str
    nodes: tuple[str, ...]
    """Uuids, in the order of node ids."""
    lifetime_rules: LifetimeRules = field(default_factory=LifetimeRules)


class FailEntry(Struct, frozen=True, kw_only=True):
    """End every allocation of an entry with an error."""

    entry: QueueEntry
    incarnation: str
    reason: str


def grant_nodes(tx: Transaction, access: Access, now: int, command: GrantNodes) -> Outcome:
    """Give the entry its nodes if all are still free and the entry is still this conductor's."""
    locked = [nodes.lock(tx, node, now) for node in command.nodes]
    wanted = queue.open_allocations(tx, command.entry)
    if not wanted:
        return Outcome.SETTLED
    first, free = wanted[0], [node for node in locked if node is not None and is_free(node)]
    if len(free) != len(wanted):
        return Outcome.LOST
    lock_share(tx, now, first.owner)  # Two grants to one project must not both count what it had before.
    required = first.requirements
    has = traits.of_providers(tx, [node.id for node in free]) if required.traits else {}
    promised = promised_nodes(tx, now, entry_of(wanted, now))
    if any(node.uuid in promised or not required.accept(node, has.get(node.id, ())) for node in free):
        return Outcome.LOST
    for index, (allocation, node) in enumerate(zip(wanted, free, strict=True)):
        end = begin(command.lifetime_rules, allocation.lifetime, now)
        if not queue.grant(tx, allocation, command.incarnation, node, end, now):
            if index == 0:
                return Outcome.SETTLED
            raise Again  # A client deleted one of a batch at this moment: all or none.
        attach_node(tx, now, allocation, node, end.release_at)
    return Outcome.SETTLED


def fail_entry(tx: Transaction, access: Access, now: int, command: FailEntry) -> None:
    """Fail the entry, unless it is settled or another conductor's by now."""
    for index, allocation in enumerate(queue.open_allocations(tx, command.entry)):
        if not queue.fail(tx, allocation, command.incarnation, command.reason, now):
            if index == 0:
                return
            raise Again  # A client deleted one of a batch at this moment: all or none.


def attach_node(tx: Transaction, now: int, allocation: Allocation, node: Node, release_at: int | None = None) -> None:
    """Put the instance, the claim and the traits of an allocation on a locked node. The caller writes its row."""
    info = _without_traits(node)
    if allocation.traits:
        info["traits"] = list(allocation.traits)
    saved = save_node(tx, node, now, instance_uuid=allocation.uuid, instance_info=info, instance_until=release_at)
    node_claims.associate(tx, now, saved, allocation.uuid, allocation.owner)


def detach_node(tx: Transaction, now: int, node: Node) -> None:
    """Take the instance, the claim and the traits of an allocation off a locked node. The caller deletes its row."""
    node_claims.release(tx, now, node)
    save_node(tx, node, now, instance_uuid=None, instance_name=None, instance_info=_without_traits(node))


def _without_traits(node: Node) -> dict[str, object]:
    return {name: value for name, value in node.instance_info.items() if name != "traits"}
