"""The real openstacksdk: nodes from enrollment to deletion."""

from typing import Any

import pytest
from openstack.connection import Connection

from tests.bed.waiting import eventually
from tests.clients.clouds import enroll, fresh, fresh_mac, until_provisioned


def change(cloud: Connection, node: Any, target: str, end: str, **arguments: Any) -> Any:
    """Send a provision verb and wait until the node is in its final state."""
    cloud.baremetal.set_node_provision_state(node, target, **arguments)
    return until_provisioned(cloud, node, end)


def list_names(cloud: Connection, query: dict[str, str]) -> set[str]:
    """Return the names of the nodes for a query that the SDK does not support, such as filters by trait."""
    answer = cloud.baremetal.get("/nodes", params=query, microversion="1.37")
    return {node["name"] for node in answer.json()["nodes"]}


def test_a_new_node_has_the_attributes_it_was_created_with(cloud: Connection) -> None:
    name = fresh()
    cloud.baremetal.create_node(
        name=name,
        driver="fake-hardware",
        resource_class="gpu",
        properties={"cpus": 64, "memory_mb": 524288},
        driver_info={"fake_delay_deploy": 0},
        owner="alice",
        lessee="bob",
        description="two words",
        extra={"rack": "r1"},
    )
    node = cloud.baremetal.get_node(name)
    assert (node.provision_state, node.resource_class, node.owner, node.lessee) == ("enroll", "gpu", "alice", "bob")
    assert (node.properties, node.extra) == ({"cpus": 64, "memory_mb": 524288}, {"rack": "r1"})
    assert (node.description, node.traits, node.is_maintenance) == ("two words", [], False)


def test_the_sdk_waits_for_provision_states(cloud: Connection) -> None:
    node = cloud.baremetal.create_node(name=fresh(), driver="fake-hardware")
    assert cloud.baremetal.set_node_provision_state(node, "manage", wait=True).provision_state == "manageable"
    assert cloud.baremetal.set_node_provision_state(node, "provide", wait=True).provision_state == "available"


def test_a_machine_is_registered_and_unregistered(cloud: Connection) -> None:
    mac = fresh_mac()
    machine = cloud.register_machine([{"mac": mac}], name=fresh(), driver="fake-hardware", wait=True)
    assert machine.provision_state == "available"
    assert [nic["address"] for nic in cloud.list_nics_for_machine(machine.id)] == [mac]
    cloud.unregister_machine([{"mac": mac}], machine.id)
    assert cloud.get_machine(machine.id) is None


def test_a_node_is_found_by_uuid_name_and_attributes(cloud: Connection) -> None:
    resource_class = fresh("class")
    node = cloud.baremetal.create_node(name=fresh(), driver="fake-hardware", resource_class=resource_class, owner="al")
    assert cloud.baremetal.find_node(node.name).id == node.id
    assert cloud.baremetal.get_node(node.id).name == node.name
    query = {"resource_class": resource_class, "provision_state": "enroll", "driver": "fake-hardware"}
    assert [seen.id for seen in cloud.baremetal.nodes(**query, is_maintenance=False)] == [node.id]
    # The SDK filters by owner itself, so the response must contain it.
    assert [seen.id for seen in cloud.baremetal.nodes(**query, owner="al", details=True)] == [node.id]
    assert list(cloud.baremetal.nodes(resource_class=resource_class, is_maintenance=True)) == []


def test_a_list_shows_the_requested_fields(cloud: Connection) -> None:
    node = cloud.baremetal.create_node(driver="fake-hardware", resource_class=fresh("class"), extra={"a": 1})
    cloud.baremetal.set_node_traits(node, ["CUSTOM_A"])
    mine = {"resource_class": node.resource_class}
    (short,), (detailed,) = cloud.baremetal.nodes(**mine), cloud.baremetal.nodes(details=True, **mine)
    (picked,) = cloud.baremetal.nodes(fields=["uuid", "traits"], **mine)
    assert (short.id, short.traits) == (node.id, None)
    assert (detailed.traits, detailed.extra) == (["CUSTOM_A"], {"a": 1})
    assert (picked.id, picked.traits, picked.name) == (node.id, ["CUSTOM_A"], None)


