import json

from msgspec.structs import replace

from dibs.leases.model.documents import host_fields, lease_document, reservation_fields
from dibs.leases.model.leases import (
    BEFORE_END,
    FLAVORED_INSTANCES,
    INSTANCES,
    PENDING,
    RESERVATION_PENDING,
    UNDONE,
    WHOLE_HOST,
    Event,
    Lease,
    Reservation,
)
from tests.leases.model.matching.calendars import make_host

HOUR = 3_600_000_000
HOSTS = Reservation(id=1, uuid="r", resource_type=WHOLE_HOST, status=RESERVATION_PENDING, least=1, most=2, created_at=0)
LEASE = Lease(
    id=1,
    uuid="l",
    name="mine",
    project_id="p",
    user_id="u",
    start_at=0,
    end_at=2 * HOUR,
    status=PENDING,
    created_at=0,
    reservations=(HOSTS,),
    events=(Event(id=1, uuid="e", kind=BEFORE_END, status=UNDONE, due_at=HOUR, created_at=0),),
)


def test_lease_document_has_the_hosts_of_each_reservation() -> None:
    host = make_host(5, properties={"gpu": "a100"})
    document = lease_document(LEASE, [[host]])
    assert (document["id"], document["start_date"], document["before_end_date"]) == (
        "l",
        "1970-01-01T00:00:00",
        "1970-01-01T01:00:00",
    )
    (reservation,) = document["reservations"]
    assert (reservation["id"], reservation["min"], reservation["max"]) == ("r", 1, 2)
    assert reservation["allocations"] == [{**host_fields(host), "gpu": "a100"}]


def test_lease_that_is_not_stored_has_no_ids() -> None:
    document = lease_document(replace(LEASE, events=()), [[]], stored=False)
    assert document.keys().isdisjoint({"id", "status"})
    assert document["reservations"][0].keys().isdisjoint({"id", "lease_id", "status"})
    assert document["before_end_date"] is None


def test_size_of_instances_is_as_requested_or_as_in_the_flavor() -> None:
    vms = replace(HOSTS, resource_type=INSTANCES, resources={"VCPU": 2})
    assert [reservation_fields(vms)[name] for name in ("vcpus", "memory_mb", "amount")] == [2, 0, 2]
    flavor = json.dumps({"vcpus": 8, "ram": 64, "disk": 1})
    flavored = replace(HOSTS, resource_type=FLAVORED_INSTANCES, resource_properties=flavor, resources={"CUSTOM_G": 1})
    assert [reservation_fields(flavored)[name] for name in ("vcpus", "memory_mb", "disk_gb")] == [8, 64, 1]
