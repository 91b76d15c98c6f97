"""Requests for a node: ask, look, change, give back. Who serves them is in ``serving``.

A request that has a node is given back under the lock of that node, as the node itself is changed.
"""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from zlib import crc32

from dibs.access.access import Access
from dibs.allocations.model.allocations import (
    ACTIVE,
    NodeRequest,
    NodeRequestQuery,
    check_removable,
    check_resource_class,
    mismatches,
    unfit_to_backfill,
)
from dibs.allocations.model.errors import (
    CannotBackfill,
    InstanceInUse,
    NobodyToFindNodes,
    NodeHasNoRequest,
    NodeRequestNotFound,
)
from dibs.allocations.queries import allocations as node_requests
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

RequestGuard = Callable[[NodeRequest], None]


def _any_node(node: Node) -> None:
    """The guard of somebody who sees every node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateNodeRequest:
    """Ask for a node of a class; or, with ``node``, enter the request that a node in use never had."""

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
    """The uuid of a hold: its node becomes the request's, with nobody in between."""
    incarnation: str | None = None
    """The conductor that is to find the node, as registered; None: any that lives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GetNodeRequest:
    """One request by uuid or name."""

    ident: str
    guard: RequestGuard
    """Raises when the caller may not do this with the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GetRequestOfNode:
    """The request that has a node, by the node's uuid or name."""

    node: str
    node_guard: Guard
    guard: RequestGuard


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateNodeRequest(GetNodeRequest):
    """Change a request's name or extra."""

    edit: Callable[[NodeRequest], Mapping[str, Any]]
    """Gets the request as it is inside the transaction, returns the attributes to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListNodeRequests:
    """One page of requests; a node in the query is a uuid or name."""

    query: NodeRequestQuery
    node: str | None = None
    node_guard: Guard = _any_node


def create_node_request(tx: Transaction, access: Access, now: int, command: CreateNodeRequest) -> NodeRequest:
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
    request = new_request(tx, now, command, command.uuid or str(uuid.uuid4()), command.resource_class)
    return node_requests.create(tx, request)


def new_request(
    tx: Transaction, now: int, command: CreateNodeRequest, request_uuid: str, resource_class: str | None
) -> NodeRequest:
    """The request as it begins, given to a random live conductor; not yet stored."""
    _check_uuid(tx, now, request_uuid, command.owner)
    return NodeRequest(
        id=0,
        uuid=request_uuid,
        name=command.name,
        resource_class=resource_class,
        traits=tuple(dict.fromkeys(command.traits)),
        candidate_nodes=candidate_uuids(tx, command),
        extra=command.extra,
        owner=command.owner,
        conductor_id=choose_live_conductor(tx, now, request_uuid, command.incarnation),
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
        raise NobodyToFindNodes
    return live[(crc32(seed.encode()) + now) % len(live)].id


def get_node_request(tx: Transaction, access: Access, now: int, command: GetNodeRequest) -> NodeRequest:
    """One request."""
    return _found(tx, command)


def get_request_of_node(tx: Transaction, access: Access, now: int, command: GetRequestOfNode) -> NodeRequest:
    """The request that has a node."""
    return _of_node(tx, command)


def list_node_requests(tx: Transaction, access: Access, now: int, command: ListNodeRequests) -> list[NodeRequest]:
    """One page of requests."""
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
    page = node_requests.page(tx, query)
    if page is None:
        raise NodeRequestNotFound(request=query.marker)
    return page


def update_node_request(tx: Transaction, access: Access, now: int, command: UpdateNodeRequest) -> NodeRequest:
    """Change what may be changed at any time."""
    request = node_requests.lock(tx, command.ident)
    if request is None:
        raise NodeRequestNotFound(request=command.ident)
    command.guard(request)
    changes = dict(command.edit(request))
    return node_requests.update(tx, request, now, **changes) if changes else request


def delete_node_request(tx: Transaction, access: Access, now: int, command: GetNodeRequest) -> None:
    """Withdraw a request, or give its node back."""
    _delete(tx, now, lambda: _found(tx, command))


def delete_request_of_node(tx: Transaction, access: Access, now: int, command: GetRequestOfNode) -> None:
    """Give a node back."""
    _delete(tx, now, lambda: _of_node(tx, command))


def attach(tx: Transaction, now: int, request: NodeRequest, node: Node) -> None:
    """Let a locked node carry a request: its instance, its claim and its traits. The request's row is the caller's."""
    info = {name: value for name, value in node.instance_info.items() if name != "traits"}
    if request.traits:
        info["traits"] = list(request.traits)
    after_change = save_node(tx, node, now, instance_uuid=request.uuid, instance_info=info)
    node_claims.associate(tx, now, after_change, request.uuid)


def _backfill(tx: Transaction, now: int, command: CreateNodeRequest, ident: str) -> NodeRequest:
    """Enter a request for a node that is in use already: at once, and without any search."""
    node = nodes.lock(tx, ident, now)
    try:
        if node is None:
            raise NodeNotFound(node=ident)
        command.node_guard(node)
    except NodeNotFound as error:
        raise BadValue(reason=str(error)) from error
    check_unlocked(node)
    request_uuid = command.uuid or node.instance_uuid or str(uuid.uuid4())
    if request_uuid != node.instance_uuid and node_requests.is_instance(tx, request_uuid):
        raise InstanceInUse(instance=request_uuid)
    request = _request_with(tx, now, command, request_uuid, node)
    mistakes = unfit_to_backfill(request, node, traits.of_provider(tx, node.id))
    if mistakes:
        raise CannotBackfill(node=node.uuid, reason="; ".join(mistakes))
    if node.instance_uuid not in (None, request.uuid):
        raise NodeAssociated(node=node.uuid, instance=node.instance_uuid)
    request = node_requests.create(tx, request)
    attach(tx, now, request, node)
    return request


def _from_hold(tx: Transaction, access: Access, now: int, command: CreateNodeRequest, proof: str) -> NodeRequest:
    """Let a held node become the request's."""
    request_uuid = command.uuid or str(uuid.uuid4())
    node = holds.consume_for_request(tx, access, now, proof=proof)
    _check_uuid(tx, now, request_uuid, command.owner)
    request = _request_with(tx, now, command, request_uuid, node)
    found = mismatches(request, node, traits.of_provider(tx, node.id))
    if found:
        raise BadValue(reason=f"Reserved node {node.uuid} is not what is asked for: {'; '.join(found)}.")
    request = node_requests.create(tx, request)
    attach(tx, now, request, node)
    return request


