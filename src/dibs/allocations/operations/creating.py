"""Create allocations: with a node, or in the queue.

With ``node`` the allocation takes a node that is deployed already (a backfill), with ``hold`` a node that the caller
holds, and with ``chosen`` a node that a search found free a moment before (docs/adr/0022). Without one of these, or
when the chosen node is taken by now, the allocation is written for a conductor, which finds a node later.
"""

import uuid
from collections.abc import Iterable
from zlib import crc32

from msgspec import Struct, field
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.allocations.model.access import check_owner
from dibs.allocations.model.allocations import (
    ACTIVE,
    Allocation,
    Lifetime,
    check_resource_class,
    mismatches,
    unfit_to_backfill,
)
from dibs.allocations.model.errors import CannotBackfill, InstanceInUse, NoConductorAvailable
from dibs.allocations.model.events import ALLOCATION_QUEUED, ALLOCATION_WAITS
from dibs.allocations.model.lifetimes import LifetimeRules, begin, choose_lifetime
from dibs.allocations.operations.granting import attach_nodes
from dibs.allocations.operations.queue import in_turn, new_entry
from dibs.allocations.queries import allocations
from dibs.database.transaction import Transaction
from dibs.errors import BadValue
from dibs.ledger.model.traits import check_traits
from dibs.ledger.queries import traits
from dibs.machines.model.access import CHANGE_INSTANCE, check_named_node, sees_node
from dibs.machines.model.conductors import after
from dibs.machines.model.errors import NodeAssociated
from dibs.machines.model.nodes import Json, Node, is_free
from dibs.machines.operations import holds
from dibs.machines.operations.nodes import check_unlocked
from dibs.machines.queries import conductors, nodes


class CreateAllocation(Struct, frozen=True, kw_only=True):
    """Ask for a node of a class; or, with ``node``, add the allocation that a deployed node lacks."""

    uuid: str | None = None
    """None: a new one, or with ``node`` its instance."""
    name: str | None = None
    resource_class: str | None = None
    """None only with ``node`` or ``hold``: the class of that node."""
    traits: tuple[str, ...] = ()
    candidate_nodes: tuple[str, ...] = ()
    """Uuids or names."""
    extra: Json = field(default_factory=dict)
    owner: str | None = None
    node: str | None = None
    """The uuid or name of a deployed node."""
    wait_seconds: float | None = None
    """How long to wait for a node to become free; None fails when no node is free."""
    sticky: bool = False
    keep_alive_seconds: int | None = None
    """End the allocation when its client sends no heartbeat for this long; None needs no heartbeats."""
    lifetime: Lifetime = Lifetime()
    lifetime_rules: LifetimeRules = field(default_factory=LifetimeRules)
    batch: str | None = None
    hold: str | None = None
    """The uuid of a hold: its node goes to the allocation in the same transaction."""
    chosen: str | None = None
    """The uuid of a node that ``matching.find_node`` found: the allocation gets it if it is still free."""
    incarnation: str | None = None
    """The conductor that finds the node, as registered; None is any live one."""


def create_allocation(tx: Transaction, access: Access, now: int, command: CreateAllocation) -> Allocation:
    """Store an allocation: with its node, or for a conductor that finds one later."""
    check_owner(access, command.owner)
    check_traits(command.traits)
    if command.node is not None and command.hold is not None:
        raise BadValue(reason="Fields node and reservation_uuid: a reserved node is not in use, so give one of them.")
    if command.node is not None or command.hold is not None:
        # The node is known, but without a live conductor nothing could be deployed on it.
        choose_live_conductor(tx, now, command.uuid or "", command.incarnation)
    if command.node is not None:
        return _backfill(tx, access, now, command, command.node)
    if command.hold is not None:
        return _take_held_node(tx, access, now, command, command.hold)
    if command.resource_class is None:
        raise BadValue(reason="The resource_class field is mandatory when not backfilling")
    check_resource_class(command.resource_class)
    chosen = nodes.lock(tx, command.chosen, now) if command.chosen is not None else None
    allocation = allocation_for_conductor(tx, access, now, command, command.uuid or str(uuid.uuid4()))
    if chosen is not None and _may_take(tx, now, allocation, chosen):
        return _create_with_node(tx, now, command, _with_node(allocation, chosen), chosen, asked=allocation)
    announce_queued(tx, command)
    return allocations.create(tx, allocation)


def announce_queued(tx: Transaction, command: CreateAllocation) -> None:
    """Let the conductors of this process look at the queue after the commit."""
    tx.publish(ALLOCATION_QUEUED)
    if command.wait_seconds is not None:
        tx.publish(ALLOCATION_WAITS)


def allocation_for_conductor(
    tx: Transaction, access: Access, now: int, command: CreateAllocation, allocation_uuid: str
) -> Allocation:
    """Return a new allocation for a live conductor; the caller stores it."""
    _check_uuid(tx, now, allocation_uuid, command.owner)
    return replace(
        _described(tx, access, now, command, allocation_uuid),
        wait_until=None if command.wait_seconds is None else after(now, command.wait_seconds),
        batch=command.batch,
        conductor_id=choose_live_conductor(tx, now, allocation_uuid, command.incarnation),
    )


