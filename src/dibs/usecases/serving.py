"""The conductor's side of requests for a node: look for one, take it, or say why there is none.

Looking is a read; each node is then tried in a transaction of its own, which locks it, looks again and writes all or
nothing. So two that want the same node meet at its lock, and the second simply tries the next.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from dibs.domain.actor import Actor
from dibs.domain.node_requests import ALLOCATING, LOCKED, PROMISED, NodeRequest, explain_shortage, is_free
from dibs.store import conductors, free_nodes, node_requests, nodes, traits
from dibs.store.transaction import Transaction
from dibs.usecases.node_requests import attach

ORPHANS_MAX = 1_000
"""How many requests of dead conductors are looked at in one go."""


class Outcome(enum.Enum):
    """How a try went."""

    SETTLED = "nothing is left to be done for the request"
    LOST = "not this node"
    AGAIN = "there may be a node after all"
    LATER = "it waits"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequests:
    """What a conductor should serve now; of those that wait, what lies behind a row's number."""

    incarnation: str
    count_max: int
    after_id: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeRequest:
    """Find a node for a request, in an order that the seed makes."""

    uuid: str
    incarnation: str
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TryNode(ServeRequest):
    """Let the request have this node."""

    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FailRequest(ServeRequest):
    """End the request because something is wrong with it."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphan:
    """An open request of a conductor that does not live."""

    id: int
    uuid: str
    conductor_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeOverRequest:
    """Serve a dead conductor's request instead of it."""

    orphan: Orphan
    incarnation: str


def list_due_requests(tx: Transaction, actor: Actor, now: int, command: ListRequests) -> list[str]:
    """The uuids of requests that do not wait."""
    return node_requests.due(tx, command.incarnation, command.count_max)


def list_waiting_requests(tx: Transaction, actor: Actor, now: int, command: ListRequests) -> list[tuple[int, str]]:
    """Numbers and uuids of requests that wait and for which there may be a node, or no time left."""
    return node_requests.due_waiting(tx, command.incarnation, now, command.after_id, command.count_max)


def find_nodes(tx: Transaction, actor: Actor, now: int, command: ServeRequest) -> list[str]:
    """Uuids of nodes that the request may have, to be tried in this order; none when it is no longer open."""
    request = node_requests.get(tx, command.uuid)
    return [] if request is None or request.state != ALLOCATING else _free(tx, now, request, command.seed)


def try_node(tx: Transaction, actor: Actor, now: int, command: TryNode) -> Outcome:
    """Give a node to a request, if it is still free and the request still this conductor's."""
    node = nodes.lock(tx, command.node, now)
    request = node_requests.get(tx, command.uuid)
    if request is None or request.state != ALLOCATING:
        return Outcome.SETTLED
    if node is None or not is_free(node):
        return Outcome.LOST
    has = traits.of_provider(tx, node.id)
    if not request.fits(node, has) or any(other.fits(node, has) for other in node_requests.ahead(tx, request, now)):
        return Outcome.LOST
    if not node_requests.grant(tx, request, command.incarnation, node.id, now):
        return Outcome.SETTLED
    attach(tx, now, request, node)
    return Outcome.SETTLED


def judge_request(tx: Transaction, actor: Actor, now: int, command: ServeRequest) -> Outcome | str:
    """Nothing was found: whether the request waits, or the reasons that it fails for.

    It is a read, since it may look at every node of a class: at that moment there was none, and that is the answer.
    """
    request = node_requests.get(tx, command.uuid)
    if request is None or request.state != ALLOCATING:
        return Outcome.SETTLED
    reasons = free_nodes.count_reasons(tx, request)
    if PROMISED in reasons and _free(tx, now, request, command.seed):
        return Outcome.AGAIN
    passing = LOCKED in reasons or PROMISED in reasons
    if request.waits(now) or (passing and request.patient(now)):
        return Outcome.LATER
    return explain_shortage(request, reasons)


def fail_request(tx: Transaction, actor: Actor, now: int, command: FailRequest) -> None:
    """End a request with a reason, unless it has ended or is another conductor's by now."""
    request = node_requests.get(tx, command.uuid)
    if request is not None:
        node_requests.fail(tx, request, command.incarnation, command.reason, now)


def list_orphaned_requests(tx: Transaction, actor: Actor, now: int, command: ListRequests) -> list[Orphan]:
    """Open requests of conductors that are dead or have stopped."""
    return [Orphan(**row) for row in node_requests.orphaned(tx, now, command.count_max)]


def take_over_request(tx: Transaction, actor: Actor, now: int, command: TakeOverRequest) -> bool:
    """Move a request to this conductor; False when its owner lives, or another was faster."""
    taker = conductors.get_by_incarnation(tx, command.incarnation)
    former = conductors.get_by_id(tx, command.orphan.conductor_id)
    if taker is None or former is None or former.id == taker.id or former.alive(now):
        return False
    return node_requests.move(tx, command.orphan.id, from_conductor=former.id, to_conductor=taker.id)


def _free(tx: Transaction, now: int, request: NodeRequest, seed: int) -> list[str]:
    """Free nodes for a request in random order, without those that older requests wait for.

    A node that has the request's name comes first, so that "db-1" gets the machine "db-1" when it can.
    """
    chance = Random(seed)  # noqa: S311 - not a secret
    found = free_nodes.search(tx, request, chance.random())
    chance.shuffle(found)
    if found:
        found = list(dict.fromkeys([*free_nodes.namesake(tx, request), *found]))
    waiting = node_requests.ahead(tx, request, now) if found else []
    return [uuid for uuid in found if not is_promised(tx, uuid, waiting)] if waiting else found


def is_promised(tx: Transaction, node_uuid: str, waiting: Sequence[NodeRequest]) -> bool:
    """Whether one of those who wait could have the node."""
    node = nodes.get(tx, node_uuid)
    if node is None:
        return False
    has = traits.of_provider(tx, node.id)
    return any(request.fits(node, has) for request in waiting)
