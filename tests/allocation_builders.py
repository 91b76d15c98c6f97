"""Create allocations in tests, and run the steps of a conductor that matches them."""

import uuid
from collections.abc import Sequence
from typing import Any

from dibs.access.access import SERVICE
from dibs.allocations.model.allocations import Allocation
from dibs.allocations.model.outcomes import Outcome
from dibs.allocations.model.queue import QueueEntry
from dibs.allocations.operations.allocations import delete_allocation, get_allocation
from dibs.allocations.operations.batches import CreateBatch, create_batch
from dibs.allocations.operations.creating import CreateAllocation, create_allocation
from dibs.allocations.operations.granting import Choice, FailEntry, GrantNodes, fail_entry, grant_nodes
from dibs.allocations.operations.matching import Match, MatchEntry, match_entry
from dibs.allocations.operations.queue import (
    ListEntries,
    TakeOverAllocations,
    list_due_entries,
    list_failed_conductors,
    list_ready_entries,
    take_over_allocations,
)
from dibs.ledger.queries import claim_views
from dibs.machines.model.nodes import Node
from dibs.machines.operations.conductors import RegisterConductor, register_conductor
from dibs.machines.operations.holds import CreateHold, create_hold
from dibs.machines.queries import conductors, nodes
from tests.builders import Ledger


def allocate(ledger: Ledger, **values: Any) -> Allocation:
    """Create an allocation of class gold."""
    command = CreateAllocation(**{"resource_class": "gold", **values})
    return ledger.runner.write(create_allocation, SERVICE, command)


def allocate_batch(ledger: Ledger, count: int, **values: Any) -> list[Allocation]:
    """Create a batch of class gold."""
    command = CreateBatch(kind=CreateAllocation(resource_class="gold", **values), count=count)
    return ledger.runner.write(create_batch, SERVICE, command)


def show(ledger: Ledger, allocation: Allocation) -> Allocation:
    """Return the allocation as it is now."""
    return ledger.runner.read(get_allocation, SERVICE, allocation.uuid)


def release(ledger: Ledger, allocation: Allocation) -> None:
    """Delete an allocation."""
    ledger.runner.write(delete_allocation, SERVICE, allocation.uuid)


def force(ledger: Ledger, node: Node, **changes: Any) -> None:
    """Write attributes of a node directly, as a conductor's task would change them."""

    def write(tx: Any) -> None:
        found = nodes.lock(tx, node.uuid, ledger.clock())
        assert found is not None
        nodes.update(tx, found, ledger.clock(), **changes)

    ledger.store.write(write)


def allocate_node(ledger: Ledger, **values: Any) -> tuple[Allocation, Node]:
    """Create an allocation that has a node; return both."""
    node = ledger.enrol(resource_class="gold", state="active")
    allocation = allocate(ledger, node=node.uuid, **values)
    force(ledger, node, provision_state="available")
    return allocation, ledger.node(node)


def holders(ledger: Ledger, node: Node) -> list[str]:
    """Return the consumers with claims on a node."""
    return [row["consumer"] for row in ledger.store.read(lambda tx: claim_views.on_provider(tx, node.id))]


def hold(ledger: Ledger, node: Node) -> str:
    """Hold a node and return the uuid of the hold."""
    proof = str(uuid.uuid4())
    command = CreateHold(uuid=proof, instance_uuid=str(uuid.uuid4()), nodes=(node.uuid,), seconds=60)
    ledger.runner.write(create_hold, SERVICE, command)
    return proof


def gold(ledger: Ledger, **values: Any) -> Node:
    """Enrol a node of class gold."""
    return ledger.enrol(**{"resource_class": "gold", **values})


def entry_of(allocation: Allocation) -> QueueEntry:
    """Return the queue entry of an allocation."""
    return QueueEntry(key=allocation.batch or allocation.uuid, batch=allocation.batch is not None)


class Steps:
    """The steps of one registered conductor, one call each."""

    def __init__(self, ledger: Ledger, hostname: str) -> None:
        self.ledger = ledger
        self.incarnation = str(uuid.uuid4())
        command = RegisterConductor(
            hostname=hostname, group="", drivers=("fake-hardware",), incarnation=self.incarnation
        )
        ledger.runner.write(register_conductor, SERVICE, command)

    @property
    def conductor_id(self) -> int:
        """The id of the conductor's row."""
        found = self.ledger.store.read(lambda tx: conductors.get_by_incarnation(tx, self.incarnation))
        assert found is not None
        return found.id

    def due(self, count_max: int = 10) -> list[str]:
        """Return the keys of the due entries."""
        command = ListEntries(incarnation=self.incarnation, count_max=count_max)
        return [entry.key for entry in self.ledger.runner.read(list_due_entries, SERVICE, command)]

    def ready(self, count_max: int = 100) -> list[str]:
        """Return the keys of the ready entries."""
        command = ListEntries(incarnation=self.incarnation, count_max=count_max)
        return [entry.key for entry in self.ledger.runner.read(list_ready_entries, SERVICE, command).entries]

    def match(self, allocation: Allocation, seed: int = 0, *, retry: bool = True) -> Match:
        """Match the entry of an allocation."""
        command = MatchEntry(entry=entry_of(allocation), seed=seed, retry=retry)
        return self.ledger.runner.read(match_entry, SERVICE, command)

    def found(self, allocation: Allocation, seed: int = 0) -> list[str]:
        """Return the nodes of a match, in the order in which the conductor tries them."""
        return [node for choice in self.match(allocation, seed).choices for node in choice]

    def grant(self, allocation: Allocation, *granted: str) -> Outcome:
        """Grant nodes, by uuid, to the entry of an allocation."""
        return self.grant_together((allocation, granted))[0]

    def grant_together(self, *choices: tuple[Allocation, Sequence[str]]) -> list[Outcome]:
        """Grant nodes, by uuid, to the entries of several allocations in one transaction."""
        chosen = tuple(Choice(entry_of(each), tuple(nodes)) for each, nodes in choices)
        command = GrantNodes(choices=chosen, incarnation=self.incarnation)
        return list(self.ledger.runner.write(grant_nodes, SERVICE, command).values())

    def fail(self, allocation: Allocation, reason: str) -> None:
        """Fail the entry of an allocation."""
        command = FailEntry(entry=entry_of(allocation), incarnation=self.incarnation, reason=reason)
        self.ledger.runner.write(fail_entry, SERVICE, command)

    def conclude(self, allocation: Allocation, *, retry: bool = True) -> Outcome | None:
        """Match an entry, and fail it when the match says so."""
        match = self.match(allocation, retry=retry)
        if match.outcome is Outcome.FAILED:
            self.fail(allocation, match.reason)
        return match.outcome

    def take_over(self) -> list[int]:
        """Take over the allocations of every failed conductor; return their number per conductor."""
        failed = self.ledger.runner.read(list_failed_conductors, SERVICE, None)
        commands = [TakeOverAllocations(conductor_id=each, incarnation=self.incarnation) for each in failed]
        return [self.ledger.runner.write(take_over_allocations, SERVICE, command) for command in commands]
