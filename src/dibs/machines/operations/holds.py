"""Holds: create, show, renew, delete, expire, and consume by the allocation or instance that a hold is for.

Every operation that ends a hold locks the node first, and assigns or frees the node in the same transaction, so the
node is never unprotected in between. An expired hold has no effect, even before a conductor removes its row.
"""

from typing import Any

from msgspec import Struct

from dibs.access.access import Access, visible_projects
from dibs.database.transaction import Transaction
from dibs.errors import Forbidden
from dibs.ledger.operations import claiming
from dibs.ledger.queries import claim_views
from dibs.machines.model.access import sees_node
from dibs.machines.model.errors import HoldExists, HoldNotFound, NodeClaimed, NodeHeld
from dibs.machines.model.holds import (
    Hold,
    administers_system,
    end_of,
    nothing_to_hold,
    reason_against,
    was_used_for,
    with_used,
)
from dibs.machines.model.nodes import Node
from dibs.machines.operations import node_claims
from dibs.machines.operations.guards import node_guards
from dibs.machines.operations.saving import save_node
from dibs.machines.queries import holds, nodes


class CreateHold(Struct, frozen=True, kw_only=True):
    """Hold the first of these nodes that can be held."""

    uuid: str
    instance_uuid: str
    nodes: tuple[str, ...]
    """Uuids, in the order of preference."""
    seconds: float


class RenewHold(Struct, frozen=True, kw_only=True):
    """Let a hold end this many seconds from now."""

    uuid: str
    seconds: float


class ListHolds(Struct, frozen=True, kw_only=True):
    """List one page of the holds that the caller may see."""

    limit: int
    marker: str | None = None
    """The uuid of the last hold of the previous page."""


def create_hold(tx: Transaction, access: Access, now: int, command: CreateHold) -> Hold:
    """Hold one of several nodes; when none can be held, the error has the reason for each."""
    if access.actor.project is None and not administers_system(access.actor):
        raise Forbidden(resource="baremetal:reservation:create")
    _check_instance(tx, now, command.instance_uuid)
    reasons = []
    for ident in dict.fromkeys(command.nodes):
        node, reason = _try_node(tx, access, now, ident, command)
        if node is not None:
            return _hold(tx, access, now, node, command)
        reasons.append((ident, reason))
    raise nothing_to_hold(reasons)


def get_hold(tx: Transaction, access: Access, now: int, uuid: str) -> Hold:
    """Return a hold."""
    return _visible(holds.get(tx, uuid), access, now, uuid)


def list_holds(tx: Transaction, access: Access, now: int, command: ListHolds) -> list[Hold]:
    """Return one page of the holds of the caller's project, or of all holds for administrators of the system."""
    after_id = 0
    if command.marker is not None:
        after_id = _visible(holds.get(tx, command.marker), access, now, command.marker).id
    projects = visible_projects(access.actor, every=administers_system(access.actor))
    return holds.page(tx, now, projects=projects, after_id=after_id, limit=command.limit)


def renew_hold(tx: Transaction, access: Access, now: int, command: RenewHold) -> Hold:
    """Change the end of a hold that has not expired."""
    node, hold = _lock(tx, access, now, command.uuid)
    expires_at = end_of(now, command.seconds)
    _check_guards(tx, node, expires_at)
    return holds.renew(tx, hold, expires_at=expires_at, now=now)


def delete_hold(tx: Transaction, access: Access, now: int, uuid: str) -> None:
    """End a hold before it expires."""
    node, hold = _lock(tx, access, now, uuid)
    _end(tx, now, node, hold)


def list_expired_holds(tx: Transaction, access: Access, now: int, count_max: int) -> list[str]:
    """Return the uuids of some of the expired holds."""
    return holds.expired(tx, now, count_max)


def expire_hold(tx: Transaction, access: Access, now: int, uuid: str) -> bool:
    """End an expired hold; return False when it was ended, renewed or consumed meanwhile."""
    found = holds.get(tx, uuid)
    node = nodes.lock(tx, found.node_uuid, now) if found else None
    hold = holds.get(tx, uuid) if node else None
    if node is None or hold is None or not hold.expired(now):
        return False
    _end(tx, now, node, hold)
    return True


def consume_for_allocation(tx: Transaction, access: Access, now: int, *, proof: str) -> Node:
    """End a hold whose node an allocation gets; return the node, locked and unclaimed.

    The caller associates the node in the same transaction, so no other consumer can claim it in between.
    """
    node, hold = _lock(tx, access, now, proof)
    reason = reason_against(node, held=False, claimed=False)
    if reason is not None:
        raise nothing_to_hold([(node.uuid, reason)])
    _end(tx, now, node, hold)
    return node


