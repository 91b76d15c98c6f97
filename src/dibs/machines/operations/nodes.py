"""Nodes: create, show, list, update and delete."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.documents.json_patch import Patch
from dibs.errors import BadValue
from dibs.ledger.operations.providers import require_unused
from dibs.ledger.queries import traits
from dibs.machines.model import states
from dibs.machines.model.access import check_any_rule, check_node, check_owner_change, owner_of_new_node
from dibs.machines.model.errors import (
    ChassisNotFound,
    NodeAssociated,
    NodeHeld,
    NodeLocked,
    NodeNotFound,
    NodeProtected,
    WrongState,
)
from dibs.machines.model.events import traits_event
from dibs.machines.model.node_changes import check_change, follow_from_change
from dibs.machines.model.node_query import Equals, NodeCount, NodePage, NodeQuery
from dibs.machines.model.nodes import Node
from dibs.machines.model.patching.node_patches import changes_of_patch
from dibs.machines.operations import holds, node_claims
from dibs.machines.operations.conductors import choose_conductor
from dibs.machines.operations.guards import node_drivers, node_guards
from dibs.machines.operations.node_claims import NewInstance
from dibs.machines.operations.saving import add_node, save_node
from dibs.machines.queries import chassis, node_pages, nodes

DELETE_RULES = ("baremetal:node:delete", "baremetal:node:delete:self_owned_node")
"""Either lets a caller delete a node; the second is for the admins of the project that owns it."""


class NodeView(Struct, frozen=True, kw_only=True):
    """A node with its traits, conductor and allocation."""

    node: Node
    traits: tuple[str, ...]
    conductor: str | None
    """The name of the conductor that runs its tasks."""
    allocation: str | None = None
    """The uuid of the allocation that has it."""


class CreateNode(Struct, frozen=True, kw_only=True):
    """Enrol a machine as a node."""

    uuid: str
    values: Mapping[str, Any]
    """Attributes of Node; at least ``driver``."""
    provision_state: str = states.ENROLL


class GetNode(Struct, frozen=True, kw_only=True):
    """Get a node by uuid or name."""

    ident: str
    rules: tuple[str, ...]
    """Policy rules that the caller must pass on the node, in addition to the one to see it."""


class UpdateNode(GetNode, frozen=True, kw_only=True):
    """Change a node by a JSON patch."""

    patch: Patch
    reset_interfaces: bool = False
    """Let a new driver choose its default for every interface that the patch does not name."""


class SetMaintenance(GetNode, frozen=True, kw_only=True):
    """Set or clear maintenance."""

    on: bool
    reason: str | None = None


def create_node(tx: Transaction, access: Access, now: int, command: CreateNode) -> NodeView:
    """Create a node, its provider and its unit in the ledger."""
    owner = owner_of_new_node(access, command.values.get("owner"))
    driver, group = command.values["driver"], command.values.get("conductor_group", "")
    conductor = choose_conductor(tx, now, driver=driver, group=group, seed=command.uuid)
    values = {
        **command.values,
        "owner": owner,
        "uuid": command.uuid,
        "conductor_id": conductor.id,
        "provision_state": command.provision_state,
    }
    if values.get("parent_node"):
        values["parent_node"] = _parent(tx, values["parent_node"])
    if values.get("chassis_uuid"):
        _enter_chassis(tx, values["chassis_uuid"])
    node = add_node(tx, now, values)
    if node.instance_uuid:
        node_claims.associate(tx, now, [NewInstance(node, node.instance_uuid)])
    return NodeView(node=node, traits=(), conductor=conductor.hostname)


def get_node(tx: Transaction, access: Access, now: int, command: GetNode) -> NodeView:
    """Return a node with its traits."""
    node = nodes.get(tx, command.ident)
    if node is None:
        raise NodeNotFound(node=command.ident)
    check_node(access, node, command.ident, command.rules)
    return _view(tx, node)


def list_nodes(tx: Transaction, access: Access, now: int, command: NodeQuery) -> NodePage:
    """Return one page of nodes with the requested columns."""
    for condition in command.conditions:
        if isinstance(condition, Equals) and condition.field == "chassis_uuid":
            _require_chassis(tx, str(condition.value))
    page = node_pages.page(tx, command)
    if page is None:
        raise NodeNotFound(node=command.marker)
    if "allocation" not in command.columns:
        return page
    node_ids = page.columns["id"]
    shown = map(_allocations(tx, node_ids).get, node_ids)
    return replace(page, columns={**page.columns, "allocation": list(shown)})


def count_nodes(tx: Transaction, access: Access, now: int, command: NodeQuery) -> list[NodeCount]:
    """Return the number of nodes of all pages for each value of the sort key."""
    return node_pages.counts(tx, command)


def update_node(tx: Transaction, access: Access, now: int, command: UpdateNode) -> NodeView:
    """Change a node, and with it its claim, its unit and its conductor."""
    node = lock_node(tx, access, now, command)
    check_owner_change(access, node, command.patch)
    drivers = node_drivers(tx).by_name
    changes = changes_of_patch(node, command.patch, drivers, reset_interfaces=command.reset_interfaces)
    after = replace(node, **changes)
    check_change(node, after)
    check_unlocked(node)
    if after.properties != node.properties:
        for guard in node_guards(tx):
            guard.check_properties(tx, node, after)
    changes |= _respect_hold(tx, access, now, node, after)
    changes |= follow_from_change(node, after)
    if after.parent_node and after.parent_node != node.parent_node:
        changes["parent_node"] = _parent(tx, after.parent_node)
    if after.chassis_uuid and after.chassis_uuid != node.chassis_uuid:
        _enter_chassis(tx, after.chassis_uuid)
    if (after.driver, after.conductor_group) != (node.driver, node.conductor_group):
        chosen = choose_conductor(tx, now, driver=after.driver, group=after.conductor_group, seed=node.uuid)
        changes["conductor_id"] = chosen.id
    if node.instance_uuid and after.instance_uuid is None:
        for guard in node_guards(tx):
            guard.instance_removed(tx, node)
    return _view(tx, _change_with_claim(tx, now, node, changes))


def delete_node(tx: Transaction, access: Access, now: int, ident: str) -> None:
    """Delete a node, by uuid or name, with its provider, traits, ports, claim and allocation.

    In maintenance a node can be deleted in nearly every state, so that an operator can remove a broken machine.
    """
    node = nodes.lock(tx, ident, now)
    if node is None:
        raise NodeNotFound(node=ident)
    check_any_rule(access, node, ident, DELETE_RULES)
    check_unlocked(node)
    if node.instance_uuid and not node.maintenance:
        raise NodeAssociated(node=node.uuid, instance=node.instance_uuid)
    if node.protected:
        raise NodeProtected(node=node.uuid)
    if node.provision_state not in states.DELETE_ALLOWED_STATES and not node.maintenance:
        raise WrongState(
            reason=f'Can not delete node "{node.uuid}" while it is in provision state "{node.provision_state}". '
            f"Valid provision states to perform deletion are: {', '.join(states.DELETE_ALLOWED_STATES)}, "
            "or set the node into maintenance mode"
        )
    if not node.maintenance and holds.current_hold(tx, now, node) is not None:
        raise NodeHeld(node=node.uuid)
    holds.end_hold(tx, now, node)
    for guard in node_guards(tx) if node.instance_uuid else ():
        guard.node_deleted(tx, node)
    node_claims.release(tx, now, node)
    require_unused(tx, node.id, node.uuid)
    nodes.forget_parent(tx, node)
    # The event of the deletion shows the traits too, so that the past of the node can be told.
    if had := traits.of_provider(tx, node.id):
        tx.record(traits_event(node, had, ()))
    nodes.delete(tx, node)


def set_maintenance(tx: Transaction, access: Access, now: int, command: SetMaintenance) -> None:
    """Set maintenance with a reason, or clear it together with the fault that caused it."""
    node = lock_node(tx, access, now, command)
    check_unlocked(node)
    changes: dict[str, Any] = {"maintenance": command.on, "maintenance_reason": command.reason}
    if not command.on:
        changes |= {"maintenance_reason": None, "fault": None}
    save_node(tx, node, now, **changes)


def lock_node(tx: Transaction, access: Access, now: int, command: GetNode) -> Node:
    """Lock the node of a command until the transaction ends, and check the caller's rules on it."""
    node = nodes.lock(tx, command.ident, now)
    if node is None:
        raise NodeNotFound(node=command.ident)
    check_node(access, node, command.ident, command.rules)
    return node