def test_a_list_is_read_page_by_page(cloud: Connection) -> None:
    resource_class = fresh("class")
    made = [cloud.baremetal.create_node(driver="fake-hardware", resource_class=resource_class).id for _ in range(5)]
    seen = [node.id for node in cloud.baremetal.nodes(resource_class=resource_class, limit=2)]
    assert sorted(seen) == sorted(made)


def test_a_node_is_updated_by_attribute_and_by_patch(cloud: Connection) -> None:
    node = cloud.baremetal.create_node(name=fresh(), driver="fake-hardware", extra={"a": 1})
    renamed = cloud.baremetal.update_node(node, name=fresh("renamed"), extra={"b": 2})
    assert (renamed.name[:7], renamed.extra) == ("renamed", {"b": 2})
    patched = cloud.baremetal.patch_node(node, [{"op": "add", "path": "/properties/cpus", "value": 8}])
    assert patched.properties == {"cpus": 8}


def test_traits_are_added_replaced_and_removed(cloud: Connection) -> None:
    node = cloud.baremetal.create_node(driver="fake-hardware")
    cloud.baremetal.set_node_traits(node, ["CUSTOM_A", "HW_CPU_X86_AVX2"])
    cloud.baremetal.add_node_trait(node, "CUSTOM_B")
    assert cloud.baremetal.get_node(node.id).traits == ["CUSTOM_A", "CUSTOM_B", "HW_CPU_X86_AVX2"]
    cloud.baremetal.remove_node_trait(node, "CUSTOM_A")
    assert cloud.baremetal.get_node(node.id).traits == ["CUSTOM_B", "HW_CPU_X86_AVX2"]
    cloud.baremetal.set_node_traits(node, [])
    assert cloud.baremetal.get_node(node.id).traits == []


def test_nodes_are_filtered_by_traits(cloud: Connection) -> None:
    mine = fresh("class")
    traits = {"both": ["CUSTOM_RED", "CUSTOM_BLUE"], "red": ["CUSTOM_RED"], "blue": ["CUSTOM_BLUE"], "none": []}
    for name, values in traits.items():
        node = cloud.baremetal.create_node(driver="fake-hardware", name=f"{mine}-{name}", resource_class=mine)
        cloud.baremetal.set_node_traits(node, values)
    both = "CUSTOM_RED,CUSTOM_BLUE"

    def found(query: dict[str, str]) -> set[str]:
        return {name.removeprefix(f"{mine}-") for name in list_names(cloud, query | {"resource_class": mine})}

    assert found({"traits": both}) == {"both"}
    assert found({"traits-any": both}) == {"both", "red", "blue"}
    assert found({"not-traits": both}) == {"red", "blue", "none"}
    assert found({"not-traits-any": both}) == {"none"}
    assert found({"traits": "CUSTOM_RED", "not-traits": "CUSTOM_BLUE"}) == {"red"}


@pytest.mark.parametrize(
    ("target", "state"), [("power on", "power on"), ("soft power off", "power off"), ("rebooting", "power on")]
)
def test_power_states_are_set(cloud: Connection, target: str, state: str) -> None:
    node = cloud.baremetal.create_node(driver="fake-hardware")
    cloud.baremetal.set_node_power_state(node, target)
    eventually(lambda: cloud.baremetal.get_node(node.id).power_state == state, what=target)


def test_the_boot_device_is_stored(cloud: Connection) -> None:
    node = cloud.baremetal.create_node(driver="fake-hardware")
    assert "disk" in cloud.baremetal.get_node_supported_boot_devices(node)["supported_boot_devices"]
    cloud.baremetal.set_node_boot_device(node, "disk", persistent=True)
    assert cloud.baremetal.get_node_boot_device(node) == {"boot_device": "disk", "persistent": True}


def test_maintenance_is_set_with_a_reason_and_ended(cloud: Connection) -> None:
    node = cloud.baremetal.create_node(driver="fake-hardware")
    kept = cloud.baremetal.set_node_maintenance(node, "bad fan")
    assert (kept.is_maintenance, kept.maintenance_reason) == (True, "bad fan")
    assert cloud.baremetal.unset_node_maintenance(node).is_maintenance is False


