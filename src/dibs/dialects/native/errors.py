"""Errors as answers: ``{"error": {"code": "allocation_not_found", "message": "…"}}``."""

import http
import json
import re
from collections.abc import Mapping

from dibs.allocations.model.errors import (
    AllocationExists,
    AllocationNotFound,
    InstanceInUse,
    NoConductorAvailable,
    NodePromised,
)
from dibs.calendars.model.errors import CalendarNotFound, TooManyCalendars
from dibs.database.errors import SecretsLocked, StoreContended, StoreUnavailable
from dibs.errors import BadValue, DibsError, Forbidden
from dibs.flavors.model.errors import ComputeUnavailable, FlavorNotFound
from dibs.http.failures import shorten
from dibs.http.messages import Response
from dibs.leases.model.errors import (
    BadLease,
    LeaseConflict,
    LeaseNotFound,
    LeaseRefused,
    LeaseTooLong,
    MalformedRequirements,
    NodeBooked,
)
from dibs.ledger.model.errors import InvalidTrait, NoSuchTrait, ResourceClassNotFound
from dibs.machines.model.errors import NodeNotFound, TooManyTraits, WrongState
from dibs.quotas.model.errors import LimitsUnknown, QuotaExceeded, QuotaInKeystone, QuotaNotFound, ShareNotFound
from dibs.webhooks.model.errors import TooManyWebhooks, WebhookNotFound

Headers = tuple[tuple[str, str], ...]

STATUSES: Mapping[type[DibsError], int] = {
    DibsError: 500,
    BadValue: 400,
    InvalidTrait: 400,
    NoSuchTrait: 400,
    ResourceClassNotFound: 400,
    TooManyTraits: 400,
    BadLease: 400,
    MalformedRequirements: 400,
    LeaseTooLong: 400,
    LeaseRefused: 400,
    FlavorNotFound: 400,
    Forbidden: 403,
    QuotaExceeded: 403,
    QuotaNotFound: 404,
    ShareNotFound: 404,
    QuotaInKeystone: 409,
    NodeNotFound: 404,
    AllocationNotFound: 404,
    LeaseNotFound: 404,
    WebhookNotFound: 404,
    CalendarNotFound: 404,
    AllocationExists: 409,
    InstanceInUse: 409,
    WrongState: 409,
    LeaseConflict: 409,
    NodeBooked: 409,
    NodePromised: 409,
    TooManyWebhooks: 409,
    TooManyCalendars: 409,
    NoConductorAvailable: 503,
    ComputeUnavailable: 503,
    StoreUnavailable: 503,
    LimitsUnknown: 503,
    SecretsLocked: 503,
    StoreContended: 503,
}
"""The errors that operations of this dialect raise. An error without a row has the status of its base class."""

_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Refusal(Exception):
    """An error that the dialect itself detects."""

    def __init__(self, status: int, message: str, headers: Headers = ()) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers


def answer_domain_error(error: DibsError) -> Response:
    """Return the answer to a domain error; its code is the name of the class."""
    status = next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)
    code = _WORD.sub("_", type(error).__name__).lower()
    return error_answer(status, str(error), code=code)


def error_answer(status: int, message: str, headers: Headers = (), *, code: str = "") -> Response:
    """Return an error; without a code of its own it has the code of the status, such as ``not_found``."""
    code = code or http.HTTPStatus(status).phrase.lower().replace(" ", "_").replace("-", "_")
    body = json.dumps({"error": {"code": code, "message": shorten(message)}}).encode()
    again = (("retry-after", "1"),) if status == 503 and not headers else ()
    return Response(status, body, (("content-type", "application/json"), *headers, *again))
