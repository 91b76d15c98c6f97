"""Translate errors to Nova's responses: ``{"itemNotFound": {"code": 404, "message": "…"}}``.

To add a domain error: write its class in the ``errors`` module of its package and its status in ``STATUSES`` below.
A test names every class that is missing here.
"""

import json
from collections.abc import Mapping

from dibs.allocations.model import errors as allocations
from dibs.calendars.model import errors as calendars
from dibs.database import errors as database
from dibs.errors import BadValue, DibsError, Forbidden
from dibs.flavors.model import errors as flavors
from dibs.http.failures import shorten
from dibs.http.messages import Response
from dibs.leases.model import errors as leases
from dibs.ledger.model import errors as ledger
from dibs.machines.model import errors as machines
from dibs.quotas.model import errors as quotas
from dibs.servers.model import errors as servers
from dibs.webhooks.model import errors as webhooks

Headers = tuple[tuple[str, str], ...]

RETRY_SECONDS = "1"

FAULTS: Mapping[int, str] = {
    400: "badRequest",
    401: "unauthorized",
    403: "forbidden",
    404: "itemNotFound",
    405: "badMethod",
    409: "conflictingRequest",
    413: "overLimit",
    415: "badMediaType",
    429: "overLimit",
    501: "notImplemented",
    503: "serviceUnavailable",
}
"""Nova's name for each status."""
OTHER_FAULT = "computeFault"
"""Nova's name for every other status."""

STATUSES: Mapping[type[DibsError], int] = {
    DibsError: 500,
    BadValue: 400,
    ledger.InvalidTrait: 400,
    machines.TooManyTraits: 400,
    machines.InstanceTraitsMissing: 409,
    machines.TraitNotFound: 404,
    machines.NodeNotFound: 404,
    machines.NodeExists: 409,
    machines.NodeLocked: 409,
    machines.NodeAssociated: 409,
    machines.InstanceAssociated: 409,
    machines.NodeClaimed: 409,
    leases.NodeBooked: 409,
    machines.NodeHeld: 409,
    machines.NothingToHold: 409,
    machines.HoldNotFound: 404,
    machines.HoldExists: 409,
    machines.InstanceOfAnother: 409,
    leases.HostKeptForLeases: 409,
    leases.ProviderIsHost: 409,
    machines.NodeProtected: 409,
    machines.WrongState: 409,
    machines.WrongVerb: 409,
    machines.NotOffered: 400,
    machines.NodeInMaintenance: 409,
    machines.NodeRetired: 409,
    machines.DriverNotFound: 404,
    machines.NoConductorForDriver: 503,
    machines.NoLiveConductor: 503,
    machines.ConductorNotFound: 404,
    machines.ConductorReplaced: 500,
    machines.TaskLost: 500,
    machines.PartNotFound: 404,
    machines.PartExists: 409,
    machines.PortGroupNotEmpty: 409,
    machines.VifAttached: 409,
    machines.VifNotAttached: 409,
    machines.NoFreePort: 409,
    machines.ChassisNotFound: 404,
    machines.ChassisExists: 409,
    machines.ChassisNotEmpty: 409,
    allocations.AllocationNotFound: 404,
    allocations.NodeHasNoAllocation: 404,
    allocations.AllocationExists: 409,
    allocations.InstanceInUse: 409,
    allocations.CannotBackfill: 400,
    allocations.NodePromised: 409,
    allocations.NoConductorAvailable: 503,
    machines.ValidationFailed: 400,
    ledger.ProviderNotFound: 404,
    ledger.ProviderOwnedByNode: 409,
    ledger.ProviderExists: 409,
    ledger.BadParent: 400,
    ledger.ProviderHasChildren: 409,
    ledger.ProviderInUse: 409,
    ledger.InvalidCapacity: 400,
    ledger.InventoryInUse: 409,
    ledger.InventoryExists: 409,
    ledger.InventoryNotFound: 404,
    ledger.ResourceClassExists: 409,
    ledger.ResourceClassInUse: 409,
    ledger.StandardResourceClass: 400,
    ledger.NoSuchTrait: 400,
    ledger.TraitInUse: 409,
    ledger.StandardTrait: 400,
    ledger.ClaimedProviderNotFound: 400,
    ledger.ResourceClassNotFound: 400,
    ledger.NoSuchInventory: 409,
    ledger.ConstraintsViolated: 409,
    ledger.CapacityExceeded: 409,
    ledger.ConsumerGenerationConflict: 409,
    ledger.ProviderGenerationConflict: 409,
    ledger.NothingClaimed: 404,
    leases.HostNotFound: 404,
    leases.NoSuchHost: 404,
    leases.HostExists: 409,
    leases.HostInUse: 409,
    leases.HostBooked: 409,
    leases.HostPropertyInUse: 409,
    leases.HostPropertyNotFound: 404,
    leases.MalformedRequirements: 400,
    leases.LeaseNotFound: 404,
    leases.BadLease: 400,
    leases.OutsideLease: 403,
    leases.LeaseTooLong: 400,
    leases.LeaseConflict: 409,
    leases.NotEnoughHosts: 409,
    flavors.FlavorNotFound: 404,
    flavors.FlavorExists: 409,
    flavors.FlavorOfReservation: 409,
    flavors.FlavorAccessExists: 409,
    flavors.FlavorAccessNotFound: 404,
    flavors.FlavorSpecNotFound: 404,
    flavors.NoFlavorAccess: 404,
    flavors.PublicFlavor: 409,
    servers.ServerNotFound: 404,
    servers.ServerHasNoMachine: 409,
    servers.MetadataItemNotFound: 404,
    servers.TooManyMetadataItems: 403,
    servers.HypervisorNotFound: 404,
    servers.ServiceNotFound: 404,
    flavors.ComputeUnavailable: 503,
    leases.LeaseRefused: 403,
    quotas.QuotaExceeded: 403,
    quotas.QuotaNotFound: 404,
    quotas.ShareNotFound: 404,
    quotas.QuotaInKeystone: 409,
    quotas.LimitsUnknown: 503,
    calendars.TooManyCalendars: 409,
    calendars.CalendarNotFound: 404,
    webhooks.TooManyWebhooks: 409,
    webhooks.WebhookNotFound: 404,
    Forbidden: 403,
    database.StoreUnavailable: 503,
    database.SecretsLocked: 503,
    database.StatementTimeout: 503,
    database.DeadlinePassed: 503,
    database.StoreContended: 503,
}
"""An error without a row of its own has the status of its parent class."""


class Refusal(Exception):
    """The dialect refuses the request before any operation runs."""

    def __init__(self, status: int, message: str, headers: Headers = ()) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers


def bad_request(message: str) -> Refusal:
    """Return a 400 with a message that names the mistake."""
    return Refusal(400, message)


def not_found(message: str = "The resource could not be found.") -> Refusal:
    """Return a 404."""
    return Refusal(404, message)


def answer_domain_error(error: DibsError) -> Response:
    """Return the response to a domain error."""
    status = next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), 500)
    return error_answer(status, str(error), (("Retry-After", RETRY_SECONDS),) if status == 503 else ())


def error_answer(status: int, message: str, headers: Headers = ()) -> Response:
    """Return an error response in Nova's format."""
    fault = FAULTS.get(status, OTHER_FAULT)
    body = json.dumps({fault: {"code": status, "message": shorten(message)}}).encode()
    return Response(status, body, (("Content-Type", "application/json"), *headers))
