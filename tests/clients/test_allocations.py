"""Allocations with the OpenStack clients: openstacksdk and the ``baremetal`` command."""

import json
from pathlib import Path
from typing import Any

import pytest
from openstack import exceptions
from openstack.connection import Connection

from tests.bed.session import Bed
from tests.clients.clouds import Commands, connect, documents, enroll, fresh, until_provisioned, write_clouds_yaml


def test_an_allocation_is_created_waited_for_and_deleted(cloud: Connection) -> None:
    resource_class, name = fresh("class"), fresh("allocation")
    node = enroll(cloud, resource_class=resource_class)
    cloud.baremetal.add_node_trait(node, "CUSTOM_A")
    created = cloud.baremetal.create_allocation(
        name=name, resource_class=resource_class, traits=["CUSTOM_A"], candidate_nodes=[node.name], extra={"a": 1}
    )
    assert (created.state, created.node_id, created.candidate_nodes) == ("allocating", None, [node.id])
    active = cloud.baremetal.wait_for_allocation(created)
    assert (active.state, active.node_id, active.traits, active.extra) == ("active", node.id, ["CUSTOM_A"], {"a": 1})
    allocated = cloud.baremetal.get_node(node.id)
    assert (allocated.instance_id, allocated.allocation_id) == (created.id, created.id)
    cloud.baremetal.delete_allocation(active)
    with pytest.raises(exceptions.NotFoundException):
        cloud.baremetal.get_allocation(name)
    assert cloud.baremetal.get_node(node.id).instance_id is None


def test_waiting_for_a_failed_allocation_raises_the_reason(cloud: Connection) -> None:
    resource_class = fresh("class")
    enroll(cloud, resource_class=resource_class, is_maintenance=True)
    created = cloud.baremetal.create_allocation(resource_class=resource_class)
    with pytest.raises(exceptions.ResourceFailure, match=f"1 node of class {resource_class}: 1 in maintenance"):
        cloud.baremetal.wait_for_allocation(created)
    failed = cloud.baremetal.wait_for_allocation(created, ignore_error=True)
    assert failed.state == "error"


def test_allocations_are_listed_updated_and_patched(cloud: Connection) -> None:
    resource_class = fresh("class")
    node = enroll(cloud, resource_class=resource_class)
    first = cloud.baremetal.wait_for_allocation(cloud.baremetal.create_allocation(resource_class=resource_class))
    second = cloud.baremetal.create_allocation(resource_class=resource_class)
    cloud.baremetal.wait_for_allocation(second, ignore_error=True)

    def listed(**query: Any) -> list[str]:
        return [seen.id for seen in cloud.baremetal.allocations(**query)]

    assert (
        listed(resource_class=resource_class)
        == listed(resource_class=resource_class, limit=1)
        == [
            first.id,
            second.id,
        ]
    )
    assert listed(resource_class=resource_class, state="active") == listed(node=node.id) == [first.id]
    name = fresh("allocation")
    changed = cloud.baremetal.update_allocation(first, name=name, extra={"answer": 42})
    assert (changed.name, changed.extra) == (name, {"answer": 42})
    patched = cloud.baremetal.patch_allocation(changed, [{"op": "remove", "path": "/extra/answer"}])
    assert (patched.name, patched.extra) == (name, {})
    assert cloud.baremetal.get_allocation(name, fields=["uuid", "name"]).id == first.id


def test_undeploying_a_node_ends_its_allocation(cloud: Connection) -> None:
    resource_class = fresh("class")
    node = enroll(cloud, resource_class=resource_class)
    active = cloud.baremetal.wait_for_allocation(cloud.baremetal.create_allocation(resource_class=resource_class))
    cloud.baremetal.set_node_provision_state(node, "active")
    until_provisioned(cloud, node, "active")
    cloud.baremetal.set_node_provision_state(node, "deleted")
    until_provisioned(cloud, node, "available")
    with pytest.raises(exceptions.NotFoundException):
        cloud.baremetal.get_allocation(active.id)


@pytest.fixture
def commands(bed: Bed, tmp_path: Path) -> Commands:
    """Use one engine only: the commands cannot tell engines apart, and each takes a second to start."""
    return Commands(write_clouds_yaml(tmp_path, bed.shared_server("sqlite")))


def test_the_baremetal_command_creates_lists_shows_sets_and_deletes(commands: Commands) -> None:
    cloud = connect(commands.clouds_yaml)
    resource_class, name = fresh("class"), fresh("allocation")
    node = enroll(cloud, resource_class=resource_class)
    cloud.baremetal.add_node_trait(node, "CUSTOM_A")
    made = commands.run(
        *("allocation", "create", "--resource-class", resource_class, "--trait", "CUSTOM_A", "--name", name),
        *("--candidate-node", node.name, "--extra", "a=1", "--wait", "-f", "json"),
    )
    assert (json.loads(made.out)["state"], json.loads(made.out)["node_uuid"]) == ("active", node.id)
    result = commands.batch(
        f"allocation list --resource-class {resource_class} --state active -f json",
        f"allocation list --node {node.name} --long -f json",
        f"allocation set {name} --name {name}-2 --extra b=2",
        f"allocation unset {name}-2 --extra a",
        f"allocation show {name}-2 -f json",
        f"allocation delete {name}-2",
        f"allocation list --resource-class {resource_class} -f json",
    )
    by_class, by_node, shown, rest = documents(result.out)
    assert [entry["name"] for entry in by_class] == [name]
    assert [entry["node_uuid"] for entry in by_node] == [node.id]
    assert (shown["uuid"], shown["extra"]) == (by_class[0]["uuid"], {"b": 2})
    assert rest == []


def test_the_baremetal_command_backfills_and_prints_why_an_allocation_failed(commands: Commands) -> None:
    cloud = connect(commands.clouds_yaml)
    resource_class = fresh("class")
    node = enroll(cloud, resource_class=resource_class)
    cloud.baremetal.set_node_provision_state(node, "active")
    until_provisioned(cloud, node, "active")
    made = commands.run("allocation", "create", "--node", node.name, "-f", "json")
    assert (json.loads(made.out)["state"], json.loads(made.out)["resource_class"]) == ("active", resource_class)
    failed = commands.run("allocation", "create", "--resource-class", resource_class, "--wait")
    assert failed.status != 0
    assert f"1 node of class {resource_class}: 1 in use" in failed.err
