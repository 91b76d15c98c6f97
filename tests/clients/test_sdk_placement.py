"""The placement proxy of the real openstacksdk."""

import uuid

import pytest
from openstack import exceptions
from openstack.connection import Connection

from tests.clients.clouds import enroll, fresh


def fresh_class() -> str:
    """Return a custom name that no other test uses."""
    return f"CUSTOM_{uuid.uuid4().hex.upper()}"


@pytest.fixture
def provider(cloud: Connection) -> str:
    """Create a provider with eight VCPUs; return its uuid."""
    made = cloud.placement.create_resource_provider(name=fresh("host"))
    cloud.placement.create_resource_provider_inventory(made, "VCPU", total=8)
    return str(made.id)


def test_a_provider_is_created_found_renamed_and_deleted(cloud: Connection) -> None:
    name, other = fresh("host"), fresh("host")
    made = cloud.placement.create_resource_provider(name=name)
    assert [found.id for found in cloud.placement.resource_providers(name=name)] == [made.id]
    cloud.placement.update_resource_provider(made, name=other)
    assert cloud.placement.find_resource_provider(other).id == made.id
    cloud.placement.delete_resource_provider(made)
    with pytest.raises(exceptions.NotFoundException):
        cloud.placement.get_resource_provider(made.id)


def test_providers_form_a_tree(cloud: Connection, provider: str) -> None:
    child = cloud.placement.create_resource_provider(name=fresh("numa"), parent_provider_uuid=provider)
    found = {each.id: each.parent_provider_id for each in cloud.placement.resource_providers(in_tree=provider)}
    assert found == {provider: None, child.id: provider}


def test_a_duplicate_name_is_a_conflict(cloud: Connection) -> None:
    name = fresh("host")
    cloud.placement.create_resource_provider(name=name)
    with pytest.raises(exceptions.ConflictException) as refused:
        cloud.placement.create_resource_provider(name=name)
    assert f"name: {name} already exists" in refused.value.response.json()["errors"][0]["detail"]


def test_inventories_are_created_updated_and_deleted(cloud: Connection, provider: str) -> None:
    cloud.placement.create_resource_provider_inventory(provider, "DISK_GB", total=100, reserved=10)
    disk = cloud.placement.get_resource_provider_inventory("DISK_GB", provider)
    assert (disk.total, disk.reserved) == (100, 10)
    generation = cloud.placement.get_resource_provider(provider).generation
    cloud.placement.update_resource_provider_inventory(
        "DISK_GB", provider, resource_provider_generation=generation, total=200
    )
    assert {each.total for each in cloud.placement.resource_provider_inventories(provider)} == {8, 200}
    cloud.placement.delete_resource_provider_inventory("DISK_GB", provider)
    with pytest.raises(exceptions.NotFoundException):
        cloud.placement.get_resource_provider_inventory("DISK_GB", provider)


def test_aggregates_are_set(cloud: Connection, provider: str) -> None:
    aggregate = str(uuid.uuid4())
    cloud.placement.set_resource_provider_aggregates(cloud.placement.get_resource_provider(provider), aggregate)
    assert cloud.placement.fetch_resource_provider_aggregates(provider).aggregates == [aggregate]


def test_custom_resource_classes_and_traits_are_created_and_deleted(cloud: Connection) -> None:
    name = fresh_class()
    cloud.placement.create_resource_class(name=name)
    assert name in {found.name for found in cloud.placement.resource_classes()}
    cloud.placement.delete_resource_class(name)
    cloud.placement.create_trait(name)
    assert [found.name for found in cloud.placement.traits(name=f"in:{name}")] == [name]
    cloud.placement.delete_trait(name)
    assert list(cloud.placement.traits(name=f"in:{name}")) == []


def test_a_new_node_is_a_provider_with_its_class_and_traits(cloud: Connection) -> None:
    kind = fresh("kind").replace("-", "_")
    node = enroll(cloud, resource_class=kind)
    cloud.baremetal.set_node_traits(node, ["CUSTOM_GPU"])
    inventory = cloud.placement.get_resource_provider_inventory(f"CUSTOM_{kind.upper()}", node.id)
    assert (inventory.total, inventory.max_unit) == (1, 1)
    assert cloud.placement.get_resource_provider(node.id).name == node.name
    found = cloud.placement.get(f"/resource_providers/{node.id}/traits", microversion="1.39").json()
    assert found["traits"] == ["CUSTOM_GPU"]


def test_the_provider_of_a_node_cannot_be_deleted(cloud: Connection) -> None:
    node = enroll(cloud)
    with pytest.raises(exceptions.ConflictException) as refused:
        cloud.placement.delete_resource_provider(node.id)
    assert node.id in refused.value.response.json()["errors"][0]["detail"]
