"""Parts of nodes change under the lock of their node."""

import uuid
from typing import Any

import pytest

from dibs.access.access import EVERY_PROJECT, SERVICE
from dibs.errors import BadValue
from dibs.ledger.queries import providers
from dibs.machines.model.errors import (
    NodeLocked,
    NodeNotFound,
    PartExists,
    PartNotFound,
    PortGroupNotEmpty,
    WrongState,
    WrongVerb,
)
from dibs.machines.model.nodes import Node
from dibs.machines.model.parts.parts import Part, PartKind, PartQuery
from dibs.machines.model.parts.ports import Port
from dibs.machines.operations.nodes import delete_node
from dibs.machines.operations.parts import (
    CreatePart,
    DeletePart,
    GetPart,
    UpdatePart,
    create_part,
    delete_part,
    get_part,
    list_parts,
    update_part,
)
from tests.builders import Ledger, granted, patch_of

ADDRESS = "52:54:00:00:00:0{}".format
VALUES: dict[PartKind, dict[str, Any]] = {
    PartKind.PORT: {"address": ADDRESS(0)},
    PartKind.PORT_GROUP: {"address": ADDRESS(0), "name": "bond0"},
    PartKind.VOLUME_CONNECTOR: {"type": "iqn", "connector_id": "iqn.2017-07.org.openstack:1"},
    PartKind.VOLUME_TARGET: {"volume_type": "iscsi", "volume_id": "v", "boot_index": 0},
}


def add(ledger: Ledger, node: Node, kind: PartKind, **values: Any) -> Part:
    command = CreatePart(kind=kind, uuid=str(uuid.uuid4()), node=node.uuid, values=values, rules=())
    return ledger.runner.write(create_part, SERVICE, command)


def plug_in(ledger: Ledger, node: Node, address: str, **values: Any) -> Part:
    return add(ledger, node, PartKind.PORT, address=address, **values)


def change(ledger: Ledger, part: Part, kind: PartKind = PartKind.PORT, **changes: Any) -> Part:
    command = UpdatePart(kind=kind, ident=part.uuid, rules=(), patch=patch_of(changes))
    return ledger.runner.write(update_part, SERVICE, command)


def remove(ledger: Ledger, part: Part, kind: PartKind) -> None:
    ledger.runner.write(delete_part, SERVICE, DeletePart(kind=kind, ident=part.uuid, rules=()))


def found(ledger: Ledger, **query: Any) -> list[str]:
    asked = PartQuery(**{"kind": PartKind.PORT, "projects": EVERY_PROJECT, **query})
    return [port.address for port in ledger.runner.read(list_parts, SERVICE, asked)]  # type: ignore[attr-defined]


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
        assert ledger.runner.read(get_part, SERVICE, GetPart(kind=PartKind.PORT, ident=ident, rules=())) == port


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
    asked = PartQuery(kind=PartKind.PORT, projects=EVERY_PROJECT, sort_key="address", descending=True, limit=2)
    page = ledger.runner.read(list_parts, SERVICE, asked)
    assert [port.address for port in page if isinstance(port, Port)] == ["52:54:00:00:00:03", "52:54:00:00:00:02"]
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
    with pytest.raises(PartExists, match=value):
        plug_in(ledger, node, **{"address": "52:54:00:00:00:01", field: value})
    other = plug_in(ledger, node, "52:54:00:00:00:02")
    with pytest.raises(PartExists, match=value):
        change(ledger, other, **{field: value})


def test_ports_of_a_locked_node_cannot_change(ledger: Ledger) -> None:
    locked = ledger.enrol(reservation="conductor-1")
    with pytest.raises(NodeLocked, match="conductor-1"):
        plug_in(ledger, locked, "52:54:00:00:00:00")


def test_ports_of_a_node_in_use_are_deleted_only_in_maintenance(ledger: Ledger) -> None:
    node = ledger.enrol()
    port = plug_in(ledger, node, "52:54:00:00:00:00")
    ledger.change(node, instance_uuid=str(uuid.uuid4()))
    command = DeletePart(kind=PartKind.PORT, ident=port.uuid, rules=())
    with pytest.raises(WrongState, match="not in maintenance"):
        ledger.runner.write(delete_part, SERVICE, command)
    ledger.change(node, maintenance=True)
    ledger.runner.write(delete_part, SERVICE, command)
    with pytest.raises(PartNotFound):
        ledger.runner.read(get_part, SERVICE, GetPart(kind=PartKind.PORT, ident=port.uuid, rules=()))


def test_a_port_of_an_invisible_node_is_not_found(ledger: Ledger) -> None:
    port = plug_in(ledger, ledger.enrol(), "52:54:00:00:00:00")
    with pytest.raises(PartNotFound, match=port.uuid):
        ledger.runner.read(
            get_part, granted("baremetal:port:get"), GetPart(kind=PartKind.PORT, ident=port.uuid, rules=())
        )


def test_ports_are_deleted_with_their_node(ledger: Ledger) -> None:
    node = ledger.enrol()
    plug_in(ledger, node, "52:54:00:00:00:00")
    ledger.runner.write(delete_node, SERVICE, node.uuid)
    assert found(ledger) == []


