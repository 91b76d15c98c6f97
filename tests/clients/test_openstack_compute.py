"""The real ``openstack`` commands for compute, and the SDK: flavors, servers, hypervisors, services."""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openstack import exceptions
from openstack.connection import Connection

from tests.bed.dibs_server import DibsServer
from tests.bed.session import Bed
from tests.bed.waiting import eventually
from tests.clients.clouds import Commands, connect, documents, enroll, fresh, until_provisioned, write_clouds_yaml
from tests.clients.test_http_basic import Users, add_user

JSON = " -f json"


@pytest.fixture
def clouds_yaml(bed: Bed, tmp_path: Path) -> Path:
    """Use one engine only: the commands cannot tell engines apart, and each takes a second to start."""
    return write_clouds_yaml(tmp_path, bed.shared_server("sqlite"))


@pytest.fixture
def commands(clouds_yaml: Path) -> Commands:
    """Set the versions in the environment, where an interactive shell reads them."""
    return Commands(clouds_yaml, {"OS_PLACEMENT_API_VERSION": "1.39", "OS_COMPUTE_API_VERSION": "2.61"})


def run_all(commands: Commands, *lines: str) -> list[Any]:
    """Run commands in one shell and return the JSON documents that they print."""
    result = commands.run(stdin="\n".join(lines) + "\n", program="openstack")
    return documents("\n".join(line for line in result.out.splitlines() if not line.startswith("|")))


def create_host(cloud: Connection, resource_class: str, total: int) -> str:
    """Create a compute host with units of a class that no other test uses; return its name."""
    name, size = fresh("compute"), {"resource_provider_generation": 0}
    provider = cloud.placement.create_resource_provider(name=name)
    cloud.placement.put(f"/resource_classes/{resource_class}", microversion="1.39")
    stock = {"VCPU": {"total": 64}, resource_class: {"total": total}}
    body = {"inventories": stock, **size}
    cloud.placement.put(f"/resource_providers/{provider.id}/inventories", json=body, microversion="1.39")
    return name


def specs(resource_class: str) -> dict[str, str]:
    """Return the extra specs of a flavor for one unit of the class."""
    return {f"resources:{resource_class}": "1", "resources:MEMORY_MB": "0", "resources:DISK_GB": "0"}


def test_flavors_and_servers_are_created_shown_and_deleted(commands: Commands, clouds_yaml: Path) -> None:
    resource_class = f"CUSTOM_{uuid.uuid4().hex[:12].upper()}"
    with connect(clouds_yaml) as cloud:
        host = create_host(cloud, resource_class, 1)
    flavor, server, other = fresh("flavor"), fresh("server"), fresh("server")
    properties = " ".join(f"--property {name}={value}" for name, value in specs(resource_class).items())
    made, shown, launched, lost, listed, hypervisor = run_all(
        commands,
        f"flavor create {flavor} --private --vcpus 2 --ram 512 --disk 10 --project some-project {properties}" + JSON,
        f"flavor show {flavor}" + JSON,
        f"server create --image any --flavor {flavor} {server} --property a=b --wait" + JSON,
        f"server create --image any --flavor {flavor} {other}" + JSON,
        f"server list --long --name {server}" + JSON,
        f"hypervisor show {host}" + JSON,
    )
    assert made["properties"] == specs(resource_class)
    assert shown["access_project_ids"] == ["some-project"]
    assert (launched["status"], launched["OS-EXT-SRV-ATTR:hypervisor_hostname"]) == ("ACTIVE", host)
    assert (lost["status"], lost["name"]) == ("ERROR", other)
    assert [(row["Name"], row["Image Name"], row["Properties"]) for row in listed] == [(server, "any", {"a": "b"})]
    assert (hypervisor["vcpus_used"], hypervisor["running_vms"]) == (2, 1)
    failed, *left = run_all(
        commands,
        f"server show {other}" + JSON,
        f"server delete {server} {other} --wait",
        f"server list --name {server}" + JSON,
        f"flavor delete {flavor}",
    )
    assert failed["fault"]["message"] == f"No valid host was found. There is no room for flavor {flavor}."
    assert left == [[]]


