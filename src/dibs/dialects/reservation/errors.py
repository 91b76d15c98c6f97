"""Turn errors into Blazar's answers: ``{"error_code": 404, "error_message": "…", "error_name": 404}``."""

import json
from collections.abc import Mapping

from dibs.database.errors import SecretsLocked, StoreContended, StoreUnavailable
from dibs.errors import BadValue, DibsError, Forbidden
from dibs.flavors.model.errors import ComputeUnavailable, FlavorNotFound
from dibs.http.failures import shorten
from dibs.http.messages import Response
from dibs.leases.model.errors import (
    BadLease,
    HostBooked,
    HostExists,
    HostInUse,
    HostNotFound,
    HostPropertyInUse,
    HostPropertyNotFound,
    LeaseConflict,
    LeaseNotFound,
    LeaseRefused,
    LeaseTooLong,
    MalformedRequirements,
    NoSuchHost,
    NotEnoughHosts,
    OutsideLease,
)
from dibs.ledger.model.errors import InvalidTrait, ProviderOwnedByNode
from dibs.quotas.model.errors import LimitsUnknown, QuotaExceeded

Headers = tuple[tuple[str, str], ...]

RETRY_SECONDS = "1"

STATUSES: Mapping[type[DibsError], int] = {
    DibsError: 500,
    BadValue: 400,
    InvalidTrait: 400,
    Forbidden: 403,
    QuotaExceeded: 403,
    ProviderOwnedByNode: 409,
    # Hosts.
    HostNotFound: 404,
    NoSuchHost: 404,
    HostExists: 409,
    HostInUse: 409,
    HostBooked: 409,
    HostPropertyInUse: 409,
    HostPropertyNotFound: 404,
    # Leases.
    LeaseNotFound: 404,
    BadLease: 400,
    MalformedRequirements: 400,
    LeaseTooLong: 400,
    LeaseRefused: 400,
    # Quirk: 403 instead of 400.
    OutsideLease: 403,
    LeaseConflict: 409,
    # Quirk not copied: the original answers 500 without a reason.
    NotEnoughHosts: 409,
    # 400 instead of 404, because the flavor is named in the body.
    FlavorNotFound: 400,
    ComputeUnavailable: 503,
    StoreUnavailable: 503,
    LimitsUnknown: 503,
    SecretsLocked: 503,
    StoreContended: 503,
}
"""The status of each error that the operations of this dialect raise; subclasses have the status of their base."""


class Refusal(Exception):
    """An error that the dialect itself raises."""

    def __init__(self, status: int, message: str, headers: Headers = (), *, by_router: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers
        self.by_router = by_router
        """True for errors that the original raises before it calls a handler, which have another format."""


def bad_request(message: str) -> Refusal:
    """Return a 400 with a message."""
    return Refusal(400, message)


def missing(*names: str) -> Refusal:
    """Return a 400 for missing parameters."""
    return bad_request(f"Missing parameter {', '.join(names)}")


def malformed(name: str) -> Refusal:
    """Return a 400 for a malformed parameter."""
    return bad_request(f"Malformed parameter {name}")


def refusal_of(error: DibsError) -> Refusal:
    """Return the refusal for an error of an operation."""
    status = next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)
    if isinstance(error, Forbidden):
        return Refusal(status, f"Policy doesn't allow {error.details['resource']} to be performed.")
    return Refusal(status, str(error), (("Retry-After", RETRY_SECONDS),) if status == 503 else ())


def answer_refusal(refusal: Refusal) -> Response:
    """Return the answer. Quirk: error_name repeats the status, and errors of the router have their own format."""
    status, message = refusal.status, shorten(str(refusal))
    if refusal.by_router:
        return _answer(status, {"error": status, "error_message": message}, refusal.headers)
    return _answer(status, {"error_code": status, "error_message": message, "error_name": status}, refusal.headers)


def unauthorized(message: str, headers: Headers) -> Response:
    """Return a 401. Quirk: in the original it comes from keystonemiddleware, which has its own format."""
    return _answer(401, {"error": {"code": 401, "title": "Unauthorized", "message": message}}, headers)


def _answer(status: int, document: object, headers: Headers) -> Response:
    return Response(status, json.dumps(document).encode(), (("Content-Type", "application/json"), *headers))
