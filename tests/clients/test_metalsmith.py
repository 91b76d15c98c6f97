"""metalsmith: reserve a node through an allocation, deploy it, undeploy it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from metalsmith import Provisioner, exceptions, sources
from openstack.config import OpenStackConfig

from tests.bed.session import Bed
from tests.clients.clouds import enroll, fresh, until_provisioned, write_clouds_yaml


@pytest.fixture
def metalsmith(bed: Bed, tmp_path: Path) -> Iterator[Provisioner]:
    """Return metalsmith's provisioner; one engine is enough, because it cannot tell engines apart."""
    path = write_clouds_yaml(tmp_path, bed.shared_server("sqlite"))
    config = OpenStackConfig(config_files=[str(path)], load_envvars=False)
    provisioner = Provisioner(cloud_region=config.get_one(cloud="dibs"))
    with provisioner.connection:
        yield provisioner


def test_a_node_is_reserved_shown_deployed_and_undeployed(metalsmith: Provisioner) -> None:
    cloud = metalsmith.connection
    kind, hostname = fresh("class"), fresh("host")
    enroll(cloud, resource_class=kind)
    node = enroll(cloud, resource_class=kind, properties={"capabilities": "boot_mode:uefi"})
    cloud.baremetal.add_node_trait(node, "CUSTOM_A")
    reserved = metalsmith.reserve_node(
        kind, traits=["CUSTOM_A"], capabilities={"boot_mode": "uefi"}, hostname=hostname, candidates=[node.name]
    )
    assert (reserved.id, reserved.instance_info["capabilities"]) == (node.id, {"boot_mode": "uefi"})
    allocation = cloud.baremetal.get_allocation(hostname)
    assert (allocation.node_id, allocation.id) == (node.id, reserved.instance_id)
    shown = metalsmith.show_instance(hostname)
    assert (shown.uuid, shown.hostname) == (node.id, hostname)
    image = sources.HttpWholeDiskImage("http://images.example/disk.img", checksum="a" * 64, disk_format="raw")
    instance = metalsmith.provision_node(reserved, image, hostname=hostname, root_size_gb=10, wait=60)
    assert (instance.is_deployed, instance.allocation.id) == (True, allocation.id)
    metalsmith.unprovision_node(hostname, wait=60)
    released = until_provisioned(cloud, node, "available")
    assert (released.instance_id, released.allocation_id, released.instance_info) == (None, None, {})


def test_a_refused_deploy_releases_the_reserved_node(metalsmith: Provisioner) -> None:
    cloud = metalsmith.connection
    kind = fresh("class")
    node = enroll(cloud, resource_class=kind)
    reserved = metalsmith.reserve_node(kind)
    cloud.baremetal.patch_node(reserved, [{"op": "add", "path": "/instance_info/traits", "value": ["CUSTOM_NONE"]}])
    image = sources.HttpWholeDiskImage("http://images.example/disk.img", checksum="a" * 64, disk_format="raw")
    with pytest.raises(Exception, match="CUSTOM_NONE"):
        metalsmith.provision_node(reserved, image, root_size_gb=10, wait=60)
    assert cloud.baremetal.get_node(node.id).instance_id is None
    assert list(cloud.baremetal.allocations(resource_class=kind)) == []


def test_a_failed_reservation_leaves_no_allocation(metalsmith: Provisioner) -> None:
    kind, hostname = fresh("class"), fresh("host")
    enroll(metalsmith.connection, resource_class=kind)
    with pytest.raises(exceptions.ReservationFailed, match="1 lacks CUSTOM_NONE"):
        metalsmith.reserve_node(kind, traits=["CUSTOM_NONE"], hostname=hostname)
    assert list(metalsmith.connection.baremetal.allocations(resource_class=kind)) == []
