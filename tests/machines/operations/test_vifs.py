"""Virtual interfaces are recorded on ports and port groups, and removed with the instance."""

import uuid

import pytest

from dibs.access.access import SERVICE
from dibs.machines.model.errors import NodeLocked, VifNotAttached
from dibs.machines.model.nodes import Node
from dibs.machines.model.parts.parts import PartKind
from dibs.machines.operations.nodes import GetNode
from dibs.machines.operations.parts import CreatePart, create_part
from dibs.machines.operations.vifs import AttachVif, DetachVif, attach_vif, detach_every_vif, detach_vif, list_vifs
from tests.builders import Ledger


def add(ledger: Ledger, node: Node, kind: PartKind, **values: object) -> str:
    command = CreatePart(kind=kind, uuid=str(uuid.uuid4()), node=node.uuid, values=values, rules=())
    return ledger.runner.write(create_part, SERVICE, command).uuid


def attach(ledger: Ledger, node: Node, vif: str) -> None:
    ledger.runner.write(attach_vif, SERVICE, AttachVif(ident=node.uuid, rules=(), vif=vif))


def listed(ledger: Ledger, node: Node) -> list[str]:
    return ledger.runner.read(list_vifs, SERVICE, GetNode(ident=node.uuid, rules=()))


@pytest.fixture
def node(ledger: Ledger) -> Node:
    """A node with a port and a group of one port."""
    node = ledger.enrol()
    group = add(ledger, node, PartKind.PORT_GROUP, name="bond0")
    add(ledger, node, PartKind.PORT, address="52:54:00:00:00:01")
    add(ledger, node, PartKind.PORT, address="52:54:00:00:00:02", portgroup_uuid=group)
    return node


def test_vifs_are_attached_listed_and_detached(ledger: Ledger, node: Node) -> None:
    for vif in ("v1", "v2"):
        attach(ledger, node, vif)
    assert sorted(listed(ledger, node)) == ["v1", "v2"]
    detach = DetachVif(ident=node.uuid, rules=(), vif="v1")
    ledger.runner.write(detach_vif, SERVICE, detach)
    assert listed(ledger, node) == ["v2"]
    with pytest.raises(VifNotAttached):
        ledger.runner.write(detach_vif, SERVICE, detach)


def test_vifs_of_a_locked_node_cannot_change(ledger: Ledger) -> None:
    locked = ledger.enrol(reservation="conductor-1")
    with pytest.raises(NodeLocked):
        attach(ledger, locked, "v1")


def test_every_vif_is_detached_at_once(ledger: Ledger, node: Node) -> None:
    for vif in ("v1", "v2"):
        attach(ledger, node, vif)
    ledger.run(lambda tx: detach_every_vif(tx, ledger.clock(), node))
    assert listed(ledger, node) == []
