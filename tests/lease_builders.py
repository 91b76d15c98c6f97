"""Create hosts and leases in tests."""

from typing import Any

from dibs.access.access import Access
from dibs.access.lease_policy import LeasePolicy
from dibs.leases.model.dates import LeaseRules
from dibs.leases.model.hosts import Host
from dibs.leases.model.leases import FLAVORED_INSTANCES, INSTANCES, WHOLE_HOST, Lease
from dibs.leases.model.matching.budgets import SearchBudget
from dibs.leases.model.matching.earliest_start import EarliestStart
from dibs.leases.model.windows import MINUTE, to_minute
from dibs.leases.operations.availability import LeaseAvailability, check_availability
from dibs.leases.operations.hosts import (
    ListHostBookings,
    RegisterHost,
    UpdateHost,
    list_host_bookings,
    register_host,
    update_host,
)
from dibs.leases.operations.leases import DeleteLease, GetLease, create_lease, delete_lease, get_lease
from dibs.leases.operations.planning import CreateLease, ReservationRequest
from dibs.leases.operations.updates import ReservationUpdate, UpdateLease, update_lease
from dibs.ledger.model.providers import Provider
from tests.builders import FIRST_INSTANT, Ledger, trusted
from tests.provider_builders import make

OWNER = trusted(user="u", project="p", roles=frozenset({"member", "reader"}))
"""A project member to whom the policy grants every rule."""
MEMBER = LeasePolicy().access(OWNER.actor)
"""The same member under the default policy."""
HOUR = 60 * MINUTE
BASE = to_minute(FIRST_INSTANT) + HOUR
"""A full minute, at most an hour after the first reading of the clock."""
NO_NOTICE = LeaseRules(before_end_minutes=0)
"""Rules for leases without a before_end event."""


def at(hours: float) -> int:
    """Return the time this many hours after the base."""
    return BASE + int(hours * HOUR)


def make_host(ledger: Ledger, name: str = "", **options: Any) -> Host:
    """Create a compute host with 64 processors unless the test says otherwise."""
    sizes = {"VCPU": 64, "MEMORY_MB": 262_144, "DISK_GB": 2_000}
    sizes |= {key: options.pop(key) for key in list(options) if key.isupper()}
    return register(ledger, make(ledger, name, None, **sizes), **options)


def register(ledger: Ledger, provider: Provider | Any, **properties: str) -> Host:
    """Register a provider or a node as a host."""
    return ledger.runner.write(register_host, OWNER, RegisterHost(name=provider.uuid, properties=properties))


def set_properties(ledger: Ledger, host: Host, **properties: str | None) -> Host:
    return ledger.runner.write(update_host, OWNER, UpdateHost(id=str(host.id), properties=properties))


def whole(least: int = 1, most: int | None = None, **options: Any) -> ReservationRequest:
    """Return a reservation of whole hosts."""
    return ReservationRequest(resource_type=WHOLE_HOST, least=least, most=most or least, **options)


def instances(amount: int = 1, vcpus: int = 1, affinity: bool | None = None, **options: Any) -> ReservationRequest:
    """Return a reservation of instances with a gigabyte of memory each."""
    sizes = {"VCPU": vcpus, "MEMORY_MB": 1_024, "DISK_GB": 0, **options.pop("resources", {})}
    return ReservationRequest(
        resource_type=INSTANCES, least=amount, most=amount, affinity=affinity, resources=sizes, **options
    )


def flavored(flavor: str, amount: int = 1) -> ReservationRequest:
    """Return a reservation of instances of a flavor."""
    return ReservationRequest(resource_type=FLAVORED_INSTANCES, least=amount, most=amount, flavor=flavor)


def new_lease(start: float, end: float, *reservations: ReservationRequest, **options: Any) -> CreateLease:
    return CreateLease(
        **{"name": "l", "start_at": at(start), "end_at": at(end), "reservations": reservations, "seed": 1, **options}
    )


def lease(
    ledger: Ledger, start: float, end: float, *reservations: ReservationRequest, access: Access = OWNER, **options: Any
) -> Lease:
    """Create a lease; start and end are in hours after the base."""
    return ledger.runner.write(create_lease, access, new_lease(start, end, *reservations, **options))


def read_availability(
    ledger: Ledger, start: float, end: float, *reservations: ReservationRequest, **options: Any
) -> LeaseAvailability:
    return ledger.runner.read(check_availability, OWNER, new_lease(start, end, *reservations, **options))


def find_later_start(
    ledger: Ledger, start: float, end: float, *reservations: ReservationRequest, **options: Any
) -> EarliestStart:
    """Search for the earliest start of a lease that does not fit."""
    later = read_availability(ledger, start, end, *reservations, **options).later
    assert later is not None
    return later.run(SearchBudget(lambda: 0.0))


def shown(ledger: Ledger, made: Lease) -> Lease:
    return ledger.runner.read(get_lease, OWNER, GetLease(uuid=made.uuid))


def delete(ledger: Ledger, made: Lease) -> None:
    ledger.runner.write(delete_lease, OWNER, DeleteLease(uuid=made.uuid))


def change(ledger: Ledger, made: Lease, *reservations: ReservationUpdate, **options: Any) -> Lease:
    command = UpdateLease(uuid=made.uuid, reservations=reservations, seed=1, **options)
    return ledger.runner.write(update_lease, OWNER, command)


def booked(ledger: Ledger, made: Lease) -> dict[int, int]:
    """Return the booked amount by host, over all reservations of a lease."""
    found = ledger.runner.read(list_host_bookings, OWNER, ListHostBookings(lease=made.uuid))
    return {each.host.id: sum(booking.amount for booking in each.bookings) for each in found if each.bookings}