def test_services_are_disabled_and_zones_listed(commands: Commands, clouds_yaml: Path) -> None:
    with connect(clouds_yaml) as cloud:
        host = create_host(cloud, f"CUSTOM_{uuid.uuid4().hex[:12].upper()}", 1)
    off, on, zones = run_all(
        commands,
        f"compute service set {host} nova-compute --disable --disable-reason hot",
        f"compute service list --host {host}" + JSON,
        f"compute service set {host} nova-compute --enable",
        f"compute service list --host {host}" + JSON,
        "availability zone list --compute" + JSON,
    )
    assert ([row["Status"] for row in off], [row["Status"] for row in on]) == (["disabled"], ["enabled"])
    assert [row["Zone Name"] for row in zones] == ["nova"]


def test_a_server_deploys_stops_and_releases_a_bare_metal_node(clouds_yaml: Path) -> None:
    kind = f"bm{uuid.uuid4().hex[:10]}"
    with connect(clouds_yaml) as cloud:
        node = enroll(cloud, resource_class=kind)
        flavor = cloud.compute.create_flavor(name=fresh("metal"), ram=1, vcpus=1, disk=0)
        none = {"resources:VCPU": "0", "resources:MEMORY_MB": "0"}
        cloud.compute.create_flavor_extra_specs(flavor, {**none, f"resources:CUSTOM_{kind.upper()}": "1"})
        image = cloud.image.find_image("any", ignore_missing=False)
        server = cloud.compute.create_server(name="metal", flavor_id=flavor.id, image_id=image.id, networks="none")
        server = cloud.compute.wait_for_server(server, wait=60, interval=0.2)
        assert (server.status, server.hypervisor_hostname) == ("ACTIVE", node.name)
        assert cloud.baremetal.get_node(node).instance_id == server.id
        cloud.compute.stop_server(server)
        cloud.compute.wait_for_server(server, status="SHUTOFF", wait=60, interval=0.2)
        cloud.compute.delete_server(server)
        cloud.compute.wait_for_delete(server, wait=60, interval=0.2)
        until_provisioned(cloud, node, "available")
        assert cloud.baremetal.get_node(node).instance_id is None


def test_users_see_only_the_servers_of_their_project(serve: Callable[..., DibsServer], tmp_path: Path) -> None:
    add_user(tmp_path, "root")
    add_user(tmp_path, "mia", "p", "member")
    add_user(tmp_path, "sam", "q", "member")
    users = Users(tmp_path, serve("--auth-file", str(tmp_path / "users"), auth="http_basic"))
    root, mia, sam = (users.cloud(name) for name in ("root", "mia", "sam"))
    create_host(root, "CUSTOM_PLACE", 4)
    flavor = root.compute.create_flavor(name="small", ram=1, vcpus=1, disk=0, is_public=False)
    root.compute.create_flavor_extra_specs(flavor, specs("CUSTOM_PLACE"))
    root.compute.flavor_add_tenant_access(flavor, "p")
    assert ([each.name for each in mia.compute.flavors()], list(sam.compute.flavors())) == (["small"], [])
    image = mia.image.find_image("any", ignore_missing=False)
    server = mia.compute.create_server(name="s", flavor_id=flavor.id, image_id=image.id, networks="none")
    assert mia.compute.wait_for_server(server, wait=30).project_id == "p"
    with pytest.raises(exceptions.NotFoundException):
        sam.compute.get_server(server.id)
    with pytest.raises(exceptions.ForbiddenException):
        list(mia.compute.hypervisors())
    assert [each.id for each in root.compute.servers(all_projects=True)] == [server.id]
    seen = Commands(users.clouds_yaml("mia")).run("server", "list", "-f", "value", "-c", "Name", program="openstack")
    assert (seen.status, seen.out.split()) == (0, ["s"])
    mia.compute.delete_server(server)
    eventually(lambda: not list(root.compute.servers(all_projects=True)), what="no servers")
