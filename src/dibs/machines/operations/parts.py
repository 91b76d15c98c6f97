"""Parts of nodes (ports, port groups, volume connectors and targets): create, show, list, update and delete.

Every change locks the node of the part first; a part that moves locks both nodes.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.database.paging import Page
from dibs.database.transaction import Again, Transaction
from dibs.documents.json_patch import Patch
from dibs.errors import BadValue
from dibs.ledger.queries import providers
from dibs.machines.model import states
from dibs.machines.model.access import check_named_node, check_node
from dibs.machines.model.errors import NodeNotFound, PartNotFound, PortGroupNotEmpty, WrongState, WrongVerb
from dibs.machines.model.nodes import Node
from dibs.machines.model.parts.documents import changes_of_patch
from dibs.machines.model.parts.parts import Part, PartKind, PartQuery
from dibs.machines.model.parts.ports import Port, PortGroup
from dibs.machines.operations.nodes import check_unlocked
from dibs.machines.queries import nodes, parts

_VOLUMES = (PartKind.VOLUME_CONNECTOR, PartKind.VOLUME_TARGET)


class CreatePart(Struct, frozen=True, kw_only=True):
    """Add a part to a node."""

    kind: PartKind
    uuid: str
    node: str
    """Uuid or name of the node."""
    values: Mapping[str, Any]
    rules: tuple[str, ...]
    """Policy rules that the caller must pass on the node, in addition to the one to see it."""


class GetPart(Struct, frozen=True, kw_only=True):
    """Get a part by uuid or name."""

    kind: PartKind
    ident: str
    rules: tuple[str, ...]
    """Policy rules that the caller must pass on the part's node, in addition to the one to see it."""


class UpdatePart(GetPart, frozen=True, kw_only=True):
    """Change a part by a JSON patch."""

    patch: Patch
    offers_network_type: bool = True
    """False for an API without ``network_type`` in ``local_link_connection``."""


class DeletePart(GetPart, frozen=True, kw_only=True):
    """Delete a part."""


def create_part(tx: Transaction, access: Access, now: int, command: CreatePart) -> Part:
    """Add a part to a node."""
    node = check_named_node(access, nodes.lock(tx, command.node, now), command.node, command.rules)
    check_unlocked(node)
    table = parts.TABLES[command.kind]
    identity = {"id": 0, "uuid": command.uuid, "node_uuid": node.uuid, "created_at": now}
    part = table.model(**{**command.values, **identity})
    _check_group(tx, part)
    return table.create(tx, node.id, part)


def get_part(tx: Transaction, access: Access, now: int, command: GetPart) -> Part:
    """Return a part."""
    return _found(tx, access, command)[0]


def list_parts(tx: Transaction, access: Access, now: int, command: PartQuery) -> Page[Part]:
    """Return one page of parts; a node or port group that it names must exist and be visible to the caller."""
    if command.node is not None:
        node = nodes.get(tx, command.node)
        if node is None:
            raise NodeNotFound(node=command.node)
        check_node(access, node, command.node)
        command = replace(command, node=node.uuid)
    if command.portgroup is not None:
        group = GetPart(kind=PartKind.PORT_GROUP, ident=command.portgroup, rules=())
        command = replace(command, portgroup=_found(tx, access, group)[0].uuid)
    page = parts.page(tx, command)
    if page is None:
        raise PartNotFound(kind=command.kind.value.capitalize(), part=command.marker)
    return page