@pytest.mark.parametrize("kind", PartKind)
def test_every_kind_of_part_is_created_shown_listed_moved_and_deleted(ledger: Ledger, kind: PartKind) -> None:
    first, second = ledger.enrol(), ledger.enrol()
    part = add(ledger, first, kind, **VALUES[kind], extra={"a": 1})
    assert ledger.runner.read(get_part, SERVICE, GetPart(kind=kind, ident=part.uuid, rules=())) == part
    query = PartQuery(kind=kind, node=first.uuid, projects=EVERY_PROJECT)
    assert ledger.runner.read(list_parts, SERVICE, query) == [part]
    moved = change(ledger, part, kind, extra={"b": 2}, node_uuid=second.uuid)
    assert (moved.node_uuid, moved.extra) == (second.uuid, {"b": 2})
    assert ledger.runner.read(list_parts, SERVICE, query) == []
    remove(ledger, moved, kind)
    with pytest.raises(PartNotFound, match=f"{kind.value.capitalize()} {part.uuid} could not be found"):
        ledger.runner.read(get_part, SERVICE, GetPart(kind=kind, ident=part.uuid, rules=()))


@pytest.mark.parametrize("kind", PartKind)
def test_a_part_with_what_another_has_is_refused(ledger: Ledger, kind: PartKind) -> None:
    node = ledger.enrol()
    add(ledger, node, kind, **VALUES[kind])
    with pytest.raises(PartExists, match=f"A {kind.value} with .* already exists"):
        add(ledger, node, kind, **VALUES[kind])


def test_a_boot_index_is_unique_within_its_node(ledger: Ledger) -> None:
    for node in (ledger.enrol(), ledger.enrol()):
        add(ledger, node, PartKind.VOLUME_TARGET, **VALUES[PartKind.VOLUME_TARGET])


@pytest.mark.parametrize("kind", PartKind)
def test_a_part_does_not_move_to_a_locked_node(ledger: Ledger, kind: PartKind) -> None:
    part = add(ledger, ledger.enrol(), kind, **VALUES[kind])
    locked = ledger.enrol(reservation="conductor-1")
    with pytest.raises(NodeLocked, match=locked.uuid):
        change(ledger, part, kind, node_uuid=locked.uuid)


def test_a_move_locks_both_nodes_before_it_reads_them(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = ledger.enrol(), ledger.enrol()
    port = plug_in(ledger, second, ADDRESS(0))
    locked: list[set[int]] = []
    lock_many = providers.lock_many
    monkeypatch.setattr(providers, "lock_many", lambda tx, ids, now: locked.append(set(ids)) or lock_many(tx, ids, now))
    change(ledger, port, node_uuid=first.uuid)
    assert locked == [{first.id, second.id}]


def test_a_port_belongs_to_a_group_of_its_own_node(ledger: Ledger) -> None:
    node, other = ledger.enrol(), ledger.enrol()
    group = add(ledger, node, PartKind.PORT_GROUP, name="bond0")
    port = plug_in(ledger, node, ADDRESS(0), portgroup_uuid=group.uuid)
    with pytest.raises(BadValue, match="does not belong to node"):
        plug_in(ledger, other, ADDRESS(1), portgroup_uuid=group.uuid)
    with pytest.raises(BadValue, match="could not be found"):
        plug_in(ledger, node, ADDRESS(1), portgroup_uuid=str(uuid.uuid4()))
    with pytest.raises(BadValue, match="does not belong to node"):
        change(ledger, port, node_uuid=other.uuid)
    assert found(ledger, portgroup="bond0") == [ADDRESS(0)]
    with pytest.raises(PortGroupNotEmpty):
        remove(ledger, group, PartKind.PORT_GROUP)
    with pytest.raises(PortGroupNotEmpty):
        change(ledger, group, PartKind.PORT_GROUP, node_uuid=other.uuid)
    change(ledger, port, portgroup_uuid=None)
    remove(ledger, group, PartKind.PORT_GROUP)


@pytest.mark.parametrize("kind", [PartKind.VOLUME_CONNECTOR, PartKind.VOLUME_TARGET])
def test_volumes_of_a_running_node_cannot_change(ledger: Ledger, kind: PartKind) -> None:
    node = ledger.enrol(state="active", power_state="power on")
    part = add(ledger, node, kind, **VALUES[kind])
    with pytest.raises(WrongVerb, match=f"{kind.value} update"):
        change(ledger, part, kind, extra={"a": 1})
    with pytest.raises(WrongVerb, match=f"{kind.value} deletion"):
        remove(ledger, part, kind)


@pytest.mark.parametrize("filters", [{"node": "nosuch"}, {"portgroup": "nosuch"}])
def test_a_list_of_an_unknown_node_or_group_is_refused(ledger: Ledger, filters: dict[str, str]) -> None:
    with pytest.raises((NodeNotFound, PartNotFound), match="nosuch could not be found"):
        found(ledger, **filters)


def test_the_parts_of_a_node_are_deleted_with_it(ledger: Ledger) -> None:
    node = ledger.enrol(state="enroll")
    made = [(kind, add(ledger, node, kind, **VALUES[kind])) for kind in PartKind]
    ledger.runner.write(delete_node, SERVICE, node.uuid)
    for kind, part in made:
        with pytest.raises(PartNotFound):
            ledger.runner.read(get_part, SERVICE, GetPart(kind=kind, ident=part.uuid, rules=()))
