"""The real ``baremetal`` and ``openstack baremetal`` commands, against a server on the embedded database."""

import json
from pathlib import Path

import pytest
from openstack.connection import Connection

from tests.bed.session import Bed
from tests.clients.clouds import (
    Commands,
    connect,
    documents,
    enroll,
    fresh,
    fresh_mac,
    until_provisioned,
    write_clouds_yaml,
)


@pytest.fixture
def clouds_yaml(bed: Bed, tmp_path: Path) -> Path:
    """Use one engine only: the commands cannot tell engines apart, and each takes a second to start."""
    return write_clouds_yaml(tmp_path, bed.shared_server("sqlite"))


@pytest.fixture
def cloud(clouds_yaml: Path) -> Connection:
    """Connect the SDK, to prepare and to check."""
    return connect(clouds_yaml)


@pytest.fixture
def name(cloud: Connection) -> str:
    """Create an available node; return its name."""
    return str(enroll(cloud).name)


def test_a_node_is_enrolled_as_in_the_manual_of_ironic(commands: Commands, cloud: Connection) -> None:
    name, mac = fresh(), fresh_mac()
    made = commands.run(
        *("node", "create", "--driver", "fake-hardware", "--name", name, "--resource-class", "gpu", "--owner", "alice"),
        *("--property", "cpus=64", "--driver-info", "fake_delay_deploy=0", "--extra", "rack=r1"),
        *("--description", "two words", "--no-automated-clean", "-f", "json"),
    )
    node = json.loads(made.out)
    assert (node["provision_state"], node["description"], node["properties"]) == ("enroll", "two words", {"cpus": 64})
    commands.batch(
        f"port create --node {node['uuid']} {mac}",
        f"node add trait {name} CUSTOM_GPU_A100 HW_CPU_X86_AVX512F",
        f"node manage {name} --wait",
        f"node provide {name} --wait",
    )
    ready = cloud.baremetal.get_node(name)
    assert (ready.provision_state, ready.traits) == ("available", ["CUSTOM_GPU_A100", "HW_CPU_X86_AVX512F"])
    assert [port.address for port in cloud.baremetal.ports(node_id=ready.id)] == [mac]


def test_nodes_are_listed_filtered_and_shown(commands: Commands, cloud: Connection, name: str) -> None:
    cloud.baremetal.update_node(name, resource_class=name, owner="alice", extra={"a": 1})
    cloud.baremetal.set_node_traits(name, ["CUSTOM_A"])
    result = commands.batch(
        f"node list --resource-class {name} -f json",
        f"node list --long --resource-class {name} -f json",
        f"node list --fields name traits --owner alice --resource-class {name} -f json",
        f"node list --maintenance --resource-class {name} -f json",
        f"node list --provision-state available --driver fake-hardware --unassociated --resource-class {name} -f json",
        f"node show {name} --fields name provision_state traits -f json",
    )
    short, long, picked, kept, filtered, shown = documents(result.out)
    assert [(node["name"], node["provision_state"]) for node in short] == [(name, "available")]
    assert [(node["extra"], node["owner"]) for node in long] == [({"a": 1}, "alice")]
    assert picked == [{"name": name, "traits": ["CUSTOM_A"]}]
    assert (kept, len(filtered)) == ([], 1)
    assert shown == {"name": name, "provision_state": "available", "traits": ["CUSTOM_A"]}


def test_nodes_are_set_and_unset(commands: Commands, cloud: Connection, name: str) -> None:
    commands.batch(
        f"node set {name} --owner alice --lessee bob --description words --extra a=1 --property cpus=8",
        f"node set {name} --instance-info x=y --driver-info fake_delay_deploy=0 --shard s1",
    )
    node = cloud.baremetal.get_node(name)
    assert (node.owner, node.lessee, node.description, node.extra) == ("alice", "bob", "words", {"a": 1})
    assert (node.properties, node.instance_info, node.shard) == ({"cpus": 8}, {"x": "y"}, "s1")
    commands.batch(
        f"node unset {name} --owner --lessee --description --extra a --property cpus",
        f"node unset {name} --instance-info x --driver-info fake_delay_deploy --shard",
    )
    node = cloud.baremetal.get_node(name)
    assert (node.owner, node.lessee, node.description, node.extra) == (None, None, None, {})
    assert (node.properties, node.instance_info, node.shard) == ({}, {}, None)


