"""Holds: one machine kept for somebody who will want it in a moment.

A hold has an end, and its uuid is the proof that whoever deploys the machine is whoever held it. It also keeps the
machine's unit in the ledger, in the name of the instance that it is for, so that no other way in can take it.
"""

import hmac
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dibs.access.actor import Actor
from dibs.machines.model import states
from dibs.machines.model.errors import NothingToHold
from dibs.machines.model.nodes import Node

_SYSTEM_ROLES = frozenset({"admin", "service"})
_MICROSECONDS = 1_000_000
_USED = "used_reservation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """One node, kept for one instance until a moment."""

    id: int
    uuid: str
    node_id: int
    node_uuid: str
    instance_uuid: str
    project_id: str | None
    """Whose it is; None when somebody made it who speaks for the whole system."""
    expires_at: int
    created_at: int
    updated_at: int | None = None

    def expired(self, now: int) -> bool:
        """True from the moment on at which it ends."""
        return self.expires_at <= now

    def usable_by(self, actor: Actor) -> bool:
        """True for its own project, and for those who run the system. Nobody else may even know of it."""
        return administers_system(actor) or (self.project_id is not None and actor.project == self.project_id)

    def proved_by(self, proof: str | None) -> bool:
        """Whether somebody knows its uuid; how long the answer takes does not tell how much of it was right."""
        return proof is not None and hmac.compare_digest(self.uuid.encode(), proof.lower().encode())


def administers_system(actor: Actor) -> bool:
    """True for those who may see and use every hold. A reader may not: whoever sees a hold has its proof."""
    return actor.system_scope and not _SYSTEM_ROLES.isdisjoint(actor.roles)


def end_of(now: int, seconds: float) -> int:
    """When a hold that is made or renewed now ends; rounded up, so that it never ends early."""
    return now + math.ceil(seconds * _MICROSECONDS)


def with_used(node: Node, hold: Hold) -> dict[str, Any]:
    """The node's internal notes with the hold that was used for its instance: whoever says its uuid again is right."""
    return {**node.driver_internal_info, _USED: {"uuid": hold.uuid, "instance_uuid": hold.instance_uuid}}


def was_used_for(node: Node, proof: str) -> bool:
    """Whether the instance on the node came by the hold that has this uuid."""
    used = node.driver_internal_info.get(_USED) or {}
    right = hmac.compare_digest(str(used.get("uuid")).encode(), proof.lower().encode())
    return right and used["instance_uuid"] == node.instance_uuid


def reason_against(node: Node, *, held: bool, claimed: bool) -> str | None:
    """Why a node cannot be held just now, as the rest of a sentence about it; None when it can."""
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
    """The refusal when every node that was tried had a reason against it."""
    listed = "; ".join(f"node {node} {reason}" for node, reason in reasons)
    return NothingToHold(reasons=f"{listed}.")
