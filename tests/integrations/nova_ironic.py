"""Nova's real driver for Ironic boots an instance on a node of Dibs, and cleans up after the boot fails.

``python nova_ironic.py FOLDER URL NODE INSTANCE VIF``: the folder is for nova.conf, the URL that of the bare-metal API.
Writes what the driver reads from Dibs on the way, as one JSON document.
"""

# ruff: noqa: E402

import sys
from pathlib import Path

FOLDER, URL, NODE, INSTANCE, VIF = sys.argv[1:]

from nova import monkey_patch

# Before anything else is loaded, as in Nova's own programs.
monkey_patch.patch(backend="threading")

import json
from types import SimpleNamespace

from nova import config, objects
from nova.network import model
from nova.virt.ironic.driver import IronicDriver

CONFIGURATION = f"""\
[DEFAULT]
state_path = {FOLDER}
my_ip = 127.0.0.1
[ironic]
auth_type = none
endpoint_override = {URL}
"""

Path(FOLDER, "nova.conf").write_text(CONFIGURATION)
config.parse_args(["nova", "--config-file", f"{FOLDER}/nova.conf"])
objects.register_all()

subnet = model.Subnet(
    cidr="10.0.0.0/24", gateway=model.IP("10.0.0.1"), ips=[model.FixedIP(address="10.0.0.5")], dns=[], routes=[]
)
vif = model.VIF(id=VIF, address="fa:16:3e:00:00:01", type="other", network=model.Network(id="n", subnets=[subnet]))
network_info = model.NetworkInfo([vif])
instance = objects.Instance(uuid=INSTANCE, node=NODE, hostname="web")
instance.info_cache = objects.InstanceInfoCache(network_info=network_info)
volume = SimpleNamespace(
    volume_id="v", boot_index=0, connection_info='{"driver_volume_type": "iscsi", "data": {"lun": 1}}'
)
block_device_info = {"block_device_mapping": [SimpleNamespace(is_volume=True, _bdm_obj=volume)]}

driver = IronicDriver(None)
seen = {}


def look(moment: str) -> None:
    """Remember what Dibs shows of the node."""
    bare_metal = driver.ironic_connection
    seen[moment] = {
        "instance": bare_metal.get_node(NODE).instance_id,
        "vifs": bare_metal.list_node_vifs(NODE),
        "volumes": [target.volume_id for target in bare_metal.volume_targets(node=NODE)],
    }


driver.prepare_for_spawn(instance)
driver.attach_interface(None, instance, None, vif)
driver._add_volume_target_info(None, instance, block_device_info)
look("booting")
# For the config drive.
seen["network"] = driver._get_network_metadata(driver._get_node(NODE), network_info)
seen["connector"] = driver.get_volume_connector(instance)
driver.failed_spawn_cleanup(instance)
look("failed")
driver.prepare_for_spawn(instance)
driver.destroy(None, instance, network_info)
look("destroyed")
sys.stdout.write(json.dumps(seen))
