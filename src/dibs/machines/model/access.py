"""Access to nodes: which nodes a caller sees, and what the caller may do with one.

Operations call these functions with the node that they read in their transaction. A node that the caller may not see
does not exist for the caller (NodeNotFound); what the caller may not do with a visible node is Forbidden.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from dibs.access.access import Access, Target
from dibs.documents.json_patch import Patch, roots_of
from dibs.errors import BadValue, Forbidden
from dibs.machines.model import states
from dibs.machines.model.errors import NodeNotFound, WrongState
from dibs.machines.model.nodes import Node

SEE_NODE = "baremetal:node:get"
CHANGE_INSTANCE = "baremetal:node:update:instance_uuid"
CHANGE_OWNER_OF_ACTIVE_NODE = "baremetal:node:update_owner_provisioned"

_UPDATE = "baremetal:node:update"
_UPDATE_RULES: Mapping[str, str] = {
    "instance_info": "baremetal:node:update_instance_info",
    "instance_name": "baremetal:node:update_instance_info",
    "extra": "baremetal:node:update_extra",
    "driver": "baremetal:node:update:driver_interfaces",
    "retired_reason": "baremetal:node:update:retired",
    **{
        name: f"baremetal:node:update:{name}"
        for name in (
            "driver_info", "properties", "chassis_uuid", "instance_uuid", "lessee", "owner", "network_data",
            "conductor_group", "name", "retired", "shard", "parent_node", "disable_power_off",
        )
    },
}  # fmt: skip


def node_target(owner: str | None, lessee: str | None) -> Target:
    """Return what rules compare for a node with this owner and lessee.

    An absent project stays absent: rules compare text, and a node without an owner must not match a caller without a
    project.
    """
    projects = {"node.owner": owner, "node.lessee": lessee}
    return {name: project for name, project in projects.items() if project}


def may(access: Access, rule: str, node: Node) -> bool:
    """Return True when the caller may do this with the node."""
    return access.allows(rule, node_target(node.owner, node.lessee))


def sees_node(access: Access, node: Node) -> bool:
    """Return True when the caller sees the node."""
    return may(access, SEE_NODE, node)


def check_node(access: Access, node: Node, ident: str, rules: Iterable[str] = ()) -> None:
    """Raise NodeNotFound for a node that the caller may not see, Forbidden when a rule is not granted.

    ``ident`` is the uuid or name that the caller sent: the error must not reveal more.
    """
    if not sees_node(access, node):
        raise NodeNotFound(node=ident)
    for rule in rules:
        if not may(access, rule, node):
            raise Forbidden(resource=rule)


def check_named_node(access: Access, node: Node | None, ident: str, rules: Iterable[str] = ()) -> Node:
    """Return the node that a request names in its body or query; raise BadValue when the caller sees no such node.

    ``rules`` are those that the caller must pass on the node, in addition to the one to see it.
    """
    try:
        if node is None:
            raise NodeNotFound(node=ident)
        check_node(access, node, ident, rules)
    except NodeNotFound as error:
        raise BadValue(reason=str(error)) from error
    return node


def check_any_rule(access: Access, node: Node, ident: str, rules: tuple[str, ...]) -> None:
    """Raise NodeNotFound for a node that the caller may not see, Forbidden when none of the rules is granted."""
    check_node(access, node, ident)
    if not any(may(access, rule, node) for rule in rules):
        raise Forbidden(resource=rules[-1])


def check_owner_change(access: Access, node: Node, patch: Patch) -> None:
    """Raise WrongState when a patch changes the owner of an active node without the rule for that."""
    if "owner" not in roots_of(patch) or node.provision_state != states.ACTIVE:
        return
    if not may(access, CHANGE_OWNER_OF_ACTIVE_NODE, node):
        raise WrongState(reason=f'Cannot update owner of node "{node.uuid}" while it is in state "{states.ACTIVE}".')


def require_to_create(access: Access) -> None:
    """Raise Forbidden for a caller that may create no node at all: before the request's body is read."""
    if not access.allows("baremetal:node:create", {}):
        access.require("baremetal:node:create:self_owned_node", {})


def owner_of_new_node(access: Access, asked: str | None) -> str | None:
    """Return the owner of a node that the caller creates; raise when the caller may not create it.

    Quirk not copied: in Ironic's noauth every caller is a project-scoped admin without a project and cannot set an
    owner (contract sample 021); in Dibs' noauth every caller has system scope and can.
    """
    if access.allows("baremetal:node:create", {}):
        return asked
    access.require("baremetal:node:create:self_owned_node", {})
    if asked and asked != access.actor.project:
        raise BadValue(
            reason="Cannot create a node as a project scoped admin with an owner other than your own project."
        )
    return access.actor.project


def rules_of_patch(patch: Patch) -> frozenset[str]:
    """Return the rules that a patch of a node needs, from its attributes and the values given to them."""
    rules = {_update_rule(operation.root, operation.value) for operation in patch}
    return frozenset(rules or {_UPDATE})


def _update_rule(name: str, value: Any) -> str:
    if name.endswith("_interface"):
        return "baremetal:node:update:driver_interfaces"
    if name == "automated_clean" and _is_false(value):
        return "baremetal:node:disable_cleaning"
    if name == "maintenance":
        # Quirk not copied: in Ironic the rule to update a node suffices, so a member of the lessee's project may patch
        # what PUT and DELETE of /maintenance refuse.
        return f"baremetal:node:{'clear' if value is None or _is_false(value) else 'set'}_maintenance"
    return _UPDATE_RULES.get(name, _UPDATE)


def _is_false(value: Any) -> bool:
    return str(value).strip().lower() in ("false", "0", "no", "off", "n", "f")
