"""Allocate several nodes together, all or none; and retry allocations that failed."""

import uuid

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.allocations.model.access import UPDATE, check_allocation, check_owner
from dibs.allocations.model.allocations import ERROR, Allocation, check_resource_class
from dibs.allocations.model.errors import AllocationNotFound
from dibs.allocations.model.events import ALLOCATION_QUEUED, ALLOCATION_WAITS
from dibs.allocations.operations.creating import (
    CreateAllocation,
    allocation_for_conductor,
    announce_queued,
    choose_live_conductor,
)
from dibs.allocations.queries import allocations, queue
from dibs.database.transaction import Again, Transaction
from dibs.errors import BadValue
from dibs.ledger.model.traits import check_traits
from dibs.machines.model.conductors import after
from dibs.machines.model.errors import WrongState

COUNT_MAX = 100
"""The largest batch: its nodes are locked together."""


class CreateBatch(Struct, frozen=True, kw_only=True):
    """Create allocations that differ only in their uuids and get their nodes together, or none does."""

    kind: CreateAllocation
    count: int


class RetryAllocation(Struct, frozen=True, kw_only=True):
    """Put a failed allocation back into the queue, and with it all of its batch."""

    ident: str
    wait_seconds: float | None = None
    keep_alive_seconds: int | UnsetType | None = UNSET


def create_batch(tx: Transaction, access: Access, now: int, command: CreateBatch) -> list[Allocation]:
    """Store all allocations of a batch for one conductor."""
    kind = command.kind
    check_owner(access, kind.owner)
    if not 1 <= command.count <= COUNT_MAX:
        raise BadValue(reason=f"count must be from 1 to {COUNT_MAX}")
    check_traits(kind.traits)
    if kind.resource_class is None:
        raise BadValue(reason="resource_class is needed")
    check_resource_class(kind.resource_class)
    announce_queued(tx, kind)
    first = allocation_for_conductor(tx, access, now, replace(kind, batch=str(uuid.uuid4())), str(uuid.uuid4()))
    others = [replace(first, uuid=str(uuid.uuid4())) for _ in range(command.count - 1)]
    return [allocations.create(tx, allocation) for allocation in (first, *others)]


def get_batch(tx: Transaction, access: Access, now: int, batch: str) -> list[Allocation]:
    """Return all allocations of a batch, by the batch's uuid."""
    found = allocations.of_batch(tx, batch)
    if not found:
        raise AllocationNotFound(allocation=batch)
    for allocation in found:
        check_allocation(access, allocation, batch)
    return found


def retry_allocation(tx: Transaction, access: Access, now: int, command: RetryAllocation) -> Allocation:
    """Move an allocation from ``error`` to ``allocating``, at a live conductor."""
    allocation = check_allocation(access, allocations.get(tx, command.ident), command.ident, UPDATE)
    if allocation.state != ERROR:
        raise WrongState(
            reason=f"Only an allocation in state error can be tried again; {allocation.uuid} is {allocation.state}"
        )
    until = allocation.lifetime.until
    if until is not None and until <= now:
        raise WrongState(reason=f"The end of allocation {allocation.uuid} has passed. Create another one")
    reopened = queue.reopen(
        tx,
        allocation.kept_alive_for(command.keep_alive_seconds),
        conductor_id=choose_live_conductor(tx, now, allocation.uuid),
        wait_until=None if command.wait_seconds is None else after(now, command.wait_seconds),
        now=now,
    )
    tx.publish(ALLOCATION_QUEUED)
    if command.wait_seconds is not None:
        tx.publish(ALLOCATION_WAITS)
    retried = allocations.get(tx, allocation.uuid) if reopened else None
    if retried is None:
        raise Again  # Another client retried or deleted it meanwhile.
    return retried
