"""Several nodes at once, all or none; and another try for allocations that failed."""

import uuid
from dataclasses import dataclass, replace

from dibs.access.access import Access
from dibs.allocations.model.allocations import ERROR, Allocation, check_resource_class
from dibs.allocations.model.errors import AllocationNotFound
from dibs.allocations.operations.allocations import (
    AllocationGuard,
    CreateAllocation,
    GetAllocation,
    choose_live_conductor,
    get_allocation,
    new_allocation,
)
from dibs.allocations.queries import allocations
from dibs.database.transaction import Again, Transaction
from dibs.errors import BadValue
from dibs.ledger.model.traits import check_traits
from dibs.machines.model.conductors import after
from dibs.machines.model.errors import WrongState

COUNT_MAX = 100
"""How many nodes can be asked for at once: they are locked together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateBatch:
    """Ask for several nodes of one kind, all or none."""

    kind: CreateAllocation
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GetBatch:
    """All allocations of a batch."""

    batch: str
    guard: AllocationGuard


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryAllocation(GetAllocation):
    """Serve an allocation that failed once more, and with it all of its batch."""

    wait_seconds: float | None = None


def create_batch(tx: Transaction, access: Access, now: int, command: CreateBatch) -> list[Allocation]:
    """Write down what is asked for; one conductor is to find all of it."""
    kind = command.kind
    if not 1 <= command.count <= COUNT_MAX:
        raise BadValue(reason=f"count must be from 1 to {COUNT_MAX}")
    check_traits(kind.traits)
    if kind.resource_class is None:
        raise BadValue(reason="resource_class is needed")
    check_resource_class(kind.resource_class)
    first = new_allocation(tx, now, replace(kind, batch=str(uuid.uuid4())), str(uuid.uuid4()), kind.resource_class)
    others = [replace(first, uuid=str(uuid.uuid4())) for _ in range(command.count - 1)]
    return [allocations.create(tx, allocation) for allocation in (first, *others)]


def get_batch(tx: Transaction, access: Access, now: int, command: GetBatch) -> list[Allocation]:
    """All allocations of a batch that the caller may see; a batch without any is not found."""
    found = allocations.of_batch(tx, command.batch)
    if not found:
        raise AllocationNotFound(allocation=command.batch)
    for allocation in found:
        command.guard(allocation)
    return found


def retry_allocation(tx: Transaction, access: Access, now: int, command: RetryAllocation) -> Allocation:
    """Back from ``error`` to ``allocating``, at a conductor that lives."""
    allocation = get_allocation(tx, access, now, command)
    if allocation.state != ERROR:
        raise WrongState(
            reason=f"Only an allocation in state error can be tried again; {allocation.uuid} is {allocation.state}"
        )
    reopened = allocations.reopen(
        tx,
        allocation,
        conductor_id=choose_live_conductor(tx, now, allocation.uuid),
        wait_until=None if command.wait_seconds is None else after(now, command.wait_seconds),
        now=now,
    )
    if not reopened:
        raise Again
    return get_allocation(tx, access, now, command)
