"""Holds: one node kept for an instance for a short time, before its deployment.

A hold expires, and its uuid is the proof that the client that deploys the node is the client that held it. The hold
also claims the node's unit in the ledger for the instance, so that no other API can assign the node.
"""

import hmac
import math
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from dibs.access.actor import Actor
from dibs.machines.model import states
from dibs.machines.model.errors import NothingToHold
from dibs.machines.model.nodes import Node

_SYSTEM_ROLES = frozenset({"admin", "service"})
_MICROSECONDS = 1_000_000
_USED = "used_reservation"


class Hold(Struct, frozen=True, kw_only=True):
    """One node, kept for one instance until a moment."""

    id: int
    uuid: str
    node_id: int
    node_uuid: str
    instance_uuid: str
    project_id: str | None
    """The project that owns the hold; None for a hold that a caller with system scope made."""
    expires_at: int
    created_at: int
    updated_at: int | None = None

    def expired(self, now: int) -> bool:
        """Return True from the moment at which it ends."""
        return self.expires_at <= now

    def usable_by(self, actor: Actor) -> bool:
        """Return True for its own project and for administrators of the system; other callers must not learn of it."""
        return administers_system(actor) or (self.project_id is not None and actor.project == self.project_id)

    def proved_by(self, proof: str | None) -> bool:
        """Return True when the proof is the hold's uuid; the comparison takes the same time for every wrong proof."""
        return proof is not None and hmac.compare_digest(self.uuid.encode(), proof.lower().encode())


def administers_system(actor: Actor) -> bool:
    """Return True for callers that may see and use every hold. A reader may not: to see a hold is to have its proof."""
    return actor.system_scope and not _SYSTEM_ROLES.isdisjoint(actor.roles)


def end_of(now: int, seconds: float) -> int:
    """Return the end of a hold that is made or renewed now, rounded up so that it never ends early."""
    return now + math.ceil(seconds * _MICROSECONDS)


def with_used(node: Node, hold: Hold) -> dict[str, Any]:
    """Return the node's driver_internal_info with the hold that was used for its instance.

    A client that sends the same proof again, after a failed deployment, must be accepted.
    """
    return {**node.driver_internal_info, _USED: {"uuid": hold.uuid, "instance_uuid": hold.instance_uuid}}


def was_used_for(node: Node, proof: str) -> bool:
    """Return True when the node got its instance through the hold with this uuid."""
    used = node.driver_internal_info.get(_USED) or {}
    right = hmac.compare_digest(str(used.get("uuid")).encode(), proof.lower().encode())
    return right and used["instance_uuid"] == node.instance_uuid


def reason_against(node: Node, *, held: bool, claimed: bool) -> str | None:
    """Return why a node cannot be held now, as the predicate of a sentence about it; None when it can."""
    if node.instance_uuid is not None:
        return "is associated with an instance"
    if node.provision_state != states.AVAILABLE:
        return f"is in provision state {node.provision_state}, not available"
    if node.maintenance:
        return "is in maintenance"
    if node.retired:
        return "is retired"
    if node.reservation is not None:
        return "is locked, since a conductor is working on it"
    if held:
        return "is reserved already"
    if claimed:
        return "is claimed by another consumer"
    return None


def nothing_to_hold(reasons: Sequence[tuple[str, str]]) -> NothingToHold:
    """Return the error for a list of nodes of which none can be held, with the reason for each."""
    listed = "; ".join(f"node {node} {reason}" for node, reason in reasons)
    return NothingToHold(reasons=f"{listed}.")
