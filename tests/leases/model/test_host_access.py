import pytest
from msgspec.structs import replace

from dibs.leases.model.errors import HostKeptForLeases, NodeBooked
from dibs.leases.model.host_access import GuardedBooking, GuardedHost, HostUse, check_hold, check_use

COMPUTE = GuardedHost(id=1, name="h", node=None, reservation_provider_id=2)
NODE = replace(COMPUTE, node="n")
INSTANCES = GuardedBooking(
    host_id=1,
    reservation_id=7,
    reservation="r",
    resource_class="CUSTOM_RESERVATION_R",
    resources={"VCPU": 2},
    whole=False,
    project_id="p",
    begun=True,
    start_at=100,
)
WHOLE = replace(INSTANCES, whole=True, resources={})
ONE = HostUse(projects=["p"], reserved={"CUSTOM_RESERVATION_R": 1}, taken={"VCPU": 2})


@pytest.mark.parametrize(
    ("booking", "use"),
    [
        (INSTANCES, ONE),
        (INSTANCES, HostUse(reservation_id=7)),
        (replace(INSTANCES, project_id=None), ONE),
        (WHOLE, HostUse(projects=["p"], taken={"VCPU": 99})),
    ],
    ids=["reserved instance", "server of the reservation", "lease of the operator", "project of a whole host"],
)
def test_claim_of_an_active_lease_is_allowed(booking: GuardedBooking, use: HostUse) -> None:
    for host in (COMPUTE, NODE):
        check_use(host, [booking], use)


@pytest.mark.parametrize(
    ("booking", "use"),
    [
        (INSTANCES, replace(ONE, projects=["q"])),
        (INSTANCES, replace(ONE, taken={"VCPU": 3})),
        (INSTANCES, replace(ONE, taken={"VCPU": 2, "DISK_GB": 1})),
        (INSTANCES, replace(ONE, reserved={})),
        (replace(INSTANCES, begun=False), ONE),
        (WHOLE, HostUse(projects=["q"])),
    ],
    ids=[
        "other project",
        "more than reserved",
        "class that was not reserved",
        "no reserved instance",
        "not begun",
        "whole host of another project",
    ],
)
def test_claim_without_a_lease_is_refused(booking: GuardedBooking, use: HostUse) -> None:
    with pytest.raises(HostKeptForLeases):
        check_use(COMPUTE, [booking], use)
    with pytest.raises(NodeBooked):
        check_use(NODE, [booking], use)


def test_compute_host_without_bookings_is_kept_for_leases_and_a_node_is_not() -> None:
    check_use(NODE, [], HostUse(projects=["q"]))
    with pytest.raises(HostKeptForLeases):
        check_use(COMPUTE, [], HostUse(projects=["q"]))


def test_hold_must_end_before_the_next_booking_begins() -> None:
    check_hold(NODE, [INSTANCES], until=100)
    with pytest.raises(NodeBooked):
        check_hold(NODE, [INSTANCES], until=101)
