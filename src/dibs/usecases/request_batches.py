"""Several nodes at once, all or none; and another try for requests that failed."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from dibs.domain.actor import Actor
from dibs.domain.conductors import after
from dibs.domain.errors import BadValue, NodeRequestNotFound, WrongState
from dibs.domain.node_requests import (
    ALLOCATING,
    ERROR,
    LACKS,
    LOCKED,
    PROMISED,
    NodeRequest,
    check_resource_class,
    explain_shortage,
    is_free,
)
from dibs.domain.nodes import Node
from dibs.domain.traits import check_traits
from dibs.store import conductors, free_nodes, node_requests, nodes, request_batches, traits
from dibs.store.transaction import Again, Transaction
from dibs.usecases.node_requests import (
    CreateNodeRequest,
    GetNodeRequest,
    RequestGuard,
    attach,
    choose_live_conductor,
    get_node_request,
    new_request,
)
from dibs.usecases.serving import ListRequests, Outcome

COUNT_MAX = 100
"""How many nodes can be asked for at once: they are locked together."""
SPARE = 32
"""How many more than needed are looked for, so that batches at the same time do not want the same nodes."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeBatch:
    """Find nodes for a batch, in an order that the seed makes."""

    batch: str
    incarnation: str
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TryNodes(ServeBatch):
    """Let the batch have these nodes, given in the order of their numbers."""

    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailBatch(ServeBatch):
    """End the batch because something is wrong with it."""

    reason: str


def create_batch(tx: Transaction, actor: Actor, now: int, command: CreateBatch) -> list[NodeRequest]:
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


def get_batch(tx: Transaction, actor: Actor, now: int, command: GetBatch) -> list[NodeRequest]:
    """All requests of a batch that the caller may see; a batch without any is not found."""
    found = request_batches.members(tx, command.batch)
    if not found:
        raise NodeRequestNotFound(request=command.batch)
    for request in found:
        command.guard(request)
    return found


def retry_node_request(tx: Transaction, actor: Actor, now: int, command: RetryNodeRequest) -> NodeRequest:
    """Back from ``error`` to ``allocating``, at a conductor that lives."""
    request = get_node_request(tx, actor, now, command)
    if request.state != ERROR:
        raise WrongState(
            reason=f"Only an allocation in state error can be tried again; {request.uuid} is {request.state}"
        )
    reopened = request_batches.reopen(
        tx,
        request,
        conductor_id=choose_live_conductor(tx, now, request.uuid),
        wait_until=None if command.wait_seconds is None else after(now, command.wait_seconds),
        now=now,
    )
    if not reopened:
        raise Again
    return get_node_request(tx, actor, now, command)


# --- the conductor's side ---


def list_due_batches(tx: Transaction, actor: Actor, now: int, command: ListRequests) -> list[str]:
    """Batches that this conductor is to serve."""
    return request_batches.due(tx, command.incarnation, command.count_max)


def find_nodes_for_batch(tx: Transaction, actor: Actor, now: int, command: ServeBatch) -> tuple[str, ...]:
    """As many nodes as are needed, or none when there are too few."""
    wanted = _open(tx, command.batch)
    if not wanted:
        return ()
    free = _free(tx, now, wanted)
    if len(free) < len(wanted):
        return ()
    chosen = Random(command.seed).sample(range(len(free)), len(wanted))  # noqa: S311 - not a secret
    return tuple(free[place] for place in sorted(chosen))


def try_nodes(tx: Transaction, actor: Actor, now: int, command: TryNodes) -> Outcome:
    """Give each request of the batch a node, or none of them any."""
    locked = [nodes.lock(tx, node, now) for node in command.nodes]
    wanted = _open(tx, command.batch)
    if not wanted or not _is_ours(tx, wanted, command.incarnation):
        return Outcome.SETTLED
    if len(wanted) != len(locked):
        return Outcome.LOST
    found = _that_it_may_have(tx, now, wanted[0], [node for node in locked if node is not None])
    if len(found) < len(wanted):
        return Outcome.LOST
    for request, node in zip(wanted, found, strict=True):
        if not node_requests.grant(tx, request, command.incarnation, node.id, now):
            raise Again  # Somebody withdrew it this very moment.
        attach(tx, now, request, node)
    return Outcome.SETTLED


def judge_batch(tx: Transaction, actor: Actor, now: int, command: ServeBatch) -> Outcome | str:
    """There are too few nodes: whether the batch waits, or the reasons that all of it fails for. A read."""
    wanted = _open(tx, command.batch)
    if not wanted:
        return Outcome.SETTLED
    first, free = wanted[0], _free(tx, now, wanted)
    if len(free) >= len(wanted):
        return Outcome.AGAIN
    reasons = free_nodes.count_reasons(tx, first)
    # Waiting cannot make nodes of the right kind more; a batch that waits for nothing would keep others from theirs.
    possible = sum(count for reason, count in reasons.items() if not reason.startswith(LACKS))
    passing = LOCKED in reasons or reasons.get(PROMISED, 0) > len(free)
    if possible >= len(wanted) and (first.waits(now) or (first.patient(now) and passing)):
        return Outcome.LATER
    reason = f"{len(wanted)} nodes wanted together, {len(free)} free"
    if others := {name: count for name, count in reasons.items() if name != PROMISED}:
        reason += f"; {explain_shortage(first, others)}"
    return reason


def fail_batch(tx: Transaction, actor: Actor, now: int, command: FailBatch) -> None:
    """End all of a batch with a reason, unless it is another conductor's by now."""
    wanted = _open(tx, command.batch)
    if wanted and _is_ours(tx, wanted, command.incarnation):
        for request in wanted:
            if not node_requests.fail(tx, request, command.incarnation, command.reason, now):
                raise Again  # Somebody took one over or withdrew it this very moment; all or none.


def _open(tx: Transaction, batch: str) -> list[NodeRequest]:
    return [request for request in request_batches.members(tx, batch) if request.state == ALLOCATING]


def _is_ours(tx: Transaction, wanted: Sequence[NodeRequest], incarnation: str) -> bool:
    """True when the first is this conductor's; the others then become so too."""
    conductor = conductors.get_by_incarnation(tx, incarnation)
    if conductor is None or wanted[0].conductor_id != conductor.id:
        return False
    for request in wanted:
        former = request.conductor_id
        if former is not None and former != conductor.id:
            node_requests.move(tx, request.id, from_conductor=former, to_conductor=conductor.id)
    return True


def _free(tx: Transaction, now: int, wanted: Sequence[NodeRequest]) -> list[str]:
    """Free nodes for the batch, in the order of their numbers, without those that older requests wait for."""
    first = wanted[0]
    found = free_nodes.search(tx, first, 0.0, len(wanted) + SPARE)
    looked_at = sorted(nodes.get_many(tx, found).values(), key=lambda node: node.id)
    return [node.uuid for node in _that_it_may_have(tx, now, first, looked_at)]


def _that_it_may_have(tx: Transaction, now: int, request: NodeRequest, found: Sequence[Node]) -> list[Node]:
    """Those of the nodes that are free for the request and that no older request waits for."""
    has = traits.of_providers(tx, [node.id for node in found])
    older = node_requests.ahead(tx, request, now)
    return [
        node
        for node in found
        if is_free(node)
        and request.fits(node, has[node.id])
        and not any(other.fits(node, has[node.id]) for other in older)
    ]
