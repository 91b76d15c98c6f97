"""Errors in openstacksdk: the right exception, with a message that says what is wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from keystoneauth1.exceptions import ConnectFailure
from openstack import exceptions
from openstack.connection import Connection

from tests.bed.dibs_server import DibsServer
from tests.bed.waiting import eventually
from tests.clients.clouds import connect, enroll, fresh, fresh_mac, until_provisioned, write_clouds_yaml
from tests.clients.test_openstacksdk import change


@pytest.fixture
def node(cloud: Connection) -> Any:
    """Create a node in the state enroll."""
    return cloud.baremetal.create_node(name=fresh(), driver="fake-hardware")


def test_a_duplicate_name_is_refused(cloud: Connection, node: Any) -> None:
    with pytest.raises(exceptions.ConflictException, match=f"A node with name {node.name} already exists"):
        cloud.baremetal.create_node(name=node.name, driver="fake-hardware")


def test_an_unknown_driver_is_named_in_the_error(cloud: Connection) -> None:
    with pytest.raises(exceptions.BadRequestException, match="supports driver toaster"):
        cloud.baremetal.create_node(driver="toaster")
    with pytest.raises(exceptions.NotFoundException, match="toaster"):
        cloud.baremetal.get_driver("toaster")


def test_an_unknown_node_is_named_in_the_error(cloud: Connection) -> None:
    with pytest.raises(exceptions.NotFoundException, match="Node nowhere could not be found"):
        cloud.baremetal.get_node("nowhere")
    with pytest.raises(exceptions.NotFoundException, match="Node nowhere could not be found"):
        cloud.baremetal.set_node_power_state("nowhere", "power on")


def test_an_invalid_trait_is_named_in_the_error(cloud: Connection, node: Any) -> None:
    with pytest.raises(exceptions.BadRequestException, match="'gpu' is not a valid trait"):
        cloud.baremetal.add_node_trait(node, "gpu")
    with pytest.raises(exceptions.BadRequestException, match="CUSTOM_lower"):
        cloud.baremetal.set_node_traits(node, ["CUSTOM_FINE", "CUSTOM_lower"])
    assert cloud.baremetal.get_node(node.id).traits == []


def test_the_51st_trait_is_refused(cloud: Connection, node: Any) -> None:
    cloud.baremetal.set_node_traits(node, [f"CUSTOM_{number}" for number in range(50)])
    with pytest.raises(exceptions.BadRequestException, match=r"51 vs\. 50"):
        cloud.baremetal.add_node_trait(node, "CUSTOM_50")


def test_removing_a_missing_trait_is_refused(cloud: Connection, node: Any) -> None:
    with pytest.raises(exceptions.NotFoundException, match="doesn't have a trait 'CUSTOM_A'"):
        cloud.baremetal.remove_node_trait(node, "CUSTOM_A", ignore_missing=False)


def test_a_verb_that_the_state_does_not_allow_is_refused(cloud: Connection, node: Any) -> None:
    with pytest.raises(exceptions.BadRequestException, match=r'"active" can not be performed .* in state "enroll"'):
        cloud.baremetal.set_node_provision_state(node, "active")


def test_a_deploy_with_a_trait_that_the_node_lacks_is_refused(cloud: Connection) -> None:
    node = enroll(cloud)
    cloud.baremetal.set_node_traits(node.id, ["CUSTOM_A"])
    cloud.baremetal.update_node(node.id, instance_info={"traits": ["CUSTOM_A", "CUSTOM_GPU"]})
    with pytest.raises(exceptions.ValidationException, match="missing traits CUSTOM_GPU"):
        cloud.baremetal.validate_node(node, required=("deploy",))
    with pytest.raises(exceptions.BadRequestException, match="missing traits CUSTOM_GPU"):
        cloud.baremetal.set_node_provision_state(node, "active")
    assert cloud.baremetal.get_node(node.id).provision_state == "available"


def test_an_update_of_a_locked_node_names_the_host_with_the_lock(cloud: Connection) -> None:
    node = cloud.baremetal.create_node(driver="fake-hardware", driver_info={"fake_delay_power": 20})
    cloud.baremetal.set_node_power_state(node, "power on")
    host = eventually(lambda: cloud.baremetal.get_node(node.id).reservation)
    with pytest.raises(exceptions.ConflictException, match=f"is locked by host {host}"):
        cloud.baremetal.update_node(node.id, extra={"a": 1})
    with pytest.raises(exceptions.ConflictException, match=f"is locked by host {host}"):
        cloud.baremetal.set_node_provision_state(node.id, "manage")


def test_a_protected_node_is_not_undeployed(cloud: Connection) -> None:
    node = enroll(cloud)
    change(cloud, node, "active", "active")
    cloud.baremetal.update_node(node.id, is_protected=True, protected_reason="production")
    with pytest.raises(exceptions.ForbiddenException, match="is protected"):
        cloud.baremetal.set_node_provision_state(node.id, "deleted")
    cloud.baremetal.update_node(node.id, is_protected=False)
    change(cloud, node, "deleted", "available")


def test_a_retired_node_is_not_provided(cloud: Connection) -> None:
    node = cloud.baremetal.create_node(driver="fake-hardware")
    change(cloud, node, "manage", "manageable")
    cloud.baremetal.update_node(node.id, is_retired=True, retired_reason="old")
    with pytest.raises(exceptions.BadRequestException, match="because it is retired"):
        cloud.baremetal.set_node_provision_state(node.id, "provide")


def test_a_node_in_use_is_not_deleted(cloud: Connection) -> None:
    node = enroll(cloud)
    change(cloud, node, "active", "active")
    with pytest.raises(exceptions.ConflictException, match='in provision state "active"'):
        cloud.baremetal.delete_node(node)


def test_a_node_in_maintenance_is_not_deployed(cloud: Connection) -> None:
    node = enroll(cloud)
    cloud.baremetal.set_node_maintenance(node, "bad fan")
    with pytest.raises(exceptions.BadRequestException, match="maintenance mode"):
        cloud.baremetal.set_node_provision_state(node, "active")


def test_a_patch_of_a_read_only_attribute_names_it(cloud: Connection, node: Any) -> None:
    with pytest.raises(exceptions.BadRequestException, match="/provision_state"):
        cloud.baremetal.patch_node(node, [{"op": "add", "path": "/provision_state", "value": "active"}])


def test_a_duplicate_mac_address_is_refused(cloud: Connection, node: Any) -> None:
    port = cloud.baremetal.create_port(node_id=node.id, address=fresh_mac())
    with pytest.raises(exceptions.ConflictException, match=f"A port with MAC address {port.address} already exists"):
        cloud.baremetal.create_port(node_id=node.id, address=port.address)


def test_waiting_for_a_failed_deploy_raises_the_reason(cloud: Connection) -> None:
    node = enroll(cloud, driver_info={"fake_fail_deploy": "no link on port 1"})
    cloud.baremetal.set_node_provision_state(node, "active")
    until_provisioned(cloud, node, "deploy failed")
    with pytest.raises(exceptions.SDKException, match="no link on port 1"):
        cloud.baremetal.wait_for_nodes_provision_state([node], "active", timeout=15)


def test_an_api_that_dibs_does_not_have_is_not_found(cloud: Connection) -> None:
    with pytest.raises(exceptions.NotFoundException):
        list(cloud.baremetal.deploy_templates())


def test_a_stopped_server_is_a_connect_failure(serve: Callable[..., DibsServer], tmp_path: Path) -> None:
    server = serve()
    cloud = connect(write_clouds_yaml(tmp_path, server))
    assert list(cloud.baremetal.nodes()) == []
    server.stop()
    with pytest.raises(ConnectFailure, match=str(server.port)):
        list(cloud.baremetal.nodes())
