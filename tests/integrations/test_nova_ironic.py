"""Nova's real driver for Ironic with Dibs: interfaces, config drive, volumes, and cleanup after a failed boot."""

import json
import subprocess
import sys
import uuid
from pathlib import Path

from openstack.connection import Connection

from tests.bed.dibs_server import DibsServer
from tests.clients.clouds import bare_environment, connect, enroll, fresh_mac, write_clouds_yaml


def boot(server: DibsServer, folder: Path, node: str, instance: str, vif: str) -> dict[str, dict[str, object]]:
    """Run the driver; return what it saw."""
    program = str(Path(__file__).with_name("nova_ironic.py"))
    command = [sys.executable, program, str(folder), f"{server.url}/baremetal", node, instance, vif]
    done = subprocess.run(command, env=bare_environment(), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, object]] = json.loads(done.stdout)
    return found


def bonded(cloud: Connection, node: str) -> tuple[str, str]:
    """Give the node two ports, one of them in a group; return the addresses of the group and of its port."""
    address, member = fresh_mac(), fresh_mac()
    group = cloud.baremetal.create_port_group(node_id=node, address=address, mode="802.3ad", properties={"miimon": 100})
    cloud.baremetal.create_port(node_id=node, address=member, port_group_id=group.id)
    cloud.baremetal.create_port(node_id=node, address=fresh_mac())
    return address, member


def test_a_failed_boot_leaves_nothing_on_the_node(shared_server: DibsServer, tmp_path: Path) -> None:
    instance, vif = str(uuid.uuid4()), str(uuid.uuid4())
    with connect(write_clouds_yaml(tmp_path, shared_server)) as cloud:
        node = enroll(cloud, properties={"cpu_arch": "x86_64"}).id
        address, member = bonded(cloud, node)
        iqn = f"iqn.2017-07.org.openstack:{node}"
        cloud.baremetal.create_volume_connector(node_id=node, type="iqn", connector_id=iqn)
        seen = boot(shared_server, tmp_path, node, instance, vif)
        assert seen["booting"] == {"instance": instance, "vifs": [vif], "volumes": ["v"]}
        bond, link = seen["network"]["links"]  # type: ignore[misc]
        assert (bond["type"], bond["bond_mode"], bond["bond_miimon"]) == ("bond", "802.3ad", 100)
        assert (bond["ethernet_mac_address"], link["ethernet_mac_address"]) == (address, member)
        assert (seen["connector"]["initiator"], seen["connector"]["ip"]) == (iqn, "10.0.0.5")
        # Nova detaches the interfaces separately when a boot fails.
        assert seen["failed"] == {"instance": None, "vifs": [vif], "volumes": []}
        assert seen["destroyed"] == {"instance": None, "vifs": [], "volumes": []}
        freed = cloud.baremetal.get_node(node)
        assert (freed.provision_state, freed.instance_info) == ("available", {})
