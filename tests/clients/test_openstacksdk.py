"""The real openstacksdk: from enrolling a node to its end."""

import uuid
from typing import Any

import pytest
from openstack.connection import Connection

from tests.bed.waiting import eventually
from tests.clients.clouds import enrol, until_provisioned


def fresh(prefix: str = "node") -> str:
    """A name that no other test has."""
    return f"{prefix}-{uuid.uuid4().hex[:12]}"


def fresh_mac() -> str:
    """An address that no other test has."""
    return "52:" + uuid.uuid4().bytes[:5].hex(":")


def change(cloud: Connection, node: Any, target: str, end: str, **arguments: Any) -> Any:
    """Ask for a provision verb and look until the node is where it leads."""
    cloud.baremetal.set_node_provision_state(node, target, **arguments)
    return until_provisioned(cloud, node, end)


def names_found(cloud: Connection, query: dict[str, str]) -> set[str]:
    """List nodes with a query that the SDK has no words for, such as the filters by trait."""
    answer = cloud.baremetal.get("/nodes", params=query, microversion="1.37")
    return {node["name"] for node in answer.json()["nodes"]}


def test_a_new_node_has_what_it_was_created_with(cloud: Connection) -> None:
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


def test_a_node_is_enrolled_with_the_waiting_that_the_sdk_has(cloud: Connection) -> None:
    node = cloud.baremetal.create_node(name=fresh(), driver="fake-hardware")
    assert cloud.baremetal.set_node_provision_state(node, "manage", wait=True).provision_state == "manageable"
    assert cloud.baremetal.set_node_provision_state(node, "provide", wait=True).provision_state == "available"


def test_a_machine_is_registered_and_unregistered_in_one_call_each(cloud: Connection) -> None:
    mac = fresh_mac()
    machine = cloud.register_machine([{"mac": mac}], name=fresh(), driver="fake-hardware", wait=True)
    assert machine.provision_state == "available"
    assert [nic["address"] for nic in cloud.list_nics_for_machine(machine.id)] == [mac]
    cloud.unregister_machine([{"mac": mac}], machine.id)
    assert cloud.get_machine(machine.id) is None


def test_a_node_is_found_by_uuid_by_name_and_by_what_it_is(cloud: Connection) -> None:
    resource_class = fresh("class")
    node = cloud.baremetal.create_node(name=fresh(), driver="fake-hardware", resource_class=resource_class, owner="al")
    assert cloud.baremetal.find_node(node.name).id == node.id
    assert cloud.baremetal.get_node(node.id).name == node.name
    query = {"resource_class": resource_class, "provision_state": "enroll", "driver": "fake-hardware"}
    assert [seen.id for seen in cloud.baremetal.nodes(**query, is_maintenance=False)] == [node.id]
    # The SDK filters by owner itself, so the answer has to contain it.
    assert [seen.id for seen in cloud.baremetal.nodes(**query, owner="al", details=True)] == [node.id]
    assert list(cloud.baremetal.nodes(resource_class=resource_class, is_maintenance=True)) == []


def test_a_list_shows_as_much_as_is_asked_for(cloud: Connection) -> None:
    node = cloud.baremetal.create_node(driver="fake-hardware", resource_class=fresh("class"), extra={"a": 1})
    cloud.baremetal.set_node_traits(node, ["CUSTOM_A"])
    mine = {"resource_class": node.resource_class}
    (short,), (detailed,) = cloud.baremetal.nodes(**mine), cloud.baremetal.nodes(details=True, **mine)
    (picked,) = cloud.baremetal.nodes(fields=["uuid", "traits"], **mine)
    assert (short.id, short.traits) == (node.id, None)
    assert (detailed.traits, detailed.extra) == (["CUSTOM_A"], {"a": 1})
    assert (picked.id, picked.traits, picked.name) == (node.id, ["CUSTOM_A"], None)


def test_pages_follow_each_other_until_the_end(cloud: Connection) -> None:
    resource_class = fresh("class")
    made = [cloud.baremetal.create_node(driver="fake-hardware", resource_class=resource_class).id for _ in range(5)]
    seen = [node.id for node in cloud.baremetal.nodes(resource_class=resource_class, limit=2)]
    assert sorted(seen) == sorted(made)


def test_a_node_is_changed_by_attribute_and_by_patch(cloud: Connection) -> None:
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