def test_traits_are_added_listed_and_removed(commands: Commands, name: str) -> None:
    result = commands.batch(
        f"node add trait {name} CUSTOM_A CUSTOM_B HW_CPU_X86_AVX2",
        f"node trait list {name} -f json",
        f"node remove trait {name} CUSTOM_B",
        f"node trait list {name} -f json",
        f"node remove trait --all {name}",
        f"node trait list {name} -f json",
    )
    lists = [[row["traits"] for row in rows] for rows in documents(result.out)]
    assert lists == [["CUSTOM_A", "CUSTOM_B", "HW_CPU_X86_AVX2"], ["CUSTOM_A", "HW_CPU_X86_AVX2"], []]


def test_boot_device_maintenance_validation_and_power(commands: Commands, cloud: Connection, name: str) -> None:
    result = commands.batch(
        f"node boot device set {name} disk --persistent",
        f"node boot device show {name} -f json",
        f"node boot device show {name} --supported -f json",
        f"node maintenance set {name} --reason fan",
        f"node show {name} --fields maintenance maintenance_reason -f json",
        f"node maintenance unset {name}",
        f"node validate {name} -f json",
        f"node power on {name}",
    )
    device, supported, kept, validated = documents(result.out)
    assert device == {"boot_device": "disk", "persistent": True}
    assert supported == {"supported_boot_devices": "pxe, disk, cdrom"}
    assert kept == {"maintenance": True, "maintenance_reason": "fan"}
    assert {row["Interface"] for row in validated if row["Result"]} >= {"boot", "deploy", "power", "management"}
    assert not cloud.baremetal.get_node(name).is_maintenance
    assert cloud.baremetal.wait_for_node_power_state(name, "power on", timeout=15).power_state == "power on"


_VERBS = (
    ("deploy --config-drive {}", "active"),
    ("rebuild", "active"),
    ("rescue --rescue-password secret", "rescue"),
    ("unrescue", "active"),
    ("service --service-steps STEPS", "active"),
    ("undeploy", "available"),
    ("manage", "manageable"),
    ("inspect", "manageable"),
    ("clean --clean-steps STEPS", "manageable"),
    ("clean --clean-steps HOLD", "clean hold"),
    ("unhold", "manageable"),
    ("clean --clean-steps HOLD", "clean hold"),
    ("abort", "clean failed"),
    ("manage", "manageable"),
    ("adopt", "active"),
)


def test_a_node_goes_through_every_provision_verb(
    commands: Commands, cloud: Connection, name: str, tmp_path: Path
) -> None:
    for file, interface, step in (("STEPS", "firmware", "update"), ("HOLD", "deploy", "hold")):
        (tmp_path / file).write_text(json.dumps([{"interface": interface, "step": step}]))
    cloud.baremetal.update_node(name, instance_info={"image_source": "http://images/one.raw"})
    moved = cloud.baremetal.get_node(name).updated_at
    shell = commands.shell()
    for words, state in _VERBS:
        words = words.replace("STEPS", str(tmp_path / "STEPS")).replace("HOLD", str(tmp_path / "HOLD"))
        shell.type(f"node {words} {name}")
        moved = until_provisioned(cloud, name, state, since=moved).updated_at
    assert shell.close() == ""


