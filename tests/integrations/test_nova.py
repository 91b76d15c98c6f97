"""Each thing that is wanted of Nova, done once, twice, and after half of it was done: against a real one."""

import uuid
from typing import Any

import pytest

from dibs.access.access import EVERY_PROJECT
from dibs.flavors.model.errors import ComputeUnavailable, FlavorNotFound
from tests.bed.waiting import eventually
from tests.integrations.conftest import Cloud
from tests.integrations.real_nova import HOST

# One Nova is enough, and it keeps its data in MariaDB.
pytestmark = pytest.mark.needs_engine("mariadb")
SIZES = {"vcpus": 2, "memory_mb": 64, "disk_gb": 0, "ephemeral_gb": 0, "swap_mb": 0, "rxtx_factor": 1.0}


def wanted(**values: Any) -> dict[str, Any]:
    """A flavor as a lease wants it."""
    ident = str(uuid.uuid4())
    specs = {"resources:CUSTOM_RESERVATION_X": "1"}
    return {"flavor": ident, "name": f"reservation:{ident}", "extra_specs": specs, **SIZES, **values}


def test_private_flavor_has_its_sizes_and_extra_specs(cloud: Cloud) -> None:
    flavor = wanted(swap_mb=512)
    cloud.compute.create_flavors([flavor])
    made = cloud.nova.connect().get_flavor(flavor["flavor"], get_extra_specs=True)
    assert (made.name, made.vcpus, made.ram, made.disk, made.swap) == (flavor["name"], 2, 64, 0, 512)
    assert made.extra_specs == flavor["extra_specs"]
    assert not made.is_public
    assert cloud.nova.projects_of(flavor["flavor"]) == set()


def test_existing_flavor_is_kept(cloud: Cloud) -> None:
    flavor = wanted()
    cloud.compute.create_flavors([flavor])
    cloud.compute.grant_flavors([flavor["flavor"]], "p")
    cloud.compute.create_flavors([flavor])
    assert cloud.nova.projects_of(flavor["flavor"]) == {"p"}


@pytest.mark.parametrize("other", [{"vcpus": 3}, {"extra_specs": {"resources:CUSTOM_RESERVATION_Y": "1"}}])
def test_flavor_with_other_values_is_replaced(cloud: Cloud, other: dict[str, Any]) -> None:
    flavor = wanted()
    cloud.compute.create_flavors([flavor])
    cloud.compute.create_flavors([{**flavor, **other}])
    made = cloud.nova.connect().get_flavor(flavor["flavor"], get_extra_specs=True)
    assert {"vcpus": made.vcpus, "extra_specs": made.extra_specs}.items() >= other.items()


def test_flavor_without_its_extra_specs_gets_them(cloud: Cloud) -> None:
    flavor = wanted()
    cloud.nova.connect().create_flavor(
        id=flavor["flavor"], name=flavor["name"], vcpus=2, ram=64, disk=0, is_public=False
    )
    cloud.compute.create_flavors([flavor])
    made = cloud.nova.connect().get_flavor(flavor["flavor"], get_extra_specs=True)
    assert made.extra_specs == flavor["extra_specs"]


def test_granting_access_twice_is_harmless(cloud: Cloud) -> None:
    flavor = wanted()
    cloud.compute.create_flavors([flavor])
    for project in ("p", "p", "q", None):
        cloud.compute.grant_flavors([flavor["flavor"]], project)
    assert cloud.nova.projects_of(flavor["flavor"]) == {"p", "q"}


def test_servers_of_all_projects_are_deleted_before_their_flavor(cloud: Cloud) -> None:
    flavor = wanted()
    cloud.compute.create_flavors([flavor])
    for project in ("p", "q"):
        cloud.compute.grant_flavors([flavor["flavor"]], project)
        cloud.nova.launch(flavor["flavor"], project, user="somebody")
    # No host has the resources of the flavor, so the servers go to ERROR; clean_up must delete them too.
    eventually(lambda: len(cloud.nova.servers(flavor=flavor["flavor"], status="ERROR")) == 2, 30, "two servers")
    assert cloud.compute.clean_up([flavor["flavor"]], []) is False
    eventually(lambda: cloud.compute.clean_up([flavor["flavor"]], []), 30, "an end")
    assert cloud.nova.servers() == set()
    assert flavor["flavor"] not in cloud.nova.flavors()


def test_cleaning_up_twice_is_harmless(cloud: Cloud) -> None:
    assert cloud.compute.clean_up([str(uuid.uuid4())], [HOST, "no-such-host"]) is True


def test_flavor_is_found_only_by_projects_that_see_it(cloud: Cloud) -> None:
    flavor = wanted(extra_specs={"trait:CUSTOM_X": "required"})
    cloud.compute.create_flavors([flavor])
    cloud.compute.grant_flavors([flavor["flavor"]], "p")
    found = cloud.compute.find_flavor(flavor["flavor"], frozenset({"p"}))
    assert (found.flavor, found.vcpus, found.memory_mb, found.swap_mb) == (flavor["flavor"], 2, 64, 0)
    assert found.extra_specs == flavor["extra_specs"]
    assert cloud.compute.find_flavor(flavor["flavor"], EVERY_PROJECT) == found
    for ident, projects in ((flavor["flavor"], {"q"}), (flavor["flavor"], set()), ("no-such-flavor", {"p"})):
        with pytest.raises(FlavorNotFound):
            cloud.compute.find_flavor(ident, frozenset(projects))


def test_unreachable_nova_is_reported(cloud: Cloud) -> None:
    compute = cloud.compute
    cloud.gate.close()
    try:
        with pytest.raises(ComputeUnavailable):
            compute.find_flavor("any", EVERY_PROJECT)
    finally:
        cloud.gate.open()
    with pytest.raises(FlavorNotFound):
        compute.find_flavor("any", EVERY_PROJECT)