def check_unlocked(node: Node) -> None:
    """Raise NodeLocked for a node that a conductor has locked for a task."""
    if node.reservation is not None:
        raise NodeLocked(node=node.uuid, host=node.reservation)


def _respect_hold(tx: Transaction, access: Access, now: int, node: Node, after: Node) -> dict[str, Any]:
    """Check a change against the hold on the node; return what else changes on the node.

    Only the hold's instance may be put on a held node, which consumes the hold. The resource class must not change.
    """
    if after.instance_uuid is not None and node.instance_uuid is None:
        return holds.consume_for_instance(tx, access, now, node, after.instance_uuid)
    if after.resource_class != node.resource_class:
        for guard in node_guards(tx):
            guard.check_class_change(tx, node)
        if holds.current_hold(tx, now, node) is not None:
            raise NodeHeld(node=node.uuid)
    return {}


def _change_with_claim(tx: Transaction, now: int, node: Node, changes: Mapping[str, Any]) -> Node:
    """Write the changes; the claim follows the instance and the resource class."""
    moves = {"instance_uuid", "resource_class"} & changes.keys()
    if moves:
        node_claims.release(tx, now, node)
    after = save_node(tx, node, now, **changes)
    if moves and after.instance_uuid:
        node_claims.associate(tx, now, [NewInstance(after, after.instance_uuid)])
    return after


def _allocations(tx: Transaction, node_ids: Sequence[int]) -> dict[int, str]:
    """Return the uuid of the allocation that has each of these nodes."""
    return {node_id: uuid for guard in node_guards(tx) for node_id, uuid in guard.allocations_of(tx, node_ids).items()}


def _parent(tx: Transaction, ident: str) -> str:
    parent = nodes.get(tx, ident)
    if parent is None:
        raise BadValue(reason=f"Field parent_node: node {ident} could not be found.")
    return parent.uuid


def _require_chassis(tx: Transaction, uuid: str) -> None:
    if chassis.get(tx, uuid) is None:
        raise ChassisNotFound(chassis=uuid)


def _enter_chassis(tx: Transaction, uuid: str) -> None:
    """Lock the chassis that a node enters, so that no client deletes it meanwhile."""
    if chassis.lock(tx, uuid) is None:
        raise BadValue(reason=f"Chassis {uuid} could not be found.")


def _view(tx: Transaction, node: Node) -> NodeView:
    # Only a node with an instance can have an allocation.
    allocation = _allocations(tx, [node.id]).get(node.id) if node.instance_uuid else None
    return NodeView(
        node=node,
        traits=tuple(traits.of_provider(tx, node.id)),
        conductor=nodes.conductor_name(tx, node),
        allocation=allocation,
    )
