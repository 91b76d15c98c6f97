"""End allocations whose client is gone or whose lifetime is over, and renew lifetimes.

Conductors look at every due allocation: one gives notice, and one ends the allocation, under the lock of its node. An
allocation that ends leaves the queue or loses its node, and stays in ``error`` with the reason.
"""

from msgspec import Struct, field

from dibs.access.access import Access
from dibs.allocations.model.access import UPDATE, check_allocation
from dibs.allocations.model.allocations import ERROR, Allocation, Lifetime
from dibs.allocations.model.errors import NodePromised
from dibs.allocations.model.lifetimes import End, LifetimeRules, Step, begin, choose_lifetime, next_step
from dibs.allocations.operations.granting import detach_node
from dibs.allocations.queries import allocations, endings, forecasts, free_nodes
from dibs.database.transaction import Again, Transaction
from dibs.leases.model.matching.latest_end import BOOKED, LIMITED, LatestEnd
from dibs.leases.model.matching.shortages import format_minute
from dibs.machines.model import states
from dibs.machines.model.conductors import after
from dibs.machines.model.errors import WrongState
from dibs.machines.model.nodes import Node
from dibs.machines.operations.guards import node_guards
from dibs.machines.operations.provisioning import begin_teardown
from dibs.machines.operations.saving import save_node
from dibs.machines.queries import nodes

POSTPONE_SECONDS = 10
"""When to look again at an allocation whose node is busy."""

PROMISED = "an allocation in the queue has it from then on"

_REPORT = "Its lifetime is over. It keeps its node until it is deleted, because ends are only reported."


class RenewAllocation(Struct, frozen=True, kw_only=True):
    """Give an allocation another end, counted from now; without one, the lifetime that it had, or the default."""

    ident: str
    lifetime: Lifetime = Lifetime()
    rules: LifetimeRules = field(default_factory=LifetimeRules)


class FindLatestEnd(Struct, frozen=True, kw_only=True):
    """Ask until when an allocation can be renewed now."""

    ident: str
    rules: LifetimeRules = field(default_factory=LifetimeRules)


class NodeBusy(Exception):
    """The node of an allocation that ends cannot be released at the moment; nothing was written."""


def renew_allocation(tx: Transaction, access: Access, now: int, command: RenewAllocation) -> Allocation:
    """Change the end of an allocation, unless its node is promised to another user from an earlier moment on."""
    allocation = check_allocation(access, allocations.get(tx, command.ident), command.ident, UPDATE)
    allocation, node = _lock_node(tx, now, allocation)
    if allocation.state == ERROR:
        raise WrongState(reason=f"Only an allocation that has not ended can be renewed; {allocation.uuid} has failed")
    asked = command.lifetime if any(command.lifetime) else Lifetime(seconds=allocation.lifetime_seconds)
    lifetime = choose_lifetime(command.rules, now, asked)
    end = begin(command.rules, lifetime, now)
    if end.ends_at is None:
        raise WrongState(reason=f"Allocation {allocation.uuid} has no end. Give lifetime or until to set one")
    if node is not None:
        _check_promises(tx, node, end.release_at or end.ends_at, command.rules)
        save_node(tx, node, now, instance_until=end.release_at)
    else:
        end = End(lifetime.until, lifetime.until)  # A lifetime begins when there is a node.
    if not endings.renew(tx, allocation, lifetime, end, now):
        raise Again  # A conductor granted it a node or ended it, or a client deleted it, after it was read.
    return allocations.get(tx, allocation.uuid) or allocation


