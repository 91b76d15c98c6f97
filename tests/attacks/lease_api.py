"""The reservation API: its routes, and a valid request for each."""

from dibs.dialects.reservation.routes import ROUTES
from tests.attacks.apis import Api
from tests.attacks.invalid_values import UNKNOWN
from tests.attacks.lease_target import HOST, LEASE, PART
from tests.attacks.target import NODES

_LEASE = {"name": "l", "start_date": "2090-01-01 10:00", "end_date": "2090-01-01 12:00"}

RESERVATION = Api(
    mount="/reservation",
    routes=[route for route in ROUTES if "floatingips" not in route.path],
    headers={"content-type": b"application/json"},
    version_header="openstack-api-version",
    versions=(
        b"", b"reservation", b"reservation ", b"reservation 1", b"reservation 1.0", b"reservation 1.9", b"compute 2.1",
        b"reservation latest", b"reservation a.b", b"reservation 1." + b"9" * 5_000, b"\xff", b",",
    ),
    arguments={"lease": LEASE, "host": HOST, "name": "gpu"},
    bodies={
        ("POST", "/v1/leases"): {
            **_LEASE,
            "before_end_date": "2090-01-01 11:00",
            "events": [],
            "reservations": [
                {
                    "resource_type": "physical:host",
                    "min": 1,
                    "max": 2,
                    "hypervisor_properties": '[">=", "$vcpus", "4"]',
                    "resource_properties": '["==", "$gpu", "a"]',
                    "before_end": "default",
                },
            ],
        },
        ("PUT", "/v1/leases/{lease}"): {
            **_LEASE,
            "before_end_date": "2090-01-01 11:00",
            "reservations": [{"id": PART, "min": 1, "max": 2, "resource_properties": "", "before_end": "snapshot"}],
        },
        ("POST", "/v1/os-hosts"): {"name": NODES["held"], "rack": "r1", "gpu": "b"},
        ("PUT", "/v1/os-hosts/{host}"): {"rack": "r1", "row": None},
        ("PATCH", "/v1/os-hosts/properties/{name}"): {"private": True},
    },
    queries={
        "/v1/os-hosts/allocations": {"lease_id": LEASE, "reservation_id": PART},
        "/v1/os-hosts/{host}/allocation": {"lease_id": LEASE},
        "/v1/os-hosts/properties": {"detail": "True", "all": "True"},
    },
    names=("name", "limit"),
    query_values=("True", "yes", "maybe", LEASE, PART, UNKNOWN, LEASE.upper()),
)  # fmt: skip
"""Without floating IPs, which have no valid request."""

INSTANCES = {
    **_LEASE,
    "reservations": [
        {
            "resource_type": "virtual:instance",
            "vcpus": 2,
            "memory_mb": 512,
            "disk_gb": 1,
            "amount": 3,
            "affinity": None,
            "resource_properties": '["and", ["==", "$gpu", "a"], [">", "$vcpus", "1"]]',
        }
    ],
}
"""Another valid body for a new lease."""
