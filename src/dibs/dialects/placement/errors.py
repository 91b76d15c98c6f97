"""The status, code and body of each error in Placement's API.

To add a domain error: write its class in the ``errors`` module of its package and its status and code in ``ANSWERS``
below. A test names every class that is missing here.
"""

import html
import http
import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from dibs.allocations.model.errors import (
    AllocationExists,
    AllocationNotFound,
    CannotBackfill,
    InstanceInUse,
    NoConductorAvailable,
    NodeHasNoAllocation,
)
from dibs.database.errors import StatementTimeout, StoreContended, StoreUnavailable
from dibs.errors import BadValue, DibsError, Forbidden
from dibs.flavors.model.errors import (
    ComputeUnavailable,
    FlavorAccessExists,
    FlavorAccessNotFound,
    FlavorExists,
    FlavorNotFound,
    FlavorOfReservation,
    FlavorSpecNotFound,
    NoFlavorAccess,
    PublicFlavor,
)
from dibs.http.failures import shorten
from dibs.http.messages import Response
from dibs.http.negotiation import preferred
from dibs.leases.model.errors import (
    BadLease,
    HostBooked,
    HostExists,
    HostInUse,
    HostKeptForLeases,
    HostNotFound,
    HostPropertyInUse,
    HostPropertyNotFound,
    LeaseConflict,
    LeaseNotFound,
    LeaseRefused,
    LeaseTooLong,
    MalformedRequirements,
    NodeBooked,
    NoSuchHost,
    NotEnoughHosts,
    OutsideLease,
    ProviderIsHost,
)
from dibs.ledger.model.errors import (
    BadParent,
    CapacityExceeded,
    ClaimedProviderNotFound,
    ConstraintsViolated,
    ConsumerGenerationConflict,
    InvalidCapacity,
    InvalidTrait,
    InventoryExists,
    InventoryInUse,
    InventoryNotFound,
    NoSuchInventory,
    NoSuchTrait,
    NothingClaimed,
    ProviderExists,
    ProviderGenerationConflict,
    ProviderHasChildren,
    ProviderInUse,
    ProviderNotFound,
    ProviderOwnedByNode,
    ResourceClassExists,
    ResourceClassInUse,
    ResourceClassNotFound,
    StandardResourceClass,
    StandardTrait,
    TraitInUse,
)
from dibs.machines.model.errors import (
    ConductorNotFound,
    ConductorReplaced,
    DriverNotFound,
    HoldExists,
    HoldNotFound,
    InstanceAssociated,
    InstanceOfAnother,
    InstanceTraitsMissing,
    NoConductorForDriver,
    NodeAssociated,
    NodeClaimed,
    NodeExists,
    NodeHeld,
    NodeInMaintenance,
    NodeLocked,
    NodeNotFound,
    NodeProtected,
    NodeRetired,
    NoLiveConductor,
    NothingToHold,
    NotOffered,
    PortExists,
    PortNotFound,
    TaskLost,
    TooManyTraits,
    TraitNotFound,
    ValidationFailed,
    WrongState,
    WrongVerb,
)
from dibs.servers.model.errors import (
    HypervisorNotFound,
    MetadataItemNotFound,
    ServerHasNoMachine,
    ServerNotFound,
    ServiceNotFound,
    TooManyMetadataItems,
)

Headers = tuple[tuple[str, str], ...]

CODE_SINCE = 23
RETRY_SECONDS = "1"


class Code(StrEnum):
    """The code by which programs recognize an error; sent since version 1.23."""

    UNDEFINED = "placement.undefined_code"
    INVENTORY_IN_USE = "placement.inventory.inuse"
    CONCURRENT_UPDATE = "placement.concurrent_update"
    DUPLICATE_NAME = "placement.duplicate_name"
    PROVIDER_IN_USE = "placement.resource_provider.inuse"
    CANNOT_DELETE_PARENT = "placement.resource_provider.cannot_delete_parent"
    PROVIDER_NOT_FOUND = "placement.resource_provider.not_found"
    DUPLICATE_KEY = "placement.query.duplicate_key"
    BAD_VALUE = "placement.query.bad_value"
    MISSING_VALUE = "placement.query.missing_value"


_BAD = (400, Code.UNDEFINED)
_MISSING = (404, Code.UNDEFINED)
_CONFLICT = (409, Code.UNDEFINED)
_FORBIDDEN = (403, Code.UNDEFINED)
_FAILED = (500, Code.UNDEFINED)
_AWAY = (503, Code.UNDEFINED)

