"""An enrolment file of ``openstack baremetal create``; volumes and virtual interfaces with openstacksdk."""

import json
import uuid
from pathlib import Path

from openstack.connection import Connection

from tests.clients.clouds import Commands, fresh, fresh_mac


def test_a_file_enrols_a_chassis_with_nodes_groups_and_ports(
    commands: Commands, cloud: Connection, tmp_path: Path
) -> None:
    name, chassis, member = fresh(), str(uuid.uuid4()), fresh_mac()
    group = {"name": fresh(), "mode": "802.3ad", "ports": [{"address": member}]}
    node = {"name": name, "driver": "fake-hardware", "portgroups": [group], "ports": [{"address": fresh_mac()}]}
    file = tmp_path / "rack.json"
    file.write_text(json.dumps({"chassis": [{"uuid": chassis, "description": "rack 1", "nodes": [node]}]}))
    commands.run("create", str(file))
    made = cloud.baremetal.get_node(name)
    assert made.chassis_id == chassis
    (bond,) = cloud.baremetal.port_groups(node=made.id, details=True)
    ports = cloud.baremetal.ports(node=made.id, details=True)
    assert (bond.mode, [port.address for port in ports if port.port_group_id == bond.id]) == ("802.3ad", [member])
    assert [each.id for each in cloud.baremetal.chassis() if each.id == chassis] == [chassis]


def test_volumes_and_virtual_interfaces_are_managed_with_the_sdk(cloud: Connection) -> None:
    node = cloud.baremetal.create_node(name=fresh(), driver="fake-hardware")
    cloud.baremetal.create_port(node_id=node.id, address=fresh_mac())
    connector = cloud.baremetal.create_volume_connector(node_id=node.id, type="iqn", connector_id=fresh())
    target = cloud.baremetal.create_volume_target(
        node_id=node.id, volume_type="iscsi", volume_id=str(uuid.uuid4()), boot_index=0
    )
    assert [each.id for each in cloud.baremetal.volume_connectors(node=node.id, details=True)] == [connector.id]
    assert cloud.baremetal.get_volume_target(target.id).boot_index == 0
    vif = str(uuid.uuid4())
    cloud.baremetal.attach_vif_to_node(node, vif)
    assert cloud.baremetal.list_node_vifs(node) == [vif]
    assert cloud.baremetal.detach_vif_from_node(node, vif)
    cloud.baremetal.delete_volume_target(target)
    cloud.baremetal.delete_volume_connector(connector)
    assert list(cloud.baremetal.volume_targets(node=node.id)) == []