def test_nodes_are_found_by_their_traits(cloud: Connection) -> None:
    mine = fresh("class")
    traits = {"both": ["CUSTOM_RED", "CUSTOM_BLUE"], "red": ["CUSTOM_RED"], "blue": ["CUSTOM_BLUE"], "none": []}
    for name, values in traits.items():
        node = cloud.baremetal.create_node(driver="fake-hardware", name=f"{mine}-{name}", resource_class=mine)
        cloud.baremetal.set_node_traits(node, values)
    asked = "CUSTOM_RED,CUSTOM_BLUE"

    def found(query: dict[str, str]) -> set[str]:
        return {name.removeprefix(f"{mine}-") for name in names_found(cloud, query | {"resource_class": mine})}

    assert found({"traits": asked}) == {"both"}
    assert found({"traits-any": asked}) == {"both", "red", "blue"}
    assert found({"not-traits": asked}) == {"red", "blue", "none"}
    assert found({"not-traits-any": asked}) == {"none"}
    assert found({"traits": "CUSTOM_RED", "not-traits": "CUSTOM_BLUE"}) == {"red"}


@pytest.mark.parametrize(
    ("target", "state"), [("power on", "power on"), ("soft power off", "power off"), ("rebooting", "power on")]
)
def test_power_is_switched(cloud: Connection, target: str, state: str) -> None:
    node = cloud.baremetal.create_node(driver="fake-hardware")
    cloud.baremetal.set_node_power_state(node, target)
    eventually(lambda: cloud.baremetal.get_node(node.id).power_state == state, what=target)


def test_the_boot_device_is_remembered(cloud: Connection) -> None:
    node = cloud.baremetal.create_node(driver="fake-hardware")
    assert "disk" in cloud.baremetal.get_node_supported_boot_devices(node)["supported_boot_devices"]
    cloud.baremetal.set_node_boot_device(node, "disk", persistent=True)
    assert cloud.baremetal.get_node_boot_device(node) == {"boot_device": "disk", "persistent": True}


def test_maintenance_is_set_with_a_reason_and_ended(cloud: Connection) -> None:
    node = cloud.baremetal.create_node(driver="fake-hardware")
    kept = cloud.baremetal.set_node_maintenance(node, "bad fan")
    assert (kept.is_maintenance, kept.maintenance_reason) == (True, "bad fan")
    assert cloud.baremetal.unset_node_maintenance(node).is_maintenance is False


def test_validate_finds_a_node_of_fake_hardware_ready(cloud: Connection) -> None:
    node = cloud.baremetal.create_node(driver="fake-hardware")
    results = cloud.baremetal.validate_node(node, required=("boot", "deploy", "power", "management"))
    assert results["deploy"].result is True


def test_a_node_is_deployed_rebuilt_rescued_and_undeployed(cloud: Connection) -> None:
    node = enrol(cloud)
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
    node = enrol(cloud)
    change(cloud, node, "manage", "manageable")
    change(cloud, node, "inspect", "manageable")
    steps = [{"interface": "deploy", "step": "erase_devices"}]
    change(cloud, node, "clean", "manageable", clean_steps=steps)
    assert change(cloud, node, "adopt", "active").provision_state == "active"


def test_a_clean_that_waits_is_aborted(cloud: Connection) -> None:
    node = enrol(cloud, driver_info={"fake_wait_clean": 600})
    change(cloud, node, "manage", "manageable")
    steps = [{"interface": "deploy", "step": "erase_devices"}]
    change(cloud, node, "clean", "clean wait", clean_steps=steps)
    aborted = change(cloud, node, "abort", "clean failed")
    assert "aborted" in aborted.last_error


def test_a_failed_deploy_says_why_and_can_be_undone(cloud: Connection) -> None:
    node = enrol(cloud, driver_info={"fake_fail_deploy": "no link on port 1"})
    failed = change(cloud, node, "active", "deploy failed")
    assert "no link on port 1" in failed.last_error
    assert change(cloud, node, "deleted", "available").last_error is None


def test_ports_are_created_found_changed_and_deleted(cloud: Connection) -> None:
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


def test_a_deleted_node_is_gone(cloud: Connection) -> None:
    node = enrol(cloud)
    cloud.baremetal.delete_node(node)
    assert cloud.baremetal.find_node(node.id, ignore_missing=True) is None
