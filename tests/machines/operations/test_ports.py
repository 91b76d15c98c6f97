"""Ports change under the lock of their node."""

import uuid
from typing import Any

import pytest

from dibs.access.access import EVERY_PROJECT, SERVICE
from dibs.errors import BadValue
from dibs.machines.model.errors import NodeLocked, PortExists, PortNotFound, WrongState
from dibs.machines.model.nodes import Node
from dibs.machines.model.ports import Port, PortQuery
from dibs.machines.operations.nodes import delete_node
from dibs.machines.operations.ports import (
    CreatePort,
    DeletePort,
    GetPort,
    UpdatePort,
    create_port,
    delete_port,
    get_port,
    list_ports,
    update_port,
)
from tests.builders import Ledger, granted, patch_of


def plug_in(ledger: Ledger, node: Node, address: str, **values: Any) -> Port:
    command = CreatePort(uuid=str(uuid.uuid4()), node=node.uuid, values={"address": address, **values}, rules=())
    return ledger.runner.write(create_port, SERVICE, command)


def change(ledger: Ledger, port: Port, **changes: Any) -> Port:
    return ledger.runner.write(update_port, SERVICE, UpdatePort(ident=port.uuid, rules=(), patch=patch_of(changes)))


def found(ledger: Ledger, **query: Any) -> list[str]:
    asked = PortQuery(**{"projects": EVERY_PROJECT, **query})
    return [port.address for port in ledger.runner.read(list_ports, SERVICE, asked)]


def test_a_port_is_found_by_uuid_and_name(ledger: Ledger) -> None:
    port = plug_in(
        ledger,
        ledger.enrol(),
        "52:54:00:00:00:00",
        name="eth0",
        pxe_enabled=False,
        local_link_connection={"port_id": "1"},
    )
    for ident in (port.uuid, "eth0"):
        assert ledger.runner.read(get_port, SERVICE, GetPort(ident=ident, rules=())) == port


def test_lists_by_node_address_shard_and_project_in_order_and_pages(ledger: Ledger) -> None:
    first = ledger.enrol(name="first", shard="s1", owner="red", conductor_group="")
    second = ledger.enrol(shard="s2", lessee="red")
    third = ledger.enrol(owner="blue")
    for number, node in enumerate((first, second, third, first)):
        plug_in(ledger, node, f"52:54:00:00:00:0{number}")
    assert found(ledger, node="first") == found(ledger, node=first.uuid) == ["52:54:00:00:00:00", "52:54:00:00:00:03"]
    assert found(ledger, address="52:54:00:00:00:02") == ["52:54:00:00:00:02"]
    assert found(ledger, shards=("s1", "s2")) == ["52:54:00:00:00:00", "52:54:00:00:00:01", "52:54:00:00:00:03"]
    assert found(ledger, projects=frozenset({"red"})) == ["52:54:00:00:00:00", "52:54:00:00:00:01", "52:54:00:00:00:03"]
    assert found(ledger, projects=frozenset()) == []
    assert found(ledger, conductor_groups=("nowhere",)) == []
    asked = PortQuery(projects=EVERY_PROJECT, sort_key="address", descending=True, limit=2)
    page = ledger.runner.read(list_ports, SERVICE, asked)
    assert [port.address for port in page] == ["52:54:00:00:00:03", "52:54:00:00:00:02"]
    assert found(ledger, sort_key="address", descending=True, limit=2, marker=page[-1].uuid) == [
        "52:54:00:00:00:01",
        "52:54:00:00:00:00",
    ]


def test_a_port_moves_to_another_node(ledger: Ledger) -> None:
    first, second = ledger.enrol(), ledger.enrol()
    port = plug_in(ledger, first, "52:54:00:00:00:00")
    assert change(ledger, port, node_uuid=second.uuid).node_uuid == second.uuid
    assert found(ledger, node=first.uuid) == []
    unknown = str(uuid.uuid4())
    with pytest.raises(BadValue, match=f"Node {unknown} could not be found"):
        change(ledger, port, node_uuid=unknown)


@pytest.mark.parametrize(("field", "value"), [("address", "52:54:00:00:00:00"), ("name", "eth0")])
def test_a_duplicate_is_refused_with_its_field(ledger: Ledger, field: str, value: str) -> None:
    node = ledger.enrol()
    plug_in(ledger, node, "52:54:00:00:00:00", name="eth0")
    with pytest.raises(PortExists, match=value):
        plug_in(ledger, node, **{"address": "52:54:00:00:00:01", field: value})
    other = plug_in(ledger, node, "52:54:00:00:00:02")
    with pytest.raises(PortExists, match=value):
        change(ledger, other, **{field: value})


def test_ports_of_a_locked_node_cannot_change(ledger: Ledger) -> None:
    locked = ledger.enrol(reservation="conductor-1")
    with pytest.raises(NodeLocked, match="conductor-1"):
        plug_in(ledger, locked, "52:54:00:00:00:00")


def test_ports_of_a_node_in_use_are_deleted_only_in_maintenance(ledger: Ledger) -> None:
    node = ledger.enrol()
    port = plug_in(ledger, node, "52:54:00:00:00:00")
    ledger.change(node, instance_uuid=str(uuid.uuid4()))
    command = DeletePort(ident=port.uuid, rules=())
    with pytest.raises(WrongState, match="not in maintenance"):
        ledger.runner.write(delete_port, SERVICE, command)
    ledger.change(node, maintenance=True)
    ledger.runner.write(delete_port, SERVICE, command)
    with pytest.raises(PortNotFound):
        ledger.runner.read(get_port, SERVICE, GetPort(ident=port.uuid, rules=()))


def test_a_port_of_an_invisible_node_is_not_found(ledger: Ledger) -> None:
    port = plug_in(ledger, ledger.enrol(), "52:54:00:00:00:00")
    with pytest.raises(PortNotFound, match=port.uuid):
        ledger.runner.read(get_port, granted("baremetal:port:get"), GetPort(ident=port.uuid, rules=()))


def test_ports_are_deleted_with_their_node(ledger: Ledger) -> None:
    node = ledger.enrol()
    plug_in(ledger, node, "52:54:00:00:00:00")
    ledger.runner.write(delete_node, SERVICE, node.uuid)
    assert found(ledger) == []