def choose_live_conductor(tx: Transaction, now: int, seed: str, incarnation: str | None = None) -> int:
    """Return the id of a live conductor, of any group: finding a node takes no driver. The seed spreads the choice."""
    live = [
        conductor
        for conductor in conductors.every(tx)
        if conductor.alive(now) and incarnation in (None, conductor.incarnation)
    ]
    if not live:
        raise NoConductorAvailable
    return live[(crc32(seed.encode()) + now) % len(live)].id


def find_candidates(tx: Transaction, access: Access, idents: Iterable[str]) -> tuple[str, ...]:
    """Return the uuids of nodes given by uuid or name, each once; raise BadValue for those the caller does not see."""
    idents = tuple(dict.fromkeys(idents))
    known = nodes.get_many(tx, idents)
    visible = {ident: node.uuid for ident, node in known.items() if sees_node(access, node)}
    if missing := [ident for ident in idents if ident not in visible]:
        raise BadValue(reason=f"Nodes cannot be found: {', '.join(missing)}")
    return tuple(dict.fromkeys(visible[ident] for ident in idents))


def _backfill(tx: Transaction, access: Access, now: int, command: CreateAllocation, ident: str) -> Allocation:
    # The allocation decides over the instance of the node: deleting it removes the instance.
    # Quirk not copied: in Ironic a caller that sees the node may backfill it.
    node = check_named_node(access, nodes.lock(tx, ident, now), ident, (CHANGE_INSTANCE,))
    check_unlocked(node)
    allocation_uuid = command.uuid or node.instance_uuid or str(uuid.uuid4())
    if allocation_uuid != node.instance_uuid and allocations.is_instance(tx, allocation_uuid):
        raise InstanceInUse(instance=allocation_uuid)
    allocation = _with_node(_described(tx, access, now, command, allocation_uuid), node)
    mistakes = unfit_to_backfill(allocation.requirements, node, traits.of_provider(tx, node.id))
    if mistakes:
        raise CannotBackfill(node=node.uuid, reason="; ".join(mistakes))
    if node.instance_uuid not in (None, allocation.uuid):
        raise NodeAssociated(node=node.uuid, instance=node.instance_uuid)
    return _create_with_node(tx, now, command, allocation, node)


def _take_held_node(tx: Transaction, access: Access, now: int, command: CreateAllocation, proof: str) -> Allocation:
    allocation_uuid = command.uuid or str(uuid.uuid4())
    node = holds.consume_for_allocation(tx, access, now, proof=proof)
    _check_uuid(tx, now, allocation_uuid, command.owner)
    allocation = _with_node(_described(tx, access, now, command, allocation_uuid), node)
    found = mismatches(allocation.requirements, node, traits.of_provider(tx, node.id))
    if found:
        raise BadValue(reason=f"Reserved node {node.uuid} is not what is asked for: {'; '.join(found)}.")
    return _create_with_node(tx, now, command, allocation, node)


def _may_take(tx: Transaction, now: int, allocation: Allocation, node: Node) -> bool:
    """Return True when a locked node is free and suitable, and no allocation that waits takes it."""
    required = allocation.requirements
    if not is_free(node) or not required.accept(node, traits.of_provider(tx, node.id) if required.traits else ()):
        return False
    return bool(in_turn(tx, now, [(new_entry(required, 1, now), (node.uuid,))]))


def _check_uuid(tx: Transaction, now: int, allocation_uuid: str, project: str | None) -> None:
    """Raise InstanceInUse for a uuid with a node, with a hold, or with claims of another project."""
    use = allocations.use_of(tx, allocation_uuid)
    foreign = use.consumer_id is not None and project not in (None, use.project)
    held = use.held_until is not None and use.held_until > now
    if foreign or held or use.node_id is not None:
        raise InstanceInUse(instance=allocation_uuid)


def _described(
    tx: Transaction, access: Access, now: int, command: CreateAllocation, allocation_uuid: str
) -> Allocation:
    """Return the allocation as the client describes it, without a conductor and without a node."""
    lifetime = choose_lifetime(command.lifetime_rules, now, command.lifetime)
    return Allocation(
        id=0,
        uuid=allocation_uuid,
        name=command.name,
        resource_class=command.resource_class,
        traits=tuple(dict.fromkeys(command.traits)),
        candidate_nodes=find_candidates(tx, access, command.candidate_nodes),
        extra=command.extra,
        owner=command.owner,
        user_id=access.actor.user,
        sticky=command.sticky,
        keep_alive_seconds=command.keep_alive_seconds,
        alive_until=None if command.keep_alive_seconds is None else after(now, command.keep_alive_seconds),
        lifetime_seconds=lifetime.seconds,
        ends_at=lifetime.until,
        end_due_at=lifetime.until,
        created_at=now,
    )


def _with_node(allocation: Allocation, node: Node) -> Allocation:
    return replace(
        allocation,
        state=ACTIVE,
        resource_class=allocation.resource_class or node.resource_class,
        node_id=node.id,
        node_uuid=node.uuid,
        updated_at=allocation.created_at,
    )


def _create_with_node(
    tx: Transaction,
    now: int,
    command: CreateAllocation,
    allocation: Allocation,
    node: Node,
    asked: Allocation | None = None,
) -> Allocation:
    end = begin(command.lifetime_rules, allocation.lifetime, now)
    allocation = allocations.create(tx, replace(allocation, ends_at=end.ends_at, end_due_at=end.due_at), asked)
    attach_nodes(tx, now, [(allocation, node, end.release_at)])
    return allocation
