"""Errors as pages: the status of each domain error, and the sentence that a person reads."""

from collections.abc import Mapping

from dibs.access.access import Access
from dibs.allocations.model.errors import AllocationExists, AllocationNotFound, NoConductorAvailable
from dibs.database.errors import StoreContended, StoreUnavailable
from dibs.errors import BadValue, DibsError, Forbidden
from dibs.flavors.model.errors import ComputeUnavailable
from dibs.leases.model.errors import BadLease, LeaseNotFound, LeaseRefused, LeaseTooLong, OutsideLease
from dibs.machines.model.errors import HoldNotFound, NodeNotFound

STATUSES: Mapping[type[DibsError], int] = {
    DibsError: 409,
    BadValue: 400,
    BadLease: 400,
    LeaseTooLong: 400,
    LeaseRefused: 400,
    OutsideLease: 400,
    Forbidden: 403,
    NodeNotFound: 404,
    LeaseNotFound: 404,
    AllocationNotFound: 404,
    HoldNotFound: 404,
    AllocationExists: 409,
    NoConductorAvailable: 503,
    ComputeUnavailable: 503,
    StoreUnavailable: 503,
    StoreContended: 503,
}
"""The errors that operations of the console raise; any other is a refusal because of the state of things (409)."""

_MESSAGES: Mapping[type[DibsError], str] = {
    LeaseNotFound: "There is no such lease. It may have ended.",
    StoreUnavailable: "The database cannot be reached right now. Please try again.",
    StoreContended: "Too many concurrent changes. Please try again.",
}


class Refusal(Exception):
    """An error that the console itself detects."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def status_of(error: DibsError) -> int:
    """Return the HTTP status of a domain error."""
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def message_of(error: DibsError, access: Access) -> str:
    """Return a sentence about a domain error for the user of a page."""
    if isinstance(error, Forbidden):
        where = f"project {access.actor.project}" if access.actor.project else "no project"
        return (
            f"Your roles do not allow this ({error.details['resource']}). You work as {access.actor.user} in {where}."
        )
    return _MESSAGES.get(type(error), str(error))
