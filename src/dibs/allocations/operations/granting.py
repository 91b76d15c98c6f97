"""Give nodes to a queue entry, or fail it: the last steps of queue → match → grant → outcome.

The transaction locks the nodes in the order of their ids, checks again what the match saw, and writes all nodes of an
entry or none. Two entries that want one node meet at its lock, and the second tries the next node. Many entries get
their nodes in one transaction, with as many statements as one of them.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from dibs.access.access import Access
from dibs.allocations.model.allocations import Allocation
from dibs.allocations.model.lifetimes import LifetimeRules, begin
from dibs.allocations.model.outcomes import Outcome
from dibs.allocations.model.queue import QueueEntry, entry_of
from dibs.allocations.operations.queue import in_turn
from dibs.allocations.queries import queue
from dibs.database.transaction import Again, Transaction
from dibs.ledger.queries import traits
from dibs.machines.model.nodes import Node, is_free
from dibs.machines.operations import node_claims
from dibs.machines.operations.node_claims import NewInstance
from dibs.machines.operations.saving import save_instances, save_node
from dibs.machines.queries import nodes
from dibs.quotas.operations.shares import lock_share


class Choice(NamedTuple):
    """The nodes that a match chose for an entry: one for each of its allocations."""

    entry: QueueEntry
    nodes: tuple[str, ...]
    """Uuids."""


class GrantNodes(Struct, frozen=True, kw_only=True):
    """Give each allocation of some entries one of the nodes that are chosen for its entry."""

    choices: tuple[Choice, ...]
    """Several only where the order of the queue is that of arrival."""
    incarnation: str
    lifetime_rules: LifetimeRules = field(default_factory=LifetimeRules)


class FailEntry(Struct, frozen=True, kw_only=True):
    """End every allocation of an entry with an error."""

    entry: QueueEntry
    incarnation: str
    reason: str


def grant_nodes(tx: Transaction, access: Access, now: int, command: GrantNodes) -> dict[str, Outcome]:
    """Give each entry its nodes if all are still free and the entry is still this conductor's.

    Return the outcome of each entry, by its key: it is settled, or has lost a node.
    """
    locked = nodes.lock_many(tx, [node for choice in command.choices for node in choice.nodes], now)
    wanted = queue.open_of_entries(tx, [choice.entry for choice in command.choices])
    for project in sorted({each[0].owner or "" for each in wanted.values()}):
        lock_share(tx, now, project or None)  # Two grants to one project must not both count what it had before.
    suitable = _suitable(tx, command.choices, wanted, locked)
    choices = [(entry_of(wanted[each.entry.key], now), each.nodes) for each in suitable]
    allowed = in_turn(tx, now, choices) if choices else set()
    granted = [
        (allocation, locked[uuid], begin(command.lifetime_rules, allocation.lifetime, now))
        for each in suitable
        if each.entry.key in allowed
        for allocation, uuid in zip(wanted[each.entry.key], each.nodes, strict=True)
    ]
    if granted and queue.grant(tx, granted, command.incarnation, now):
        attach_nodes(tx, now, [(allocation, node, end.release_at) for allocation, node, end in granted])
    lost = wanted.keys() - allowed
    keys = (choice.entry.key for choice in command.choices)
    return {key: Outcome.LOST if key in lost else Outcome.SETTLED for key in keys}


def _suitable(
    tx: Transaction, choices: Sequence[Choice], wanted: Mapping[str, Sequence[Allocation]], locked: Mapping[str, Node]
) -> list[Choice]:
    """Return the choices of open entries whose nodes, which are locked, are all free and of the required kind."""
    asked = [choice for choice in choices if choice.entry.key in wanted]
    with_traits = any(wanted[choice.entry.key][0].traits for choice in asked)
    has = traits.of_providers(tx, [node.id for node in locked.values()]) if with_traits else {}

    def suits(choice: Choice) -> bool:
        required = wanted[choice.entry.key][0].requirements
        found = [locked[uuid] for uuid in choice.nodes if uuid in locked]
        fit = [node for node in found if is_free(node) and required.accept(node, has.get(node.id, ()))]
        return len(fit) == len(choice.nodes) == len(wanted[choice.entry.key])

    return [choice for choice in asked if suits(choice)]


def fail_entry(tx: Transaction, access: Access, now: int, command: FailEntry) -> None:
    """Fail the entry, unless it is settled or another conductor's by now."""
    for index, allocation in enumerate(queue.open_allocations(tx, command.entry)):
        if not queue.fail(tx, allocation, command.incarnation, command.reason, now):
            if index == 0:
                return
            raise Again  # A client deleted one of a batch at this moment: all or none.


def attach_nodes(tx: Transaction, now: int, attached: Sequence[tuple[Allocation, Node, int | None]]) -> None:
    """Put the instance, the claim and the traits of each allocation on its locked node, until a moment or without end.

    The caller writes the rows of the allocations.
    """
    changes = [(node, _instance(allocation, node, until)) for allocation, node, until in attached]
    saved = save_instances(tx, now, changes)
    allocations = [allocation for allocation, _, _ in attached]
    given = zip(saved, allocations, strict=True)
    node_claims.associate(tx, now, [NewInstance(node, each.uuid, each.owner) for node, each in given])


def detach_node(tx: Transaction, now: int, node: Node) -> None:
    """Take the instance, the claim and the traits of an allocation off a locked node. The caller deletes its row."""
    node_claims.release(tx, now, node)
    save_node(tx, node, now, instance_uuid=None, instance_name=None, instance_info=_without_traits(node))


def _instance(allocation: Allocation, node: Node, release_at: int | None) -> dict[str, object]:
    """Return what a node says about its instance when an allocation has it."""
    traits_asked = {"traits": list(allocation.traits)} if allocation.traits else {}
    info = {**_without_traits(node), **traits_asked}
    return {"instance_uuid": allocation.uuid, "instance_info": info, "instance_until": release_at}


def _without_traits(node: Node) -> dict[str, object]:
    return {name: value for name, value in node.instance_info.items() if name != "traits"}
