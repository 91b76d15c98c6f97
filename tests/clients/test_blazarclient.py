"""The real python-blazarclient as a library."""

import json
from typing import Any

import pytest
from blazarclient.client import Client
from blazarclient.exception import BlazarClientException
from openstack.connection import Connection

from tests.bed.dibs_server import DibsServer
from tests.bed.waiting import eventually
from tests.clients.clouds import enroll, fresh, until_provisioned

PROPERTY = "client_of"
IMAGE = "d1b50000-0000-4000-8000-000000000001"
"""The only image of the embedded compute service."""
START, LATER, END = "2091-05-01 10:00", "2091-05-01 11:00", "2091-05-01 12:00"
SHOWN = {START: "2091-05-01T10:00:00.000000", END: "2091-05-01T12:00:00.000000"}


def client_of(cloud: Connection, server: DibsServer) -> Any:
    """Return a client as a script creates it."""
    return Client("1", session=cloud.session, endpoint_override=f"{server.url}/reservation/v1")


@pytest.fixture
def blazar(cloud: Connection, shared_server: DibsServer) -> Any:
    """Return a client of the shared server."""
    return client_of(cloud, shared_server)


def create_provider(cloud: Connection, vcpus: int = 64) -> str:
    """Create a compute provider as Nova does; return its name."""
    name = fresh("compute")
    provider = cloud.placement.create_resource_provider(name=name)
    for resource_class, total in {"VCPU": vcpus, "MEMORY_MB": 65536, "DISK_GB": 1000}.items():
        cloud.placement.create_resource_provider_inventory(provider, resource_class, total=total)
    return name


@pytest.fixture
def host(cloud: Connection, blazar: Any) -> Any:
    """Register a host that no other test uses; delete it and its leases afterwards."""
    name = create_provider(cloud)
    made = blazar.host.create(name, **{PROPERTY: name})
    yield made
    for lease in blazar.lease.list():
        if any(made[PROPERTY] in part["resource_properties"] for part in lease["reservations"]):
            blazar.lease.delete(lease["id"])
    blazar.host.delete(made["id"])


def on(host: Any) -> str:
    """Return a requirement that only this host meets."""
    return json.dumps(["==", f"${PROPERTY}", host[PROPERTY]])


def whole(host: Any, **values: Any) -> dict[str, Any]:
    """Return a reservation of the whole host."""
    fixed = {"resource_type": "physical:host", "min": 1, "max": 1, "hypervisor_properties": ""}
    return {**fixed, "resource_properties": on(host), **values}


def instances(host: Any, **values: Any) -> dict[str, Any]:
    """Return a reservation of instances on the host."""
    fixed = {"resource_type": "virtual:instance", "vcpus": 8, "memory_mb": 1024, "disk_gb": 10, "amount": 2}
    return {**fixed, "affinity": None, "resource_properties": on(host), **values}


def test_a_host_and_its_properties_are_listed_shown_and_updated(blazar: Any, host: Any) -> None:
    assert host["id"] in {each["id"] for each in blazar.host.list(sort_by="hypervisor_hostname")}
    assert blazar.host.get(host["id"])["vcpus"] == 64
    key = fresh("rack").replace("-", "_")
    assert blazar.host.update(host["id"], {key: "r1"})[key] == "r1"
    assert blazar.host.get_property(key)["property_values"] == ["r1"]
    assert blazar.host.set_property(key, True)["private"] is True
    assert key not in {each["property"] for each in blazar.host.list_properties()}
    assert key in {each["property"] for each in blazar.host.list_properties(detail=True, all=True)}
    assert key not in blazar.host.update(host["id"], {key: None})


def test_a_lease_is_created_found_and_deleted(blazar: Any, host: Any) -> None:
    made = blazar.lease.create(fresh("lease"), START, END, [whole(host)], [], LATER)
    assert (made["status"], made["start_date"], made["end_date"]) == ("PENDING", SHOWN[START], SHOWN[END])
    assert made == blazar.lease.get(made["id"])
    assert made["id"] in {each["id"] for each in blazar.lease.list(sort_by="name")}
    (allocation,) = blazar.allocation.get("os-hosts", host["id"])["reservations"]
    assert allocation["lease_id"] == made["id"]
    assert host["id"] in {each["resource_id"] for each in blazar.allocation.list("os-hosts")}
    blazar.lease.delete(made["id"])
    with pytest.raises(BlazarClientException, match="not found") as refused:
        blazar.lease.get(made["id"])
    assert refused.value.kwargs["code"] == 404


