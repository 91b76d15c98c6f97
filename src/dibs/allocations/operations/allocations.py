"""Allocations for a node: ask, look, change, give back. Who serves them is in ``serving``.

An allocation that has a node is given back under the lock of that node, as the node itself is changed.
"""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from zlib import crc32

from dibs.access.access import Access
from dibs.allocations.model.allocations import (
    ACTIVE,
    Allocation,
    AllocationQuery,
    check_removable,
    check_resource_class,
    mismatches,
    unfit_to_backfill,
)
from dibs.allocations.model.errors import (
    AllocationNotFound,
    CannotBackfill,
    InstanceInUse,
    NoConductorAvailable,
    NodeHasNoAllocation,
)
from dibs.allocations.queries import allocations
from dibs.database.transaction import Again, Transaction
from dibs.errors import BadValue
from dibs.ledger.model.traits import check_traits
from dibs.ledger.queries import consumers, traits
from dibs.machines.model.conductors import after
from dibs.machines.model.errors import NodeAssociated, NodeNotFound
from dibs.machines.model.nodes import Json, Node
from dibs.machines.operations import holds, node_claims
from dibs.machines.operations.nodes import Guard, check_unlocked
from dibs.machines.operations.saving import save_node
from dibs.machines.queries import conductors, nodes

AllocationGuard = Callable[[Allocation], None]


