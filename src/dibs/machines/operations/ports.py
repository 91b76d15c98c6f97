"""Ports: create, show, list, update and delete."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.database.paging import Page
from dibs.database.transaction import Again, Transaction
from dibs.documents.json_patch import Patch
from dibs.errors import BadValue
from dibs.machines.model.access import check_node
from dibs.machines.model.errors import NodeNotFound, PortNotFound, WrongState
from dibs.machines.model.nodes import Node
from dibs.machines.model.patching.port_patches import changes_of_patch
from dibs.machines.model.ports import Port, PortQuery
from dibs.machines.operations.nodes import check_unlocked
from dibs.machines.queries import nodes, ports


class CreatePort(Struct, frozen=True, kw_only=True):
    """Add a port to a node."""

    uuid: str
    node: str
    """Uuid or name of the node."""
    values: Mapping[str, Any]
    rules: tuple[str, ...]
    """Policy rules that the caller must pass on the node, in addition to the one to see it."""


class GetPort(Struct, frozen=True, kw_only=True):
    """Get a port by uuid or name."""

    ident: str
    rules: tuple[str, ...]
    """Policy rules that the caller must pass on the port's node, in addition to the one to see it."""


class UpdatePort(GetPort, frozen=True, kw_only=True):
    """Change a port by a JSON patch."""

    patch: Patch
    offers_network_type: bool = True
    """False for an API without ``network_type`` in ``local_link_connection``."""


class DeletePort(GetPort, frozen=True, kw_only=True):
    """Delete a port."""


def create_port(tx: Transaction, access: Access, now: int, command: CreatePort) -> Port:
    """Add a port to a node."""
    node = nodes.lock(tx, command.node, now)
    if node is None:
        raise BadValue(reason=f"Node {command.node} could not be found.")
    try:
        check_node(access, node, command.node, command.rules)
    except NodeNotFound as error:
        raise BadValue(reason=str(error)) from error
    check_unlocked(node)
    port = Port(**{**command.values, "id": 0, "uuid": command.uuid, "node_uuid": node.uuid, "created_at": now})
    return ports.create(tx, now, node.id, port)


def get_port(tx: Transaction, access: Access, now: int, command: GetPort) -> Port:
    """Return a port."""
    return _found(tx, access, command)[0]


def list_ports(tx: Transaction, access: Access, now: int, command: PortQuery) -> Page[Port]:
    """Return one page of ports; the node that it names must exist and be visible to the caller."""
    if command.node is not None:
        node = nodes.get(tx, command.node)
        if node is None:
            raise NodeNotFound(node=command.node)
        check_node(access, node, command.node)
        command = replace(command, node=node.uuid)
    page = ports.page(tx, command)
    if page is None:
        raise PortNotFound(port=command.marker)
    return page


def update_port(tx: Transaction, access: Access, now: int, command: UpdatePort) -> Port:
    """Change a port, which may move it to another node."""
    port, _ = _locked(tx, access, now, command)
    changes = changes_of_patch(port, command.patch, offers_network_type=command.offers_network_type)
    after = replace(port, **changes)
    if after.node_uuid == port.node_uuid:
        return ports.update(tx, port, now, None, **changes)
    target = nodes.get(tx, after.node_uuid)
    if target is None:
        raise BadValue(reason=f"Node {after.node_uuid} could not be found.")
    check_node(access, target, after.node_uuid, command.rules)
    return ports.update(tx, port, now, target.id, **{**changes, "node_uuid": target.uuid})


def delete_port(tx: Transaction, access: Access, now: int, command: DeletePort) -> None:
    """Delete a port; refuse while its node has an instance and is not in maintenance."""
    port, node = _locked(tx, access, now, command)
    if node.instance_uuid and not node.maintenance:
        raise WrongState(
            reason=f"Cannot delete the port {port.uuid} as node {node.uuid} has instance {node.instance_uuid} "
            "and is not in maintenance mode."
        )
    ports.delete(tx, port)


def _found(tx: Transaction, access: Access, command: GetPort) -> tuple[Port, Node]:
    port = ports.get(tx, command.ident)
    node = nodes.get(tx, port.node_uuid) if port else None
    if port is None or node is None:
        raise PortNotFound(port=command.ident)
    try:
        check_node(access, node, node.uuid, command.rules)
    except NodeNotFound as error:
        # A port of a node that the caller may not see does not exist for the caller.
        raise PortNotFound(port=command.ident) from error
    return port, node


def _locked(tx: Transaction, access: Access, now: int, command: GetPort) -> tuple[Port, Node]:
    """Lock the node of a port; read the port before, to find its node, and again under the lock."""
    port, _ = _found(tx, access, command)
    node = nodes.lock(tx, port.node_uuid, now)
    if node is None:
        raise PortNotFound(port=command.ident)
    check_unlocked(node)
    found, owner = _found(tx, access, command)
    if owner.id != node.id:
        raise Again  # The port moved to another node in between.
    return found, owner
