import json

import pytest

from dibs.flavors.model.flavors import Flavor
from dibs.leases.model.errors import BadLease
from dibs.leases.model.leases import INSTANCES, RESERVATION_PENDING, Reservation, class_of
from dibs.leases.model.reservation_flavors import flavor_document, private_flavor, size_of


def flavor(**values: object) -> Flavor:
    common = {"id": 1, "flavor": "f", "name": "f", "vcpus": 4, "memory_mb": 64, "disk_gb": 0, "created_at": 0}
    return Flavor(**{**common, **values})


RESERVATION = Reservation(
    id=9,
    uuid="r-1",
    resource_type=INSTANCES,
    status=RESERVATION_PENDING,
    least=1,
    most=1,
    resources={"VCPU": 2, "MEMORY_MB": 32},
    created_at=0,
)


def test_dedicated_processors_count_as_pcpu() -> None:
    assert size_of(flavor()).resources == {"MEMORY_MB": 64, "VCPU": 4}
    pinned = flavor(extra_specs={"hw:cpu_policy": "dedicated"})
    assert size_of(pinned).resources == {"MEMORY_MB": 64, "PCPU": 4}


def test_traits_of_a_flavor_are_required_of_hosts() -> None:
    size = size_of(flavor(extra_specs={"trait:CUSTOM_A": "required", "trait:CUSTOM_B": "forbidden"}))
    assert (size.required_traits, size.forbidden_traits) == (("CUSTOM_A",), ("CUSTOM_B",))


def test_flavor_of_a_reservation_or_without_resources_cannot_be_reserved() -> None:
    with pytest.raises(BadLease, match="belongs to a reservation"):
        size_of(flavor(extra_specs={f"resources:{class_of('r-1')}": "1"}))
    with pytest.raises(BadLease, match="takes nothing"):
        size_of(flavor(vcpus=0, memory_mb=0))


def test_private_flavor_requests_the_class_of_its_reservation() -> None:
    made = private_flavor(RESERVATION, None)
    assert (made["flavor"], made["name"], made["public"]) == ("r-1", "reservation:r-1", False)
    assert (made["vcpus"], made["memory_mb"], made["disk_gb"]) == (2, 32, 0)
    assert made["extra_specs"] == {f"resources:{class_of('r-1')}": "1"}


def test_private_flavor_copies_the_flavor_that_the_client_named() -> None:
    source = flavor(ephemeral_gb=10, extra_specs={"hw:cpu_policy": "dedicated"})
    made = private_flavor(RESERVATION, source)
    assert (made["vcpus"], made["ephemeral_gb"]) == (4, 10)
    assert made["extra_specs"] == {"hw:cpu_policy": "dedicated", f"resources:{class_of('r-1')}": "1"}


def test_document_has_the_names_of_nova() -> None:
    document = json.loads(flavor_document(flavor(swap_mb=0)))
    assert (document["id"], document["ram"], document["swap"]) == ("f", 64, "")
