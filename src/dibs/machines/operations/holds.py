"""Holds: keep a node for a while, look, renew, let go, and turn a hold into what it was for.

Whatever ends a hold does so with the node locked, in the transaction that gives the node to its next holder or to
everybody: there is no moment in which it is nobody's. A hold whose end has come holds no longer, even while its row
still waits for a conductor to remove it.
"""

from dataclasses import dataclass, replace
from typing import Any

from dibs.access.access import Access
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateHold:
    """Hold the first of these nodes that can be held."""

    uuid: str
    instance_uuid: str
    nodes: tuple[str, ...]
    """Their uuids, in the order in which they are tried."""
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OneHold:
    """A hold by its uuid."""

    uuid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RenewHold(OneHold):
    """Let a hold end so many seconds from now instead."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ListHolds:
    """One page of the holds that the caller may see."""

    limit: int
    marker: str | None = None
    """The uuid of the last hold of the page before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListExpiredHolds:
    """Some of the holds whose end has come."""

    count_max: int


def create_hold(tx: Transaction, access: Access, now: int, command: CreateHold) -> Hold:
    """Hold one of several nodes; when none can be held, the refusal says why of each."""
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


def get_hold(tx: Transaction, access: Access, now: int, command: OneHold) -> Hold:
    """One hold."""
    return _visible(holds.get(tx, command.uuid), access, now, command.uuid)


def list_holds(tx: Transaction, access: Access, now: int, command: ListHolds) -> list[Hold]:
    """One page of the holds of the caller's project, or for those who run the system of all holds."""
    after_id = 0
    if command.marker is not None:
        after_id = _visible(holds.get(tx, command.marker), access, now, command.marker).id
    if administers_system(access.actor):
        return holds.page(tx, now, project=None, after_id=after_id, limit=command.limit)
    if access.actor.project is None:
        return []
    return holds.page(tx, now, project=access.actor.project, after_id=after_id, limit=command.limit)


def renew_hold(tx: Transaction, access: Access, now: int, command: RenewHold) -> Hold:
    """Give a hold that is not over another end."""
    node, hold = _lock(tx, access, now, command.uuid)
    expires_at = end_of(now, command.seconds)
    _check_guards(tx, node, expires_at)
    holds.renew(tx, hold, expires_at=expires_at, now=now)
    return replace(hold, expires_at=expires_at, updated_at=now)


def delete_hold(tx: Transaction, access: Access, now: int, command: OneHold) -> None:
    """Let go of a node before the hold's end."""
    node, hold = _lock(tx, access, now, command.uuid)
    _end(tx, now, node, hold)


def list_expired_holds(tx: Transaction, access: Access, now: int, command: ListExpiredHolds) -> list[str]:
    """The uuids of holds whose end has come."""
    return holds.expired(tx, now, command.count_max)


def expire_hold(tx: Transaction, access: Access, now: int, command: OneHold) -> bool:
    """Let go of a node whose hold is over; False when another conductor did, or the hold was renewed or used."""
    found = holds.get(tx, command.uuid)
    node = nodes.lock(tx, found.node_uuid, now) if found else None
    hold = holds.get(tx, command.uuid) if node else None
    if node is None or hold is None or not hold.expired(now):
        return False
    _end(tx, now, node, hold)
    return True


def consume_for_allocation(tx: Transaction, access: Access, now: int, *, proof: str) -> Node:
    """End a hold because its node becomes a request's.

    Gives the node, locked and unclaimed: the caller associates it in the same transaction, with nobody in between.
    """
    node, hold = _lock(tx, access, now, proof)
    reason = reason_against(node, held=False, claimed=False)
    if reason is not None:
        raise nothing_to_hold([(node.uuid, reason)])
    _end(tx, now, node, hold)
    return node


def consume_for_deploy(tx: Transaction, access: Access, now: int, node: Node, proof: str | None) -> Node:
    """Let a locked node that is held be deployed by whoever has the proof; gives it with the hold's instance on it.

    A node that is not held passes as it is, unless the caller thinks that it holds it. That may be so still when its
    instance is on the node already: it set the instance first, or deploys once more after a failure.
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
    """Let an instance be put on a locked node: on one that is held, only the instance that the hold is for.

    The instance finds the claim that the hold made in its name. Gives what else changes on the node.
    """
    hold = current_hold(tx, now, node)
    if hold is None:
        return {}
    if hold.instance_uuid != instance_uuid or not hold.usable_by(access.actor):
        raise NodeHeld(node=node.uuid)
    holds.remove(tx, hold)
    return {"driver_internal_info": with_used(node, hold)}


def is_held_for(tx: Transaction, now: int, instance_uuid: str) -> bool:
    """True while a node is held for an instance."""
    hold = holds.for_instance(tx, instance_uuid)
    return hold is not None and not hold.expired(now)


def end_hold(tx: Transaction, now: int, node: Node) -> None:
    """End the hold on a locked node, whoever has it."""
    hold = holds.of_node(tx, node.id)
    if hold is not None:
        _end(tx, now, node, hold)


def current_hold(tx: Transaction, now: int, node: Node) -> Hold | None:
    """The hold on a locked node. One that is over is removed, as a conductor would have done in a moment."""
    hold = holds.of_node(tx, node.id)
    if hold is not None and hold.expired(now):
        _end(tx, now, node, hold)
        return None
    return hold


def _check_guards(tx: Transaction, node: Node, until: int) -> None:
    for guard in node_guards(tx):
        guard.check_hold(tx, node, until)


def _check_instance(tx: Transaction, now: int, instance_uuid: str) -> None:
    """Refuse an instance that has a node, holds one, or is the name under which a request gets one."""
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
    """The node, locked, if it can be held; otherwise the reason against it.

    It is looked at before it is locked: a list of nodes that others have must not keep those others waiting.
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
    values = {
        "uuid": command.uuid,
        "node_id": node.id,
        "instance_uuid": command.instance_uuid,
        "project_id": access.actor.project,
        "expires_at": end_of(now, command.seconds),
        "created_at": now,
        "updated_at": None,
    }
    holds.add(tx, values)
    node_claims.claim_for_hold(
        tx, now, node, command.instance_uuid, access.actor.project, for_any_project=administers_system(access.actor)
    )
    made = holds.get(tx, command.uuid)
    assert made is not None
    return made


def _lock(tx: Transaction, access: Access, now: int, uuid: str) -> tuple[Node, Hold]:
    """A hold that the caller may use, with its node kept from all others until the transaction ends."""
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
