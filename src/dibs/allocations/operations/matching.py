"""The conductor's side of allocations for a node: look for one, take it, or say why there is none.

What is served together is an *order*: one allocation, or a batch, which gets all its nodes or none. Looking is a read;
what was found is then tried in a transaction of its own, which locks it, looks again and writes all or nothing. So two
that want the same node meet at its lock, and the second simply tries the next.
"""

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from dibs.access.access import Access
from dibs.allocations.model.allocations import ALLOCATING, LACKS, LOCKED, PROMISED, Allocation, explain_shortage
from dibs.allocations.operations.allocations import attach
from dibs.allocations.operations.queue import Order, promised
from dibs.allocations.queries import allocations, free_nodes
from dibs.allocations.queries.free_nodes import FOUND_MAX
from dibs.database.transaction import Again, Transaction
from dibs.ledger.queries import traits
from dibs.machines.model.nodes import is_free
from dibs.machines.queries import conductors, nodes


class Outcome(enum.Enum):
    """How a try went."""

    SETTLED = "nothing is left to be done for the order"
    LOST = "not these nodes"
    AGAIN = "there may be nodes after all"
    LATER = "the only nodes for it are locked or promised, which will pass in a moment"
    WAITS = "it waits in line"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDue:
    """What a conductor should try now, beside those whose turn has come in the line."""

    incarnation: str
    count_max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Serve:
    """Find nodes for an order, in an order that the seed makes."""

    order: Order
    incarnation: str
    seed: int = 0
    patient: bool = True
    """False once it has been tried often enough while nodes were locked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TryNodes(Serve):
    """Let each allocation of the order have one of these nodes, given in the order of their numbers."""

    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail(Serve):
    """End the order."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDead:
    """The conductors that do not live and have left allocations open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeOverAllocations:
    """Serve all of a dead conductor's allocations instead of it."""

    conductor_id: int
    incarnation: str


def list_due_orders(tx: Transaction, access: Access, now: int, command: ListDue) -> list[Order]:
    """What does not wait, or no longer, the oldest first; and batches that wait, since they may have lost all hope."""
    return [
        Order(key=row["batch"] or row["uuid"], batch=row["batch"] is not None, waits=(row["wait_until"] or 0) > now)
        for row in allocations.due(tx, command.incarnation, now, command.count_max)
    ]


def find_nodes(tx: Transaction, access: Access, now: int, command: Serve) -> list[tuple[str, ...]]:
    """What the order may have, to be tried in this sequence; nothing when it is no longer open."""
    wanted = _open(tx, command.order)
    if not wanted:
        return []
    chance = Random(command.seed)  # noqa: S311 - not a secret
    if command.order.batch:
        found = _left(tx, now, wanted, 0.0)
        if len(found) < len(wanted):
            return []
        # In the order of their numbers, in which they are locked.
        return [tuple(found[place] for place in sorted(chance.sample(range(len(found)), len(wanted))))]
    found = _left(tx, now, wanted, chance.random())
    chance.shuffle(found)
    return [(uuid,) for uuid in dict.fromkeys([*_namesake(tx, now, wanted[0]), *found])] if found else []


def try_nodes(tx: Transaction, access: Access, now: int, command: TryNodes) -> Outcome:
    """Give each allocation of the order a node, if all are still free and the order still this conductor's."""
    locked = [nodes.lock(tx, node, now) for node in command.nodes]
    wanted = _open(tx, command.order)
    if not wanted:
        return Outcome.SETTLED
    first, free = wanted[0], [node for node in locked if node is not None and is_free(node)]
    if len(free) != len(wanted):
        return Outcome.LOST
    has, taken = traits.of_providers(tx, [node.id for node in free]), promised(tx, now, first)
    if any(node.uuid in taken or not first.fits(node, has[node.id]) for node in free):
        return Outcome.LOST
    for place, (allocation, node) in enumerate(zip(wanted, free, strict=True)):
        if not allocations.grant(tx, allocation, command.incarnation, node.id, now):
            if place == 0:
                return Outcome.SETTLED
            raise Again  # Somebody withdrew one of a batch this very moment.
        attach(tx, now, allocation, node)
    return Outcome.SETTLED


