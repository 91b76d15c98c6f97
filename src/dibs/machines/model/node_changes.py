"""Which changes of a node its state allows, and what else changes with them."""

from typing import Any

from dibs.errors import BadValue
from dibs.machines.model import states
from dibs.machines.model.errors import NodeAssociated, WrongState
from dibs.machines.model.nodes import Node

REBUILDABLE_STATES = (
    states.ENROLL,
    states.INSPECTING,
    states.INSPECT_WAIT,
    states.MANAGEABLE,
    states.AVAILABLE,
)
"""States in which nothing runs on the node, so that its resource class and interfaces may change."""

INTERFACE_FIELDS = tuple(name for name in Node.__struct_fields__ if name.endswith("_interface"))


def check_change(before: Node, after: Node) -> None:
    """Raise an error for a change that the node's state does not allow."""
    _check_transition(before, after)
    _check_instance(before, after)
    _check_class_and_interfaces(before, after)
    _check_protected(before, after)
    _check_retired(before, after)
    if after.parent_node and after.parent_node in (before.uuid, before.name):
        raise BadValue(reason="Field parent_node: a node cannot be its own parent.")


def follow_from_change(before: Node, after: Node) -> dict[str, Any]:
    """Return the attributes that change because others did."""
    follows: dict[str, Any] = {}
    if before.maintenance and not after.maintenance:
        follows |= {"maintenance_reason": None, "fault": None}
    if before.protected and not after.protected:
        follows["protected_reason"] = None
    if before.retired and not after.retired:
        follows["retired_reason"] = None
    return follows


def _check_transition(before: Node, after: Node) -> None:
    """Refuse changes during a state transition, except to remove the instance from a node in maintenance."""
    if before.maintenance and before.instance_uuid and after.instance_uuid is None:
        return
    if before.target_provision_state and before.provision_state not in states.UPDATE_ALLOWED_STATES:
        raise WrongState(reason=f"Node {before.uuid} can not be updated while a state transition is in progress.")


def _check_instance(before: Node, after: Node) -> None:
    if before.instance_uuid and after.instance_uuid and after.instance_uuid != before.instance_uuid:
        raise NodeAssociated(node=before.uuid, instance=before.instance_uuid)


def _check_class_and_interfaces(before: Node, after: Node) -> None:
    if before.provision_state in REBUILDABLE_STATES:
        return
    allowed = ", ".join(REBUILDABLE_STATES)
    if before.resource_class and after.resource_class != before.resource_class:
        raise WrongState(
            reason=f"Node {before.uuid} can not have resource_class updated unless it is in one of allowed ({allowed}) "
            f"states. Current state is '{before.provision_state}'."
        )
    if after.maintenance:
        return
    for field in INTERFACE_FIELDS:
        if getattr(after, field) != getattr(before, field):
            raise WrongState(
                reason=f"Node {before.uuid} can not have {field} updated unless it is in one of allowed ({allowed}) "
                f"states or in maintenance mode. Current state is '{before.provision_state}'."
            )


def _check_protected(before: Node, after: Node) -> None:
    if after.protected and not before.protected and before.provision_state not in (states.ACTIVE, states.RESCUE):
        raise WrongState(
            reason=f"Node {before.uuid} can only be made protected in provision states 'active' or 'rescue', "
            f"the current state is '{before.provision_state}'"
        )
    if after.protected_reason and after.protected_reason != before.protected_reason and not after.protected:
        raise BadValue(reason="The protected_reason field can only be set when protected is True")


def _check_retired(before: Node, after: Node) -> None:
    if after.retired and not before.retired and before.provision_state == states.AVAILABLE:
        raise WrongState(
            reason=f"Node {before.uuid} can not have 'retired' set in provision state 'available', "
            f"the current state is '{before.provision_state}'"
        )
    if after.retired_reason and after.retired_reason != before.retired_reason and not after.retired:
        raise BadValue(reason="The retired_reason field can only be set when retired is True")
