import pytest
from msgspec.structs import replace

from dibs.flavors.model.flavors import Flavor
from dibs.leases.model.leases import ACTIVE, INSTANCES, PENDING, RESERVATION_ACTIVE, RESERVATION_PENDING, WHOLE_HOST
from dibs.servers.model.launch_reservations import LaunchReservation

RESERVATION = LaunchReservation(
    id=7,
    uuid="r-1",
    resource_type=WHOLE_HOST,
    status=RESERVATION_ACTIVE,
    lease_status=ACTIVE,
    project_id="p",
)
PUBLIC = Flavor(id=1, flavor="f", name="f", vcpus=1, memory_mb=1, disk_gb=1, created_at=0)


def test_project_launches_on_the_hosts_of_its_active_reservation() -> None:
    assert RESERVATION.reason_against("p", PUBLIC) is None


def test_reserved_instances_need_the_flavor_of_the_reservation() -> None:
    reserved = replace(RESERVATION, resource_type=INSTANCES)
    assert reserved.reason_against("p", PUBLIC) == "Reservation r-1 is for instances: use its flavor."
    assert reserved.reason_against("p", replace(PUBLIC, reservation_id=7)) is None


@pytest.mark.parametrize("project", ["q", None])
def test_reservation_of_another_project_looks_as_if_it_did_not_exist(project: str | None) -> None:
    assert RESERVATION.reason_against(project, PUBLIC) == "Reservation r-1 could not be found."


def test_reservation_of_a_lease_that_has_not_started_gives_its_status() -> None:
    pending = replace(RESERVATION, status=RESERVATION_PENDING, lease_status=PENDING)
    assert pending.reason_against("p", PUBLIC) == "Reservation r-1 is pending: its lease is PENDING."