def judge(tx: Transaction, access: Access, now: int, command: Serve) -> Outcome | str:
    """Too little was found: whether the order waits, or the reasons that it fails for.

    It is a read, since it may look at every node of a class: at that moment there was none, and that is the answer.
    """
    wanted = _open(tx, command.order)
    if not wanted:
        return Outcome.SETTLED
    reasons = free_nodes.count_reasons(tx, wanted[0])
    # What nothing speaks against is free, unless it is promised.
    free = len(_left(tx, now, wanted, 0.0)) if PROMISED in reasons else 0
    if free >= len(wanted):
        return Outcome.AGAIN
    # Waiting cannot make nodes of the right kind more; a batch that waits for nothing would keep others from theirs.
    possible = sum(count for reason, count in reasons.items() if not reason.startswith(LACKS))
    if wanted[0].waits(now) and not (command.order.batch and possible < len(wanted)):
        return Outcome.WAITS
    passing = LOCKED in reasons or reasons.get(PROMISED, 0) > free
    if passing and command.patient and possible >= len(wanted):
        return Outcome.LATER
    return _explain(command.order, wanted, reasons, free)


def fail_order(tx: Transaction, access: Access, now: int, command: Fail) -> None:
    """End all of an order with a reason, unless it has ended or is another conductor's by now."""
    for place, allocation in enumerate(_open(tx, command.order)):
        if not allocations.fail(tx, allocation, command.incarnation, command.reason, now):
            if place == 0:
                return
            raise Again  # Somebody withdrew one of a batch this very moment; all or none.


def list_dead(tx: Transaction, access: Access, now: int, command: ListDead) -> list[int]:
    """The row numbers of conductors that are dead or have stopped, and have allocations that nobody serves."""
    return allocations.dead_conductors(tx, now)


def take_over_allocations(tx: Transaction, access: Access, now: int, command: TakeOverAllocations) -> int:
    """Move all that a dead conductor left to this one, in one statement, so that no batch is torn; gives how many."""
    taker = conductors.get_by_incarnation(tx, command.incarnation)
    former = conductors.get_by_id(tx, command.conductor_id)
    if taker is None or former is None or former.id == taker.id or former.alive(now):
        return 0
    return allocations.move_all(tx, from_conductor=former.id, to_conductor=taker.id)


def _open(tx: Transaction, order: Order) -> list[Allocation]:
    """The allocations of the order that want a node, the first first."""
    if order.batch:
        found = allocations.of_batch(tx, order.key)
    else:
        allocation = allocations.get(tx, order.key)
        found = [allocation] if allocation is not None else []
    return [allocation for allocation in found if allocation.state == ALLOCATING]


def _left(tx: Transaction, now: int, wanted: Sequence[Allocation], point: float) -> list[str]:
    """Free nodes for an order from a point on, in the order of their numbers, that nobody before it takes."""
    taken = promised(tx, now, wanted[0])
    # With so many, enough are left even if all that are taken suit this one too.
    found = free_nodes.search(tx, wanted[0], point, len(taken) + len(wanted) + FOUND_MAX)
    return [uuid for uuid in found if uuid not in taken]


def _namesake(tx: Transaction, now: int, allocation: Allocation) -> list[str]:
    """The node that has the allocation's name comes first, so that "db-1" gets the machine "db-1" when it can."""
    found = free_nodes.namesake(tx, allocation)
    return [uuid for uuid in found if uuid not in promised(tx, now, allocation)]


def _explain(order: Order, wanted: Sequence[Allocation], reasons: Mapping[str, int], free: int) -> str:
    if not order.batch:
        return explain_shortage(wanted[0], reasons)
    reason = f"{len(wanted)} nodes wanted together, {free} free"
    others = {name: count for name, count in reasons.items() if name != PROMISED}
    return f"{reason}; {explain_shortage(wanted[0], others)}" if others else reason