def _check_uuid(tx: Transaction, now: int, request_uuid: str, project: str | None) -> None:
    """Refuse a uuid under which somebody has a node, holds one, or has claims in another project's name."""
    consumer = consumers.get(tx, request_uuid)
    strange = consumer is not None and project is not None and consumer.project_id != project
    if strange or node_requests.is_instance(tx, request_uuid) or holds.is_awaited(tx, now, request_uuid):
        raise InstanceInUse(instance=request_uuid)


def _request_with(tx: Transaction, now: int, command: CreateNodeRequest, request_uuid: str, node: Node) -> NodeRequest:
    """The request as it is that has its node from the beginning; not yet stored."""
    return NodeRequest(
        id=0,
        uuid=request_uuid,
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


def candidate_uuids(tx: Transaction, command: CreateNodeRequest) -> tuple[str, ...]:
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


def _found(tx: Transaction, command: GetNodeRequest) -> NodeRequest:
    request = node_requests.get(tx, command.ident)
    if request is None:
        raise NodeRequestNotFound(request=command.ident)
    command.guard(request)
    return request


def _of_node(tx: Transaction, command: GetRequestOfNode) -> NodeRequest:
    node = nodes.get(tx, command.node)
    if node is None:
        raise NodeNotFound(node=command.node)
    command.node_guard(node)
    request = node_requests.of_node(tx, node.id)
    if request is None:
        if node.instance_uuid is not None:
            raise BadValue(reason=f"Node {node.uuid} has instance {node.instance_uuid}, which is no allocation's.")
        raise NodeHasNoRequest(node=command.node)
    command.guard(request)
    return request


def _delete(tx: Transaction, now: int, find: Callable[[], NodeRequest]) -> None:
    """The request is found first only to learn which node it has; it is read again under that node's lock."""
    request = find()
    if request.node_uuid is None:
        if not node_requests.delete_unplaced(tx, request):
            raise Again  # It was given a node in between, or somebody else withdrew it.
        return
    node = nodes.lock(tx, request.node_uuid, now)
    request = find()
    if node is None or request.node_id != node.id:
        raise Again
    check_removable(node, request)
    check_unlocked(node)
    node_requests.delete(tx, request)
    node_claims.release(tx, now, node)
    info = {name: value for name, value in node.instance_info.items() if name != "traits"}
    save_node(tx, node, now, instance_uuid=None, instance_name=None, instance_info=info)