def update_part(tx: Transaction, access: Access, now: int, command: UpdatePart) -> Part:
    """Change a part, which may move it to another node."""
    before = _found(tx, access, command)
    expected = _target(command, before[0])
    part, node = _locked(tx, access, now, command, before, moves_to=expected)
    changes = changes_of_patch(command.kind, part, command.patch, offers_network_type=command.offers_network_type)
    after = replace(part, **changes)
    if after.node_uuid not in (node.uuid, expected):
        raise Again  # Another client changed the part between the first read and the lock.
    target = node
    if after.node_uuid != node.uuid:
        target = check_named_node(access, nodes.get(tx, after.node_uuid), after.node_uuid, command.rules)
        check_unlocked(target)
    if command.kind in _VOLUMES and node.power_state != states.POWER_OFF:
        raise WrongVerb(action=f"{command.kind.value} update", node=node.uuid, state=node.power_state)
    if target is not node and isinstance(part, PortGroup) and parts.group_has_ports(tx, part.uuid):
        raise PortGroupNotEmpty(portgroup=part.uuid)
    _check_group(tx, after)
    return parts.TABLES[command.kind].update(tx, part, now, None if target is node else target.id, **changes)


def delete_part(tx: Transaction, access: Access, now: int, command: DeletePart) -> None:
    """Delete a part, unless the state of its node or other parts depend on it."""
    part, node = _locked(tx, access, now, command, _found(tx, access, command))
    if command.kind is PartKind.PORT and node.instance_uuid and not node.maintenance:
        raise WrongState(
            reason=f"Cannot delete the port {part.uuid} as node {node.uuid} has instance {node.instance_uuid} "
            "and is not in maintenance mode."
        )
    if command.kind is PartKind.PORT_GROUP and parts.group_has_ports(tx, part.uuid):
        raise PortGroupNotEmpty(portgroup=part.uuid)
    if command.kind in _VOLUMES and not _may_lose_volumes(node):
        raise WrongVerb(action=f"{command.kind.value} deletion", node=node.uuid, state=node.power_state)
    parts.TABLES[command.kind].delete(tx, part)


def _may_lose_volumes(node: Node) -> bool:
    return node.power_state == states.POWER_OFF or node.provision_state in states.DELETE_ALLOWED_STATES


def _check_group(tx: Transaction, part: Part) -> None:
    """Raise BadValue for a port whose group is not one of its node."""
    if not isinstance(part, Port) or part.portgroup_uuid is None:
        return
    group = parts.TABLES[PartKind.PORT_GROUP].get(tx, part.portgroup_uuid)
    if group is None:
        raise BadValue(reason=f"Portgroup {part.portgroup_uuid} could not be found.")
    if group.node_uuid != part.node_uuid:
        raise BadValue(reason=f"Portgroup {group.uuid} does not belong to node {part.node_uuid}, as its ports must.")


def _found(tx: Transaction, access: Access, command: GetPart) -> tuple[Part, Node]:
    part = parts.TABLES[command.kind].get(tx, command.ident)
    node = nodes.get(tx, part.node_uuid) if part else None
    missing = PartNotFound(kind=command.kind.value.capitalize(), part=command.ident)
    if part is None or node is None:
        raise missing
    try:
        check_node(access, node, node.uuid, command.rules)
    except NodeNotFound as error:
        # A part of a node that the caller may not see does not exist for the caller.
        raise missing from error
    return part, node


def _target(command: UpdatePart, part: Part) -> str:
    """Return the uuid of the node to which the patch moves the part; that of its node when it stays."""
    changes = changes_of_patch(command.kind, part, command.patch, offers_network_type=command.offers_network_type)
    return str(changes.get("node_uuid", part.node_uuid))


def _locked(
    tx: Transaction,
    access: Access,
    now: int,
    command: GetPart,
    before: tuple[Part, Node],
    moves_to: str | None = None,
) -> tuple[Part, Node]:
    """Lock the node of a part, and the node that it moves to, in the order of their ids; return part and node.

    ``before`` is what was read without the lock, to find the node; it is read again under the lock.
    """
    _, node = before
    second = nodes.get(tx, moves_to) if moves_to is not None and moves_to != node.uuid else None
    providers.lock_many(tx, [each.id for each in (node, second) if each is not None], now)
    part, owner = _found(tx, access, command)
    if owner.id != node.id:
        raise Again  # The part moved to another node in between.
    check_unlocked(owner)
    return part, owner
