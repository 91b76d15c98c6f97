"""Whether a lease would fit, why not, and when it would. Nothing is booked."""

from collections.abc import Mapping
from typing import NamedTuple

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.leases.model.matching.needs import Assignment
from dibs.leases.model.matching.shortages import HostShortage
from dibs.leases.operations.booking import search_hosts
from dibs.leases.operations.planning import CreateLease, plan_lease, search_of


class LeaseAvailability(NamedTuple):
    """The result of a lease if it were created now."""

    fits: bool
    hosts: int
    """The number of hosts that it would have."""
    assignments: tuple[Assignment, ...]
    """The hosts of each reservation; creating the lease may choose others."""
    reasons: Mapping[str, int]
    """The number of hosts that do not fit, by the first reason; empty when the lease fits."""
    text: str
    """The reasons in words; empty when the lease fits."""
    earliest: int | None
    """The earliest start at which the lease would fit: the requested one or a later one; None for never."""


def check_availability(tx: Transaction, access: Access, now: int, command: CreateLease) -> LeaseAvailability:
    """Search for hosts exactly as ``create_lease`` does. A read."""
    plan = plan_lease(tx, access, now, command)
    found = search_hosts(tx, now, search_of(plan, command)) if plan.reservations else []
    if isinstance(found, HostShortage):
        return LeaseAvailability(False, 0, (), found.reasons, found.text, found.earliest)
    hosts = {host_id for assignment in found for host_id in assignment}
    return LeaseAvailability(True, len(hosts), tuple(found), {}, "", plan.window.start)
