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

from dibs.allocations.model import errors as allocations
from dibs.calendars.model import errors as calendars
from dibs.database import errors as database
from dibs.errors import BadValue, DibsError, Forbidden
from dibs.flavors.model import errors as flavors
from dibs.http.failures import shorten
from dibs.http.messages import Response
from dibs.http.negotiation import preferred
from dibs.leases.model import errors as leases
from dibs.ledger.model import errors as ledger
from dibs.machines.model import errors as machines
from dibs.quotas.model import errors as quotas
from dibs.servers.model import errors as servers
from dibs.webhooks.model import errors as webhooks

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
    ledger.InvalidTrait: _BAD,
    machines.TooManyTraits: _BAD,
    machines.TraitNotFound: _MISSING,
    Forbidden: _FORBIDDEN,
    database.StoreUnavailable: _AWAY,
    database.SecretsLocked: _AWAY,
    database.StatementTimeout: _AWAY,
    database.DeadlinePassed: _AWAY,
    database.StoreContended: _AWAY,
    ledger.ProviderNotFound: _MISSING,
    ledger.ProviderOwnedByNode: _CONFLICT,
    ledger.ClaimedProviderNotFound: _BAD,
    ledger.ResourceClassNotFound: _BAD,
    ledger.NoSuchInventory: _CONFLICT,
    ledger.ConstraintsViolated: _CONFLICT,
    ledger.CapacityExceeded: _CONFLICT,
    ledger.ConsumerGenerationConflict: (409, Code.CONCURRENT_UPDATE),
    ledger.ProviderGenerationConflict: (409, Code.CONCURRENT_UPDATE),
    ledger.NothingClaimed: _MISSING,
    # Placement has no quotas: a claim that cannot be granted is a conflict.
    quotas.QuotaExceeded: _CONFLICT,
    quotas.QuotaNotFound: _MISSING,
    quotas.ShareNotFound: _MISSING,
    quotas.QuotaInKeystone: _CONFLICT,
    quotas.LimitsUnknown: _AWAY,
    calendars.TooManyCalendars: _CONFLICT,
    calendars.CalendarNotFound: _MISSING,
    webhooks.TooManyWebhooks: _CONFLICT,
    webhooks.WebhookNotFound: _MISSING,
    # Errors about nodes and leases, which guards raise or which never reach this dialect.
    machines.InstanceTraitsMissing: _CONFLICT,
    machines.NodeNotFound: _MISSING,
    machines.NodeExists: _CONFLICT,
    machines.NodeLocked: _CONFLICT,
    machines.NodeAssociated: _CONFLICT,
    machines.InstanceAssociated: _CONFLICT,
    machines.NodeClaimed: _CONFLICT,
    machines.NodeHeld: _CONFLICT,
    leases.NodeBooked: _CONFLICT,
    leases.HostKeptForLeases: _CONFLICT,
    leases.ProviderIsHost: _CONFLICT,
    machines.NothingToHold: _CONFLICT,
    machines.HoldNotFound: _MISSING,
    machines.HoldExists: _CONFLICT,
    machines.InstanceOfAnother: _CONFLICT,
    leases.HostNotFound: _MISSING,
    leases.NoSuchHost: _MISSING,
    leases.HostExists: _CONFLICT,
    leases.HostInUse: _CONFLICT,
    leases.HostBooked: _CONFLICT,
    leases.HostPropertyInUse: _CONFLICT,
    leases.HostPropertyNotFound: _MISSING,
    leases.MalformedRequirements: _BAD,
    leases.LeaseNotFound: _MISSING,
    leases.BadLease: _BAD,
    leases.OutsideLease: _FORBIDDEN,
    leases.LeaseTooLong: _BAD,
    leases.LeaseRefused: _FORBIDDEN,
    leases.LeaseConflict: _CONFLICT,
    leases.NotEnoughHosts: _CONFLICT,
    machines.NodeProtected: _CONFLICT,
    machines.WrongState: _CONFLICT,
    machines.WrongVerb: _CONFLICT,
    machines.NotOffered: _BAD,
    machines.NodeInMaintenance: _CONFLICT,
    machines.NodeRetired: _CONFLICT,
    machines.DriverNotFound: _MISSING,
    machines.NoConductorForDriver: _AWAY,
    machines.NoLiveConductor: _AWAY,
    machines.ConductorNotFound: _MISSING,
    machines.ConductorReplaced: _FAILED,
    machines.TaskLost: _FAILED,
    machines.PartNotFound: _MISSING,
    machines.PartExists: _CONFLICT,
    machines.PortGroupNotEmpty: _CONFLICT,
    machines.VifAttached: _CONFLICT,
    machines.VifNotAttached: _CONFLICT,
    machines.NoFreePort: _CONFLICT,
    machines.ChassisNotFound: _MISSING,
    machines.ChassisExists: _CONFLICT,
    machines.ChassisNotEmpty: _CONFLICT,
    allocations.AllocationNotFound: _MISSING,
    allocations.NodeHasNoAllocation: _MISSING,
    allocations.AllocationExists: _CONFLICT,
    allocations.InstanceInUse: _CONFLICT,
    allocations.CannotBackfill: _BAD,
    allocations.NodePromised: _CONFLICT,
    allocations.NoConductorAvailable: _AWAY,
    machines.ValidationFailed: _BAD,
    # Errors about servers, which never reach this dialect.
    flavors.FlavorNotFound: _MISSING,
    flavors.FlavorExists: _CONFLICT,
    flavors.FlavorOfReservation: _CONFLICT,
    flavors.FlavorAccessExists: _CONFLICT,
    flavors.FlavorAccessNotFound: _MISSING,
    flavors.FlavorSpecNotFound: _MISSING,
    flavors.NoFlavorAccess: _MISSING,
    flavors.PublicFlavor: _CONFLICT,
    servers.ServerNotFound: _MISSING,
    servers.ServerHasNoMachine: _CONFLICT,
    servers.MetadataItemNotFound: _MISSING,
    servers.TooManyMetadataItems: _FORBIDDEN,
    servers.HypervisorNotFound: _MISSING,
    servers.ServiceNotFound: _MISSING,
    flavors.ComputeUnavailable: _AWAY,
    # Providers, inventories, classes and traits.
    ledger.ProviderExists: (409, Code.DUPLICATE_NAME),
    ledger.BadParent: _BAD,
    ledger.ProviderHasChildren: (409, Code.CANNOT_DELETE_PARENT),
    ledger.ProviderInUse: (409, Code.PROVIDER_IN_USE),
    ledger.InvalidCapacity: _BAD,
    ledger.InventoryInUse: (409, Code.INVENTORY_IN_USE),
    ledger.InventoryExists: (409, Code.CONCURRENT_UPDATE),
    ledger.InventoryNotFound: _MISSING,
    ledger.ResourceClassExists: _CONFLICT,
    ledger.ResourceClassInUse: _CONFLICT,
    ledger.StandardResourceClass: _BAD,
    ledger.NoSuchTrait: _BAD,
    ledger.TraitInUse: _CONFLICT,
    ledger.StandardTrait: _BAD,
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
