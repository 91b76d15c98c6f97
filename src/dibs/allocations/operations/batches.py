"""Several nodes at once, all or none; and another try for requests that failed."""

import uuid
from dataclasses import dataclass, replace

from dibs.access.access import Access
from dibs.allocations.model.allocations import ERROR, NodeRequest, check_resource_class
from dibs.allocations.model.errors import NodeRequestNotFound
from dibs.allocations.operations.allocations import (
    CreateNodeRequest,
    GetNodeRequest,
    RequestGuard,
    choose_live_conductor,
    get_node_request,
    new_request,
)
from dibs.allocations.queries import allocations as node_requests
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

    kind: CreateNodeRequest
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GetBatch:
    """All requests of a batch."""

    batch: str
    guard: RequestGuard


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryNodeRequest(GetNodeRequest):
    """Serve a request that failed once more, and with it all of its batch."""

    wait_seconds: float | None = None


def create_batch(tx: Transaction, access: Access, now: int, command: CreateBatch) -> list[NodeRequest]:
    """Write down what is asked for; one conductor is to find all of it."""
    kind = command.kind
    if not 1 <= command.count <= COUNT_MAX:
        raise BadValue(reason=f"count must be from 1 to {COUNT_MAX}")
    check_traits(kind.traits)
    if kind.resource_class is None:
        raise BadValue(reason="resource_class is needed")
    check_resource_class(kind.resource_class)
    first = new_request(tx, now, replace(kind, batch=str(uuid.uuid4())), str(uuid.uuid4()), kind.resource_class)
    others = [replace(first, uuid=str(uuid.uuid4())) for _ in range(command.count - 1)]
    return [node_requests.create(tx, request) for request in (first, *others)]


def get_batch(tx: Transaction, access: Access, now: int, command: GetBatch) -> list[NodeRequest]:
    """All requests of a batch that the caller may see; a batch without any is not found."""
    found = node_requests.of_batch(tx, command.batch)
    if not found:
        raise NodeRequestNotFound(request=command.batch)
    for request in found:
        command.guard(request)
    return found


def retry_node_request(tx: Transaction, access: Access, now: int, command: RetryNodeRequest) -> NodeRequest:
    """Back from ``error`` to ``allocating``, at a conductor that lives."""
    request = get_node_request(tx, access, now, command)
    if request.state != ERROR:
        raise WrongState(
            reason=f"Only an allocation in state error can be tried again; {request.uuid} is {request.state}"
        )
    reopened = node_requests.reopen(
        tx,
        request,
        conductor_id=choose_live_conductor(tx, now, request.uuid),
        wait_until=None if command.wait_seconds is None else after(now, command.wait_seconds),
        now=now,
    )
    if not reopened:
        raise Again
    return get_node_request(tx, access, now, command)
