from dibs.dialects.reservation.documents.host_rendering import (
    render_allocation,
    render_host,
    render_property,
    render_property_name,
)
from dibs.leases.model.bookings import ListedBooking
from dibs.leases.model.hosts import PropertyName
from dibs.leases.operations.hosts import HostBookings, PropertyValues
from tests.leases.model.matching.calendars import make_host

RACK = PropertyName(id=1, uuid="u", name="rack", private=True, created_at=0)


def test_properties_stand_beside_the_fields_of_every_host() -> None:
    document = render_host(make_host(5, properties={"gpu": "a100"}))
    assert (document["id"], document["hypervisor_hostname"], document["gpu"]) == ("5", "h5", "a100")
    assert (document["reservable"], document["status"], document["trust_id"]) == (True, None, None)
    assert document["created_at"] == "1970-01-01 00:00:00"


def test_disabled_host_is_not_reservable() -> None:
    assert not render_host(make_host(5, traits=frozenset({"COMPUTE_STATUS_DISABLED"})))["reservable"]


def test_bookings_of_a_host_are_called_allocation() -> None:
    booking = ListedBooking(host_id=5, reservation="r", lease="l", start_at=0, end_at=60_000_000, amount=1)
    assert render_allocation(HostBookings(host=make_host(5), bookings=(booking,))) == {
        "resource_id": "5",
        "reservations": [
            {
                "id": "r",
                "lease_id": "l",
                "start_date": "1970-01-01T00:00:00.000000",
                "end_date": "1970-01-01T00:01:00.000000",
            }
        ],
    }


def test_values_of_a_property_are_shown_in_detail_only() -> None:
    found = PropertyValues(property=RACK, values=("r1", "r2"))
    assert render_property(found, detail=False) == {"property": "rack"}
    assert render_property(found, detail=True) == {"property": "rack", "private": True, "values": ["r1", "r2"]}
    assert render_property_name(RACK)["property_name"] == "rack"