def test_ports_drivers_and_conductors_are_listed_and_shown(commands: Commands, cloud: Connection, name: str) -> None:
    node, mac = cloud.baremetal.get_node(name), fresh_mac()
    made = json.loads(commands.run("port", "create", "--node", node.id, mac, "-f", "json").out)
    result = commands.batch(
        f"port set {made['uuid']} --extra switch=s1",
        f"port list --node {name} -f json",
        f"port show --address {mac} -f json",
        f"port delete {made['uuid']}",
        f"port list --node {name} -f json",
        "driver list -f json",
        "driver show fake-hardware -f json",
        "driver property list fake-hardware -f json",
        "conductor list -f json",
        f"conductor show {node.conductor} -f json",
    )
    listed, port, gone, drivers, driver, properties, conductors, conductor = documents(result.out)
    assert [row["address"] for row in listed] == [mac]
    assert (port["extra"], port["node_uuid"], gone) == ({"switch": "s1"}, node.id, [])
    assert [row["name"] for row in drivers] == [driver["name"]] == ["fake-hardware"]
    assert "fake_fail_deploy" in [row["property"] for row in properties]
    assert node.conductor in [row["hostname"] for row in conductors if row["alive"]]
    assert (conductor["alive"], conductor["drivers"]) == (True, ["fake-hardware"])


def test_the_openstack_command_works_like_baremetal(commands: Commands, name: str) -> None:
    listed = commands.run("baremetal", "node", "show", name, "-f", "json", program="openstack")
    assert (listed.status, json.loads(listed.out)["name"]) == (0, name)


def test_the_command_works_without_a_clouds_yaml(bed: Bed, commands: Commands, name: str) -> None:
    endpoint = f"{bed.shared_server('sqlite').url}/baremetal"
    words = ("--os-cloud", "", "--os-auth-type", "none", "--os-endpoint", endpoint, "node", "show", name)
    assert f" {name} " in commands.run(*words).out


def test_a_node_is_deleted(commands: Commands, cloud: Connection, name: str) -> None:
    assert commands.run("node", "delete", name).status == 0
    assert cloud.baremetal.find_node(name, ignore_missing=True) is None


def test_errors_are_printed_with_their_messages(commands: Commands, cloud: Connection, name: str) -> None:
    cloud.baremetal.update_node(name, instance_info={"traits": ["CUSTOM_LACKING"]})
    result = commands.batch(
        "node show nowhere",
        f"node add trait {name} gpu",
        f"node add trait {name} " + " ".join(f"CUSTOM_{number}" for number in range(51)),
        f"node rescue {name} --rescue-password secret",
        "node create --driver toaster",
        f"node deploy {name}",
        f"node unset {name} --extra nothing",
    )
    for message in (
        "Node nowhere could not be found. (HTTP 404)",
        "'gpu' is not a valid trait",
        "it would exceed the maximum number of traits per node (51 vs. 50) (HTTP 400)",
        '"rescue" can not be performed on node',
        "No conductor service registered which supports driver toaster",
        "is missing traits CUSTOM_LACKING (HTTP 400)",
        "can't remove a non-existent object 'nothing'",
    ):
        assert message in result.err


def test_conflicts_are_printed_and_fail_the_command(commands: Commands, cloud: Connection, name: str) -> None:
    taken = commands.run("--max-retries", "0", "node", "create", "--driver", "fake-hardware", "--name", name)
    assert (taken.status, f"A node with name {name} already exists. (HTTP 409)" in taken.err) == (1, True)
    cloud.baremetal.update_node(name, driver_info={"fake_delay_power": 20})
    cloud.baremetal.set_node_power_state(name, "power on")
    locked = commands.run("--max-retries", "0", "node", "set", name, "--extra", "a=1")
    assert (locked.status, "is locked by host" in locked.err) == (1, True)


def test_a_protected_node_is_not_undeployed(commands: Commands, cloud: Connection, name: str) -> None:
    cloud.baremetal.set_node_provision_state(name, "active")
    until_provisioned(cloud, name, "active")
    result = commands.batch(f"node set {name} --protected --protected-reason production", f"node undeploy {name}")
    assert "is protected and cannot be undeployed, rebuilt or deleted (HTTP 403)" in result.err


def test_history_of_a_node_is_listed_and_shown(commands: Commands, name: str) -> None:
    rows = json.loads(commands.run("node", "history", "list", name, "--long", "-f", "json").out)
    assert rows[0]["event"] == "The node was created."
    shown = json.loads(commands.run("node", "history", "get", name, rows[-1]["uuid"], "-f", "json").out)
    assert (shown["event"], shown["severity"]) == (rows[-1]["event"], "INFO")