def _any_node(node: Node) -> None:
    """The guard of somebody who sees every node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateAllocation:
    """Ask for a node of a class; or, with ``node``, enter the allocation that a node in use never had."""

    uuid: str | None = None
    """None: a new one, or with ``node`` its instance."""
    name: str | None = None
    resource_class: str | None = None
    """None only with ``node``: its class."""
    traits: tuple[str, ...] = ()
    candidate_nodes: tuple[str, ...] = ()
    """Uuids or names."""
    extra: Json = field(default_factory=dict)
    owner: str | None = None
    node: str | None = None
    node_guard: Guard = _any_node
    """Raises NodeNotFound for nodes that the caller may not know of."""
    wait_seconds: float | None = None
    """Rather than fail at once, wait so long for a node to become free."""
    sticky: bool = False
    batch: str | None = None
    hold: str | None = None
    """The uuid of a hold: its node becomes the allocation's, with nobody in between."""
    incarnation: str | None = None
    """The conductor that is to find the node, as registered; None: any that lives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GetAllocation:
    """One allocation by uuid or name."""

    ident: str
    guard: AllocationGuard
    """Raises when the caller may not do this with the allocation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GetAllocationOfNode:
    """The allocation that has a node, by the node's uuid or name."""

    node: str
    node_guard: Guard
    guard: AllocationGuard


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateAllocation(GetAllocation):
    """Change an allocation's name or extra."""

    edit: Callable[[Allocation], Mapping[str, Any]]
    """Gets the allocation as it is inside the transaction, returns the attributes to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListAllocations:
    """One page of allocations; a node in the query is a uuid or name."""

    query: AllocationQuery
    node: str | None = None
    node_guard: Guard = _any_node


def create_allocation(tx: Transaction, access: Access, now: int, command: CreateAllocation) -> Allocation:
    """Write down what is asked for and who is to find it; the caller gets the node later."""
    check_traits(command.traits)
    if command.node is not None and command.hold is not None:
        raise BadValue(reason="Fields node and reservation_uuid: a reserved node is not in use, so give one of them.")
    if command.node is not None or command.hold is not None:
        # No search is needed, but without anybody to work on the node nothing is promised either.
        choose_live_conductor(tx, now, command.uuid or "", command.incarnation)
    if command.node is not None:
        return _backfill(tx, now, command, command.node)
    if command.hold is not None:
        return _from_hold(tx, access, now, command, command.hold)
    if command.resource_class is None:
        raise BadValue(reason="The resource_class field is mandatory when not backfilling")
    check_resource_class(command.resource_class)
    allocation = new_allocation(tx, now, command, command.uuid or str(uuid.uuid4()), command.resource_class)
    return allocations.create(tx, allocation)


def new_allocation(
    tx: Transaction, now: int, command: CreateAllocation, allocation_uuid: str, resource_class: str | None
) -> Allocation:
    """The allocation as it begins, given to a random live conductor; not yet stored."""
    _check_uuid(tx, now, allocation_uuid, command.owner)
    return Allocation(
        id=0,
        uuid=allocation_uuid,
        name=command.name,
        resource_class=resource_class,
        traits=tuple(dict.fromkeys(command.traits)),
        candidate_nodes=candidate_uuids(tx, command),
        extra=command.extra,
        owner=command.owner,
        conductor_id=choose_live_conductor(tx, now, allocation_uuid, command.incarnation),
        wait_until=None if command.wait_seconds is None else after(now, command.wait_seconds),
        sticky=command.sticky,
        batch=command.batch,
        created_at=now,
    )


def choose_live_conductor(tx: Transaction, now: int, seed: str, incarnation: str | None = None) -> int:
    """Any conductor that is alive: finding a node takes no driver. The seed spreads the choice."""
    live = [
        conductor
        for conductor in conductors.every(tx)
        if conductor.alive(now) and incarnation in (None, conductor.incarnation)
    ]
    if not live:
        raise NoConductorAvailable
    return live[(crc32(seed.encode()) + now) % len(live)].id


def get_allocation(tx: Transaction, access: Access, now: int, command: GetAllocation) -> Allocation:
    """One allocation."""
    return _found(tx, command)


def get_allocation_of_node(tx: Transaction, access: Access, now: int, command: GetAllocationOfNode) -> Allocation:
    """The allocation that has a node."""
    return _of_node(tx, command)


def list_allocations(tx: Transaction, access: Access, now: int, command: ListAllocations) -> list[Allocation]:
    """One page of allocations."""
    query = command.query
    if command.node is not None:
        node = nodes.get(tx, command.node)
        try:
            if node is None:
                raise NodeNotFound(node=command.node)
            command.node_guard(node)
        except NodeNotFound as error:
            raise BadValue(reason=str(error)) from error
        query = replace(query, node=node.uuid)
    page = allocations.page(tx, query)
    if page is None:
        raise AllocationNotFound(allocation=query.marker)
    return page


def update_allocation(tx: Transaction, access: Access, now: int, command: UpdateAllocation) -> Allocation:
    """Change what may be changed at any time."""
    allocation = allocations.lock(tx, command.ident)
    if allocation is None:
        raise AllocationNotFound(allocation=command.ident)
    command.guard(allocation)
    changes = dict(command.edit(allocation))
    return allocations.update(tx, allocation, now, **changes) if changes else allocation


def delete_allocation(tx: Transaction, access: Access, now: int, command: GetAllocation) -> None:
    """Withdraw an allocation, or give its node back."""
    _delete(tx, now, lambda: _found(tx, command))


def delete_allocation_of_node(tx: Transaction, access: Access, now: int, command: GetAllocationOfNode) -> None:
    """Give a node back."""
    _delete(tx, now, lambda: _of_node(tx, command))


def attach(tx: Transaction, now: int, allocation: Allocation, node: Node) -> None:
    """Let a locked node carry an allocation: its instance, claim and traits. The caller writes the allocation's row."""
    info = {name: value for name, value in node.instance_info.items() if name != "traits"}
    if allocation.traits:
        info["traits"] = list(allocation.traits)
    after_change = save_node(tx, node, now, instance_uuid=allocation.uuid, instance_info=info)
    node_claims.associate(tx, now, after_change, allocation.uuid)


def _backfill(tx: Transaction, now: int, command: CreateAllocation, ident: str) -> Allocation:
    """Enter an allocation for a node that is in use already: at once, and without any search."""
    node = nodes.lock(tx, ident, now)
    try:
        if node is None:
            raise NodeNotFound(node=ident)
        command.node_guard(node)
    except NodeNotFound as error:
        raise BadValue(reason=str(error)) from error
    check_unlocked(node)
    allocation_uuid = command.uuid or node.instance_uuid or str(uuid.uuid4())
    if allocation_uuid != node.instance_uuid and allocations.is_instance(tx, allocation_uuid):
        raise InstanceInUse(instance=allocation_uuid)
    allocation = _allocation_with(tx, now, command, allocation_uuid, node)
    mistakes = unfit_to_backfill(allocation, node, traits.of_provider(tx, node.id))
    if mistakes:
        raise CannotBackfill(node=node.uuid, reason="; ".join(mistakes))
    if node.instance_uuid not in (None, allocation.uuid):
        raise NodeAssociated(node=node.uuid, instance=node.instance_uuid)
    allocation = allocations.create(tx, allocation)
    attach(tx, now, allocation, node)
    return allocation