def test_dates_are_moved_relative_to_the_current_ones(blazar: Any, host: Any) -> None:
    lease = blazar.lease.create(fresh("lease"), START, END, [instances(host)], [])
    extended = blazar.lease.update(lease["id"], prolong_for="90m")
    assert extended["end_date"] == "2091-05-01T13:30:00.000000"
    reduced = blazar.lease.update(lease["id"], reduce_by="1h", defer_by="30m")
    assert (reduced["start_date"], reduced["end_date"]) == ("2091-05-01T10:30:00.000000", "2091-05-01T12:30:00.000000")
    advanced = blazar.lease.update(lease["id"], advance_by="1d", name="advanced")
    assert (advanced["start_date"], advanced["name"]) == ("2091-04-30T10:30:00.000000", "advanced")
    (part,) = lease["reservations"]
    grown = blazar.lease.update(lease["id"], reservations=[{"id": part["id"], "amount": 3}])
    assert grown["reservations"][0]["amount"] == 3


def test_a_second_lease_for_a_booked_host_is_refused(blazar: Any, host: Any) -> None:
    blazar.lease.create(fresh("lease"), START, END, [whole(host)], [])
    with pytest.raises(BlazarClientException, match=r"Not enough hosts available: .*2091-05-01 12:00") as refused:
        blazar.lease.create(fresh("lease"), LATER, "2091-05-01 13:00", [whole(host)], [])
    assert refused.value.kwargs["code"] == 409
    assert blazar.lease.create(fresh("lease"), END, "2091-05-01 13:00", [whole(host)], [])["status"] == "PENDING"


def test_a_node_can_be_leased_as_a_host(cloud: Connection, blazar: Any) -> None:
    node = cloud.baremetal.create_node(
        name=fresh("node"),
        driver="fake-hardware",
        resource_class=fresh("class"),
        properties={"cpus": 16, "memory_mb": 32768, "local_gb": 500},
    )
    host = blazar.host.create(node.name, **{PROPERTY: node.name})
    assert (host["vcpus"], host["memory_mb"], host["local_gb"]) == (16, 32768, 500)
    by_class = json.dumps(["==", "$resource_class", node.resource_class])
    lease = blazar.lease.create(fresh("lease"), START, END, [whole(host, resource_properties=by_class)], [])
    with pytest.raises(BlazarClientException, match="reserved"):
        blazar.host.delete(host["id"])
    blazar.lease.delete(lease["id"])
    blazar.host.delete(host["id"])


def test_a_lease_of_nodes_by_class_and_trait_starts_is_used_and_ends(cloud: Connection, blazar: Any) -> None:
    """The server of the lease is deployed on the booked node."""
    trait = f"CUSTOM_{fresh('trait').replace('-', '_').upper()}"
    node = enroll(cloud, resource_class=fresh("class"), properties={"cpus": 8, "memory_mb": 8192, "local_gb": 100})
    cloud.baremetal.add_node_trait(node, trait)
    host = blazar.host.create(node.name)
    flavor = cloud.compute.create_flavor(name=fresh("flavor"), vcpus=8, ram=8192, disk=100)
    unit = f"resources:CUSTOM_{node.resource_class.replace('-', '_').upper()}"
    nothing = dict.fromkeys(("resources:VCPU", "resources:MEMORY_MB", "resources:DISK_GB"), "0")
    cloud.compute.create_flavor_extra_specs(flavor, {unit: "1", f"trait:{trait}": "required", **nothing})

    reservation = {"resource_type": "flavor:instance", "flavor_id": flavor.id, "amount": 1, "affinity": "None"}
    lease = blazar.lease.create(fresh("lease"), "now", END, [reservation], [])
    (part,) = lease["reservations"]
    assert (part["vcpus"], part["memory_mb"], part["flavor_id"]) == (8, 8192, part["id"])
    eventually(lambda: blazar.lease.get(lease["id"])["status"] == "ACTIVE", what="the start of the lease")
    server = cloud.compute.create_server(name=fresh("server"), flavor_id=part["id"], image_id=IMAGE, networks="none")
    assert until_provisioned(cloud, node, "active").instance_id == server.id
    assert cloud.compute.get_server(server).status == "ACTIVE"

    blazar.lease.delete(lease["id"])
    assert cloud.compute.find_server(server.id) is None
    until_provisioned(cloud, node, "available")
    blazar.host.delete(host["id"])
    cloud.compute.delete_flavor(flavor)


def test_reservations_of_floating_ips_are_refused_with_a_message(blazar: Any) -> None:
    with pytest.raises(BlazarClientException, match="Floating IPs cannot be reserved here") as refused:
        blazar.floatingip.list()
    assert refused.value.kwargs["code"] == 404