def consume_for_deploy(tx: Transaction, access: Access, now: int, node: Node, proof: str | None) -> Node:
    """Consume the hold on a locked node for a deployment with proof; return the node with the hold's instance.

    - Without a hold and without a proof the node is returned as it is.
    - A proof without a hold is an error, unless the instance on the node came from that hold: the client set the
      instance first, or deploys again after a failure.
    - A hold without its proof is an error.
    """
    if node.instance_uuid is not None:
        if proof is not None and not was_used_for(node, proof):
            raise HoldNotFound(hold=proof)
        return node
    hold = current_hold(tx, now, node)
    if hold is None:
        if proof is not None:
            raise HoldNotFound(hold=proof)
        return node
    if not (hold.proved_by(proof) and hold.usable_by(access.actor)):
        raise NodeHeld(node=node.uuid)
    holds.remove(tx, hold)
    notes = with_used(node, hold)
    return save_node(tx, node, now, instance_uuid=hold.instance_uuid, driver_internal_info=notes)


def consume_for_instance(tx: Transaction, access: Access, now: int, node: Node, instance_uuid: str) -> dict[str, Any]:
    """Consume the hold on a locked node for an instance; return what else changes on the node.

    Only the instance that the hold is for may be put on a held node. It takes over the claim that the hold made for it.
    """
    hold = current_hold(tx, now, node)
    if hold is None:
        return {}
    if hold.instance_uuid != instance_uuid or not hold.usable_by(access.actor):
        raise NodeHeld(node=node.uuid)
    holds.remove(tx, hold)
    return {"driver_internal_info": with_used(node, hold)}


def end_hold(tx: Transaction, now: int, node: Node) -> None:
    """End the hold on a locked node, if there is one."""
    hold = holds.of_node(tx, node.id)
    if hold is not None:
        _end(tx, now, node, hold)


def current_hold(tx: Transaction, now: int, node: Node) -> Hold | None:
    """Return the hold on a locked node; end an expired one, as a conductor would do later."""
    hold = holds.of_node(tx, node.id)
    if hold is not None and hold.expired(now):
        _end(tx, now, node, hold)
        return None
    return hold


def _check_guards(tx: Transaction, node: Node, until: int) -> None:
    for guard in node_guards(tx):
        guard.check_hold(tx, node, until)


def _check_instance(tx: Transaction, now: int, instance_uuid: str) -> None:
    """Refuse an instance that has a node or a hold, or whose uuid is reserved for another purpose."""
    reserved = any(guard.reserves_instance(tx, instance_uuid) for guard in node_guards(tx))
    if reserved or nodes.with_instance(tx, instance_uuid) is not None:
        raise HoldExists(instance=instance_uuid)
    hold = holds.for_instance(tx, instance_uuid)
    if hold is not None and hold.expired(now):
        node = nodes.lock(tx, hold.node_uuid, now)
        hold = current_hold(tx, now, node) if node else None
    if hold is not None and hold.instance_uuid == instance_uuid:
        raise HoldExists(instance=instance_uuid)


def _try_node(tx: Transaction, access: Access, now: int, ident: str, command: CreateHold) -> tuple[Node | None, str]:
    """Return the node, locked, if it can be held; otherwise None and the reason.

    The node is checked once before it is locked, so that a list of nodes in use does not block their users.
    """
    node = nodes.get(tx, ident)
    if node is None or not sees_node(access, node):
        return None, "could not be found"
    hold = holds.of_node(tx, node.id)
    reason = reason_against(node, held=hold is not None and not hold.expired(now), claimed=False)
    if reason is not None:
        return None, reason
    node = nodes.lock(tx, ident, now)
    if node is None:
        return None, "could not be found"
    held = current_hold(tx, now, node) is not None
    reason = reason_against(node, held=held, claimed=bool(claim_views.on_provider(tx, node.id)))
    if reason is not None:
        return None, reason
    try:
        _check_guards(tx, node, end_of(now, command.seconds))
    except NodeClaimed:
        return None, "is booked by a lease before the reservation would end"
    return node, ""


def _hold(tx: Transaction, access: Access, now: int, node: Node, command: CreateHold) -> Hold:
    hold = Hold(
        id=0,
        uuid=command.uuid,
        node_id=node.id,
        node_uuid=node.uuid,
        instance_uuid=command.instance_uuid,
        project_id=access.actor.project,
        expires_at=end_of(now, command.seconds),
        created_at=now,
    )
    holds.add(tx, hold)
    node_claims.claim_for_hold(
        tx, now, node, command.instance_uuid, access.actor.project, for_any_project=administers_system(access.actor)
    )
    made = holds.get(tx, command.uuid)
    assert made is not None
    return made


def _lock(tx: Transaction, access: Access, now: int, uuid: str) -> tuple[Node, Hold]:
    """Return a hold that the caller may use, and its node, locked until the transaction ends."""
    found = _visible(holds.get(tx, uuid), access, now, uuid)
    node = nodes.lock(tx, found.node_uuid, now)
    hold = _visible(holds.get(tx, uuid) if node else None, access, now, uuid)
    assert node is not None
    return node, hold


def _visible(hold: Hold | None, access: Access, now: int, uuid: str) -> Hold:
    if hold is None or hold.expired(now) or not hold.usable_by(access.actor) or not hold.proved_by(uuid):
        raise HoldNotFound(hold=uuid)
    return hold


def _end(tx: Transaction, now: int, node: Node, hold: Hold) -> None:
    holds.remove(tx, hold)
    claiming.release_provider(tx, now, node.id, hold.instance_uuid)