def _from_hold(tx: Transaction, access: Access, now: int, command: CreateAllocation, proof: str) -> Allocation:
    """Let a held node become the allocation's."""
    allocation_uuid = command.uuid or str(uuid.uuid4())
    node = holds.consume_for_allocation(tx, access, now, proof=proof)
    _check_uuid(tx, now, allocation_uuid, command.owner)
    allocation = _allocation_with(tx, now, command, allocation_uuid, node)
    found = mismatches(allocation, node, traits.of_provider(tx, node.id))
    if found:
        raise BadValue(reason=f"Reserved node {node.uuid} is not what is asked for: {'; '.join(found)}.")
    allocation = allocations.create(tx, allocation)
    attach(tx, now, allocation, node)
    return allocation


def _check_uuid(tx: Transaction, now: int, allocation_uuid: str, project: str | None) -> None:
    """Refuse a uuid under which somebody has a node, holds one, or has claims in another project's name."""
    consumer = consumers.get(tx, allocation_uuid)
    strange = consumer is not None and project is not None and consumer.project_id != project
    if strange or allocations.is_instance(tx, allocation_uuid) or holds.is_held_for(tx, now, allocation_uuid):
        raise InstanceInUse(instance=allocation_uuid)


def _allocation_with(
    tx: Transaction, now: int, command: CreateAllocation, allocation_uuid: str, node: Node
) -> Allocation:
    """The allocation as it is that has its node from the beginning; not yet stored."""
    return Allocation(
        id=0,
        uuid=allocation_uuid,
        name=command.name,
        state=ACTIVE,
        resource_class=command.resource_class or node.resource_class,
        traits=tuple(dict.fromkeys(command.traits)),
        candidate_nodes=candidate_uuids(tx, command),
        extra=command.extra,
        owner=command.owner,
        node_id=node.id,
        node_uuid=node.uuid,
        sticky=command.sticky,
        created_at=now,
        updated_at=now,
    )


def candidate_uuids(tx: Transaction, command: CreateAllocation) -> tuple[str, ...]:
    """The uuids of the candidates, each once, in the order given."""
    found: dict[str, None] = {}
    missing = []
    known = nodes.get_many(tx, command.candidate_nodes)
    for ident in dict.fromkeys(command.candidate_nodes):
        node = known.get(ident)
        try:
            if node is None:
                raise NodeNotFound(node=ident)
            command.node_guard(node)
        except NodeNotFound:
            missing.append(ident)
        else:
            found[node.uuid] = None
    if missing:
        raise BadValue(reason=f"Nodes cannot be found: {', '.join(missing)}")
    return tuple(found)


def _found(tx: Transaction, command: GetAllocation) -> Allocation:
    allocation = allocations.get(tx, command.ident)
    if allocation is None:
        raise AllocationNotFound(allocation=command.ident)
    command.guard(allocation)
    return allocation


def _of_node(tx: Transaction, command: GetAllocationOfNode) -> Allocation:
    node = nodes.get(tx, command.node)
    if node is None:
        raise NodeNotFound(node=command.node)
    command.node_guard(node)
    allocation = allocations.of_node(tx, node.id)
    if allocation is None:
        if node.instance_uuid is not None:
            raise BadValue(reason=f"Node {node.uuid} has instance {node.instance_uuid}, which is no allocation's.")
        raise NodeHasNoAllocation(node=command.node)
    command.guard(allocation)
    return allocation


def _delete(tx: Transaction, now: int, find: Callable[[], Allocation]) -> None:
    """The allocation is found first only to learn which node it has; it is read again under that node's lock."""
    allocation = find()
    if allocation.node_uuid is None:
        if not allocations.delete_unplaced(tx, allocation):
            raise Again  # It was given a node in between, or somebody else withdrew it.
        return
    node = nodes.lock(tx, allocation.node_uuid, now)
    allocation = find()
    if node is None or allocation.node_id != node.id:
        raise Again
    check_removable(node, allocation)
    check_unlocked(node)
    allocations.delete(tx, allocation)
    node_claims.release(tx, now, node)
    info = {name: value for name, value in node.instance_info.items() if name != "traits"}
    save_node(tx, node, now, instance_uuid=None, instance_name=None, instance_info=info)
