import pytest
from msgspec.structs import replace

from dibs.errors import BadValue
from dibs.leases.model.hosts import NO_DETAILS, HostDetails, check_properties, reservation_provider_name
from dibs.ledger.model.inventories import Inventory
from tests.leases.model.matching.calendars import make_host, make_node


def test_details_add_up() -> None:
    one, other = HostDetails(classes=frozenset({"VCPU"}), properties=False), HostDetails(classes=frozenset({"PCPU"}))
    assert one | other == HostDetails(classes=frozenset({"VCPU", "PCPU"}))
    assert NO_DETAILS | one == one
    assert (one | HostDetails()).classes is None


def test_capacity_of_a_compute_host_follows_its_allocation_ratio_and_reserved_amount() -> None:
    inventory = Inventory(provider="1", resource_class="VCPU", total=10, reserved=2, max_unit=10, allocation_ratio=2.0)
    host = replace(make_host(1), inventories={"VCPU": inventory})
    assert host.capacity("VCPU") == 16
    assert host.takes("VCPU", 10)
    assert not host.takes("VCPU", 11)
    assert host.capacity("PCPU") == 0


def test_unit_of_a_node_can_be_booked_while_it_is_reserved() -> None:
    assert make_node(1, used_until=None, used=False).capacity("CUSTOM_GOLD") == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, None),
        ({"maintenance": True}, "in maintenance"),
        ({"retired": True}, "retired"),
        ({"provision_state": "clean failed"}, "failed"),
    ],
)
def test_node_is_out_of_service_for_a_reason(change: dict[str, object], reason: str | None) -> None:
    host = make_node(1, used_until=None, used=False)
    assert host.node is not None
    assert replace(host, node=replace(host.node, **change)).out_of_service == reason


def test_name_must_leave_room_for_the_reservation_provider() -> None:
    assert reservation_provider_name("compute-1") == "blazar_compute-1"
    with pytest.raises(BadValue):
        reservation_provider_name("x" * 250)


@pytest.mark.parametrize("properties", [{"": "a"}, {"x" * 65: "a"}, {"vcpus": "1"}, {"a": 5}, {"a": "x" * 256}])
def test_invalid_properties_are_refused(properties: dict[str, object]) -> None:
    with pytest.raises(BadValue):
        check_properties(properties)
