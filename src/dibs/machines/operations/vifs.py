"""Virtual interfaces of a node: list, attach and detach. They are recorded on ports and port groups."""

from typing import cast

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.machines.model.access import check_node
from dibs.machines.model.errors import NodeNotFound
from dibs.machines.model.nodes import Node
from dibs.machines.model.parts.parts import PartKind
from dibs.machines.model.parts.ports import Port, PortGroup
from dibs.machines.model.parts.vifs import Carrier, carrier_of, choose_carrier, vif_of, with_vif, without_vif
from dibs.machines.operations.nodes import GetNode, check_unlocked, lock_node
from dibs.machines.queries import nodes, parts


class AttachVif(GetNode, frozen=True, kw_only=True):
    """Attach a VIF to a node."""

    vif: str
    port: str | None = None
    """The uuid of the port to use; None to choose one."""
    portgroup: str | None = None
    """The uuid of the port group to use; None to choose one."""


class DetachVif(GetNode, frozen=True, kw_only=True):
    """Detach a VIF from a node."""

    vif: str


def list_vifs(tx: Transaction, access: Access, now: int, command: GetNode) -> list[str]:
    """Return the ids of the VIFs of a node."""
    node = nodes.get(tx, command.ident)
    if node is None:
        raise NodeNotFound(node=command.ident)
    check_node(access, node, command.ident, command.rules)
    return [vif for carrier in _carriers(tx, node) if (vif := vif_of(carrier)) is not None]


def attach_vif(tx: Transaction, access: Access, now: int, command: AttachVif) -> None:
    """Record a VIF on a free port or port group of a node."""
    node = lock_node(tx, access, now, command)
    check_unlocked(node)
    chosen = choose_carrier(
        command.vif, _ports(tx, node), _groups(tx, node), port=command.port, portgroup=command.portgroup
    )
    _table(chosen).update(tx, chosen, now, internal_info=with_vif(chosen, command.vif))


def detach_vif(tx: Transaction, access: Access, now: int, command: DetachVif) -> None:
    """Remove a VIF from the port or port group that carries it."""
    node = lock_node(tx, access, now, command)
    check_unlocked(node)
    carrier = carrier_of(command.vif, node.uuid, _carriers(tx, node))
    _table(carrier).update(tx, carrier, now, internal_info=without_vif(carrier))


def detach_every_vif(tx: Transaction, now: int, node: Node) -> None:
    """Remove all VIFs from a locked node whose instance is gone."""
    for carrier in _carriers(tx, node):
        if vif_of(carrier) is not None:
            _table(carrier).update(tx, carrier, now, internal_info=without_vif(carrier))


def _table(carrier: Carrier) -> parts.PartTable:
    return parts.TABLES[PartKind.PORT_GROUP if isinstance(carrier, PortGroup) else PartKind.PORT]


def _carriers(tx: Transaction, node: Node) -> list[Carrier]:
    return [*_ports(tx, node), *_groups(tx, node)]


def _ports(tx: Transaction, node: Node) -> list[Port]:
    return cast(list[Port], parts.TABLES[PartKind.PORT].of_node(tx, node.id))


def _groups(tx: Transaction, node: Node) -> list[PortGroup]:
    return cast(list[PortGroup], parts.TABLES[PartKind.PORT_GROUP].of_node(tx, node.id))