ANSWERS: Mapping[type[DibsError], tuple[int, Code]] = {
    DibsError: _FAILED,
    BadValue: _BAD,
    InvalidTrait: _BAD,
    TooManyTraits: _BAD,
    TraitNotFound: _MISSING,
    Forbidden: _FORBIDDEN,
    StoreUnavailable: _AWAY,
    StatementTimeout: _AWAY,
    StoreContended: _AWAY,
    ProviderNotFound: _MISSING,
    ProviderOwnedByNode: _CONFLICT,
    ClaimedProviderNotFound: _BAD,
    ResourceClassNotFound: _BAD,
    NoSuchInventory: _CONFLICT,
    ConstraintsViolated: _CONFLICT,
    CapacityExceeded: _CONFLICT,
    ConsumerGenerationConflict: (409, Code.CONCURRENT_UPDATE),
    ProviderGenerationConflict: (409, Code.CONCURRENT_UPDATE),
    NothingClaimed: _MISSING,
    # Errors about nodes and leases, which guards raise or which never reach this dialect.
    InstanceTraitsMissing: _CONFLICT,
    NodeNotFound: _MISSING,
    NodeExists: _CONFLICT,
    NodeLocked: _CONFLICT,
    NodeAssociated: _CONFLICT,
    InstanceAssociated: _CONFLICT,
    NodeClaimed: _CONFLICT,
    NodeHeld: _CONFLICT,
    NodeBooked: _CONFLICT,
    HostKeptForLeases: _CONFLICT,
    ProviderIsHost: _CONFLICT,
    NothingToHold: _CONFLICT,
    HoldNotFound: _MISSING,
    HoldExists: _CONFLICT,
    InstanceOfAnother: _CONFLICT,
    HostNotFound: _MISSING,
    NoSuchHost: _MISSING,
    HostExists: _CONFLICT,
    HostInUse: _CONFLICT,
    HostBooked: _CONFLICT,
    HostPropertyInUse: _CONFLICT,
    HostPropertyNotFound: _MISSING,
    MalformedRequirements: _BAD,
    LeaseNotFound: _MISSING,
    BadLease: _BAD,
    OutsideLease: _FORBIDDEN,
    LeaseTooLong: _BAD,
    LeaseRefused: _FORBIDDEN,
    LeaseConflict: _CONFLICT,
    NotEnoughHosts: _CONFLICT,
    NodeProtected: _CONFLICT,
    WrongState: _CONFLICT,
    WrongVerb: _CONFLICT,
    NotOffered: _BAD,
    NodeInMaintenance: _CONFLICT,
    NodeRetired: _CONFLICT,
    DriverNotFound: _MISSING,
    NoConductorForDriver: _AWAY,
    NoLiveConductor: _AWAY,
    ConductorNotFound: _MISSING,
    ConductorReplaced: _FAILED,
    TaskLost: _FAILED,
    PortNotFound: _MISSING,
    PortExists: _CONFLICT,
    AllocationNotFound: _MISSING,
    NodeHasNoAllocation: _MISSING,
    AllocationExists: _CONFLICT,
    InstanceInUse: _CONFLICT,
    CannotBackfill: _BAD,
    NoConductorAvailable: _AWAY,
    ValidationFailed: _BAD,
    # Errors about servers, which never reach this dialect.
    FlavorNotFound: _MISSING,
    FlavorExists: _CONFLICT,
    FlavorOfReservation: _CONFLICT,
    FlavorAccessExists: _CONFLICT,
    FlavorAccessNotFound: _MISSING,
    FlavorSpecNotFound: _MISSING,
    NoFlavorAccess: _MISSING,
    PublicFlavor: _CONFLICT,
    ServerNotFound: _MISSING,
    ServerHasNoMachine: _CONFLICT,
    MetadataItemNotFound: _MISSING,
    TooManyMetadataItems: _FORBIDDEN,
    HypervisorNotFound: _MISSING,
    ServiceNotFound: _MISSING,
    ComputeUnavailable: _AWAY,
    # Providers, inventories, classes and traits.
    ProviderExists: (409, Code.DUPLICATE_NAME),
    BadParent: _BAD,
    ProviderHasChildren: (409, Code.CANNOT_DELETE_PARENT),
    ProviderInUse: (409, Code.PROVIDER_IN_USE),
    InvalidCapacity: _BAD,
    InventoryInUse: (409, Code.INVENTORY_IN_USE),
    InventoryExists: (409, Code.CONCURRENT_UPDATE),
    InventoryNotFound: _MISSING,
    ResourceClassExists: _CONFLICT,
    ResourceClassInUse: _CONFLICT,
    StandardResourceClass: _BAD,
    NoSuchTrait: _BAD,
    TraitInUse: _CONFLICT,
    StandardTrait: _BAD,
}
"""The status and code of each domain error. An error without a row has that of its parent class."""