def test_validate_accepts_a_node_with_fake_hardware(cloud: Connection) -> None:
    node = cloud.baremetal.create_node(driver="fake-hardware")
    results = cloud.baremetal.validate_node(node, required=("boot", "deploy", "power", "management"))
    assert results["deploy"].result is True


def test_a_node_is_deployed_rebuilt_rescued_and_undeployed(cloud: Connection) -> None:
    node = enroll(cloud)
    cloud.baremetal.set_node_traits(node, ["CUSTOM_A", "CUSTOM_B"])
    info = {"image_source": "http://images/one.raw", "traits": ["CUSTOM_A"]}
    cloud.baremetal.update_node(node.id, instance_info=info)
    deployed = change(cloud, node, "active", "active", config_drive={"meta_data": {"name": "one"}})
    assert deployed.instance_info["traits"] == ["CUSTOM_A"]
    change(cloud, node, "rebuild", "active")
    change(cloud, node, "rescue", "rescue", rescue_password="secret")
    change(cloud, node, "unrescue", "active")
    undeployed = change(cloud, node, "deleted", "available")
    assert (undeployed.instance_info, undeployed.traits) == ({}, ["CUSTOM_A", "CUSTOM_B"])


def test_a_manageable_node_is_inspected_cleaned_and_adopted(cloud: Connection) -> None:
    node = enroll(cloud)
    change(cloud, node, "manage", "manageable")
    change(cloud, node, "inspect", "manageable")
    steps = [{"interface": "deploy", "step": "erase_devices"}]
    change(cloud, node, "clean", "manageable", clean_steps=steps)
    assert change(cloud, node, "adopt", "active").provision_state == "active"


def test_a_clean_in_clean_wait_can_be_aborted(cloud: Connection) -> None:
    node = enroll(cloud, driver_info={"fake_wait_clean": 600})
    change(cloud, node, "manage", "manageable")
    steps = [{"interface": "deploy", "step": "erase_devices"}]
    change(cloud, node, "clean", "clean wait", clean_steps=steps)
    aborted = change(cloud, node, "abort", "clean failed")
    assert "aborted" in aborted.last_error


def test_a_failed_deploy_has_a_last_error_and_can_be_undeployed(cloud: Connection) -> None:
    node = enroll(cloud, driver_info={"fake_fail_deploy": "no link on port 1"})
    failed = change(cloud, node, "active", "deploy failed")
    assert "no link on port 1" in failed.last_error
    assert change(cloud, node, "deleted", "available").last_error is None


def test_ports_are_created_found_updated_and_deleted(cloud: Connection) -> None:
    node = cloud.baremetal.create_node(name=fresh(), driver="fake-hardware")
    address = fresh_mac()
    port = cloud.baremetal.create_port(node_id=node.id, address=address, is_pxe_enabled=False)
    assert cloud.baremetal.find_port(port.id).address == address
    assert [seen.id for seen in cloud.baremetal.ports(node=node.name)] == [port.id]
    assert [seen.is_pxe_enabled for seen in cloud.baremetal.ports(details=True, address=address)] == [False]
    assert cloud.baremetal.update_port(port, extra={"switch": "s1"}).extra == {"switch": "s1"}
    cloud.baremetal.delete_port(port)
    assert list(cloud.baremetal.ports(node_id=node.id)) == []


def test_drivers_and_conductors_are_listed_and_shown(cloud: Connection) -> None:
    assert "fake-hardware" in [driver.name for driver in cloud.baremetal.drivers(details=True)]
    hosts = cloud.baremetal.get_driver("fake-hardware").hosts
    assert hosts
    conductor = cloud.baremetal.get_conductor(hosts[0])
    assert (conductor.alive, "fake-hardware" in conductor.drivers) == (True, True)
    assert hosts[0] in [seen.hostname for seen in cloud.baremetal.conductors()]


def test_a_deleted_node_is_not_found(cloud: Connection) -> None:
    node = enroll(cloud)
    cloud.baremetal.delete_node(node)
    assert cloud.baremetal.find_node(node.id, ignore_missing=True) is None