def find_latest_end(tx: Transaction, access: Access, now: int, command: FindLatestEnd) -> LatestEnd:
    """Return the latest end that a renewal can give an allocation: when a lease needs its node, or the maximum."""
    allocation = check_allocation(access, allocations.get(tx, command.ident), command.ident)
    rules, found = command.rules, LatestEnd(allocation.ends_at, None, "")
    if allocation.node_id is not None and allocation.node_uuid is not None:
        booked = free_nodes.booked_from(tx, allocation.node_id)
        promised = forecasts.promised_from(tx, allocation.node_uuid, allocation.resource_class)
        grace = rules.grace_seconds if rules.releases else 0
        if booked is not None:
            found = found.limited_to(after(booked, -grace), BOOKED)
        if promised is not None:
            found = found.limited_to(after(promised, -grace - rules.turnover_seconds), PROMISED)
    return found.limited_to(after(now, rules.seconds_max) if rules.seconds_max else None, LIMITED)


def list_due_allocations(tx: Transaction, access: Access, now: int, count_max: int) -> list[str]:
    """Return the uuids of allocations whose heartbeat is overdue, or whose end or notice of it is due."""
    return endings.due(tx, now, count_max)


def end_due_allocation(tx: Transaction, access: Access, now: int, uuid: str) -> Step:
    """Give notice of the end of an allocation, report it, or end the allocation; return what was done."""
    allocation = allocations.get(tx, uuid)
    if allocation is None:
        return Step.NOTHING
    allocation, node = _lock_node(tx, now, allocation)
    release_at = None if node is None else node.instance_until
    step = next_step(allocation, release_at, now)
    match step:
        case Step.NOTICE:
            done = endings.notice(tx, allocation, release_at or allocation.ends_at or now, now)
        case Step.REPORT:
            done = endings.report(tx, allocation, _REPORT, now)
        case Step.END:
            done = endings.end(tx, allocation, _reason(allocation, node, now), now)
            if done and node is not None and not _release(tx, now, node):
                raise NodeBusy
        case _:
            done = True
            if step is Step.WAIT and release_at is not None:
                endings.postpone(tx, allocation, release_at, now)
    return step if done else Step.NOTHING


def postpone_end(tx: Transaction, access: Access, now: int, uuid: str) -> None:
    """Look at a due allocation again when its node may be free."""
    allocation = allocations.get(tx, uuid)
    if allocation is not None:
        endings.postpone(tx, allocation, after(now, POSTPONE_SECONDS), now)


def _lock_node(tx: Transaction, now: int, allocation: Allocation) -> tuple[Allocation, Node | None]:
    """Lock the node of an allocation, which was read without a lock to learn which node to lock, and read it again."""
    if allocation.node_uuid is None:
        return allocation, None
    node = nodes.lock(tx, allocation.node_uuid, now)
    current = allocations.get(tx, allocation.uuid)
    if node is None or current is None or current.node_id != node.id:
        raise Again
    return current, node


def _check_promises(tx: Transaction, node: Node, until: int, rules: LifetimeRules) -> None:
    """Raise when a lease has booked the node, or the queue promises it, before a moment that is later than before."""
    for guard in node_guards(tx):
        guard.check_hold(tx, node, until)
    start = forecasts.promised_from(tx, node.uuid, node.resource_class)
    later = node.instance_until is None or until > node.instance_until
    if start is not None and later and after(until, rules.turnover_seconds) > start:
        raise NodePromised(node=node.name or node.uuid, start=format_minute(start))


def _release(tx: Transaction, now: int, node: Node) -> bool:
    """Take the instance off a locked node, by a teardown if it is deployed; return False while it is busy."""
    if begin_teardown(tx, now, node):
        return True
    if node.reservation is not None or node.provision_state in (states.ACTIVE, *states.PHASES, *states.PAUSED):
        return False
    detach_node(tx, now, node)
    return True


def _reason(allocation: Allocation, node: Node | None, now: int) -> str:
    cause = "Its lifetime is over"
    if allocation.is_abandoned(now):
        cause = f"Its client sent no heartbeat for {allocation.keep_alive_seconds} seconds"
    if node is None:
        return f"{cause}, so it was withdrawn from the queue."
    return f"{cause}, so node {node.name or node.uuid} was released."