_SENTENCES = {
    400: "The server could not comply with the request since it is either malformed or otherwise incorrect.",
    401: (
        "This server could not verify that you are authorized to access the document you requested. Either you"
        " supplied the wrong credentials (e.g., bad password), or your browser does not understand how to supply the"
        " credentials required."
    ),
    403: "Access was denied to this resource.",
    404: "The resource could not be found.",
    406: "The resource could not be generated that was acceptable to your browser.",
    409: "There was a conflict when trying to complete your request.",
    413: "The body of your request was too large for this server.",
    415: "The request media type is not supported by this server.",
    500: "The server has either erred or is incapable of performing the requested operation.",
    503: "The server is currently unavailable. Please try again at a later time.",
}
"""Quirk: the message follows a general sentence about the status, as Placement's web framework (WebOb) writes it."""


_DENIED = "Policy does not allow {resource} to be performed."


class Refusal(Exception):
    """A refusal with the status and the words of this dialect."""

    def __init__(
        self,
        status: int,
        message: str = "",
        code: Code = Code.UNDEFINED,
        *,
        headers: Headers = (),
        extra: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.headers = headers
        self.extra = extra or {}


def bad_request(message: str, code: Code = Code.UNDEFINED) -> Refusal:
    """Return a refusal with status 400."""
    return Refusal(400, message, code)


def conflict(message: str, code: Code = Code.UNDEFINED) -> Refusal:
    """Return a refusal with status 409."""
    return Refusal(409, message, code)


def not_found(message: str = "") -> Refusal:
    """Return a refusal with status 404."""
    return Refusal(404, message)


def refusal_of(error: DibsError, prefix: str = "") -> Refusal:
    """Return the refusal for a domain error; a handler may put a prefix before the message."""
    status, code = next((ANSWERS[kind] for kind in type(error).__mro__ if kind in ANSWERS), _FAILED)
    headers: Headers = (("Retry-After", RETRY_SECONDS),) if status == 503 else ()
    message = _DENIED.format(**error.details) if isinstance(error, Forbidden) else str(error)
    return Refusal(status, prefix + message, code, headers=headers)


def error_answer(
    refusal: Refusal, *, method: str = "", accept: str = "", request_id: str = "", minor: int | None = None
) -> Response:
    """Return an error response in the form that the client accepts: JSON, HTML or text."""
    detail = _detail(refusal, method)
    title = http.HTTPStatus(refusal.status).phrase
    form = preferred(accept, ("application/json", "text/html"))
    if form == "application/json":
        error: dict[str, Any] = {"status": refusal.status, "title": title, "detail": detail, "request_id": request_id}
        if minor is not None and minor >= CODE_SINCE:
            error["code"] = refusal.code
        body = json.dumps({"errors": [{**error, **refusal.extra}]})
        return _answer(refusal, form, body)
    return _page(refusal, form, f"{refusal.status} {title}", detail)


def unauthorized(message: str, accept: str = "", headers: Headers = ()) -> Response:
    """Return a 401 response. Quirk: in the original it comes from another layer and has another form."""
    title = http.HTTPStatus.UNAUTHORIZED.phrase
    refusal = Refusal(401, message, headers=headers)
    form = preferred(accept, ("application/json", "text/html"))
    if form == "application/json":
        body = json.dumps({"message": _detail(refusal, ""), "code": f"401 {title}", "title": title})
        return _answer(refusal, form, body)
    return _page(refusal, form, f"401 {title}", _detail(refusal, ""))


def _detail(refusal: Refusal, method: str) -> str:
    if refusal.status == 405:
        sentence = f"The method {method} is not allowed for this resource."
    else:
        sentence = _SENTENCES.get(refusal.status, "")
    return f"{sentence}\n\n {shorten(refusal.message)}  " if refusal.message else sentence


def _page(refusal: Refusal, form: str | None, status: str, detail: str) -> Response:
    if form == "text/html":
        shown = html.escape(detail)
        return _answer(
            refusal,
            form,
            f"<html><head><title>{status}</title></head><body><h1>{status}</h1><p>{shown}</p></body></html>",
        )
    return _answer(refusal, "text/plain", f"{status}\n\n{detail}")


def _answer(refusal: Refusal, form: str, body: str) -> Response:
    charset = "" if form == "application/json" else "; charset=UTF-8"
    return Response(refusal.status, body.encode(), (("Content-Type", form + charset), *refusal.headers))
