"""From an error to Nova's answer: ``{"itemNotFound": {"code": 404, "message": "…"}}``.

To add a domain error: write its class in ``domain/errors.py`` and its status in ``STATUSES`` below; a test names every
class that is missing here.
"""

import json
from collections.abc import Mapping

from dibs.domain import errors as domain
from dibs.http.failures import shorten
from dibs.http.messages import Response

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
"""What Nova calls each kind of error; all others are a computeFault."""

STATUSES: Mapping[type[domain.DibsError], int] = {
    domain.DibsError: 500,
    domain.BadValue: 400,
    domain.InvalidTrait: 400,
    domain.TooManyTraits: 400,
    domain.InstanceTraitsMissing: 409,
    domain.TraitNotFound: 404,
    domain.NodeNotFound: 404,
    domain.NodeExists: 409,
    domain.NodeLocked: 409,
    domain.NodeAssociated: 409,
    domain.InstanceAssociated: 409,
    domain.NodeClaimed: 409,
    domain.NodeBooked: 409,
    domain.NodeHeld: 409,
    domain.NothingToHold: 409,
    domain.HoldNotFound: 404,
    domain.HoldExists: 409,
    domain.InstanceOfAnother: 409,
    domain.HostKeptForLeases: 409,
    domain.ProviderIsHost: 409,
    domain.NodeProtected: 409,
    domain.WrongState: 409,
    domain.WrongVerb: 409,
    domain.NodeInMaintenance: 409,
    domain.NodeRetired: 409,
    domain.DriverNotFound: 404,
    domain.NoConductorForDriver: 503,
    domain.NoLiveConductor: 503,
    domain.ConductorNotFound: 404,
    domain.ConductorReplaced: 500,
    domain.TaskLost: 500,
    domain.PortNotFound: 404,
    domain.PortExists: 409,
    domain.NodeRequestNotFound: 404,
    domain.NodeHasNoRequest: 404,
    domain.NodeRequestExists: 409,
    domain.InstanceInUse: 409,
    domain.CannotBackfill: 400,
    domain.NobodyToFindNodes: 503,
    domain.ValidationFailed: 400,
    domain.ProviderNotFound: 404,
    domain.ProviderOwnedByNode: 409,
    domain.ProviderExists: 409,
    domain.BadParent: 400,
    domain.ProviderHasChildren: 409,
    domain.ProviderInUse: 409,
    domain.InvalidCapacity: 400,
    domain.InventoryInUse: 409,
    domain.InventoryExists: 409,
    domain.InventoryNotFound: 404,
    domain.ResourceClassExists: 409,
    domain.ResourceClassInUse: 409,
    domain.StandardResourceClass: 400,
    domain.NoSuchTrait: 400,
    domain.TraitInUse: 409,
    domain.StandardTrait: 400,
    domain.ClaimedProviderNotFound: 400,
    domain.ResourceClassNotFound: 400,
    domain.NoSuchInventory: 409,
    domain.ConstraintsViolated: 409,
    domain.CapacityExceeded: 409,
    domain.ConsumerGenerationConflict: 409,
    domain.ProviderGenerationConflict: 409,
    domain.NothingClaimed: 404,
    domain.HostNotFound: 404,
    domain.NoSuchHost: 404,
    domain.HostExists: 409,
    domain.HostInUse: 409,
    domain.HostBooked: 409,
    domain.HostPropertyInUse: 409,
    domain.HostPropertyNotFound: 404,
    domain.MalformedRequirements: 400,
    domain.LeaseNotFound: 404,
    domain.BadLease: 400,
    domain.OutsideLease: 403,
    domain.LeaseTooLong: 400,
    domain.LeaseConflict: 409,
    domain.NotEnoughHosts: 409,
    domain.FlavorNotFound: 404,
    domain.FlavorExists: 409,
    domain.FlavorOfReservation: 409,
    domain.FlavorAccessExists: 409,
    domain.FlavorAccessNotFound: 404,
    domain.FlavorSpecNotFound: 404,
    domain.NoFlavorAccess: 404,
    domain.PublicFlavor: 409,
    domain.ServerNotFound: 404,
    domain.ServerHasNoMachine: 409,
    domain.HypervisorNotFound: 404,
    domain.ServiceNotFound: 404,
    domain.ComputeAway: 503,
    domain.LeaseRefused: 403,
    domain.Forbidden: 403,
    domain.StoreUnavailable: 503,
    domain.StoreContended: 503,
}
"""An error without a row of its own has that of its parent class."""


class Refusal(Exception):
    """The dialect itself refuses: the request is wrong before any use case is asked."""

    def __init__(self, status: int, message: str, headers: Headers = ()) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers


def bad_request(message: str) -> Refusal:
    """400, with a message that names what is wrong."""
    return Refusal(400, message)


def not_found(message: str = "The resource could not be found.") -> Refusal:
    """404."""
    return Refusal(404, message)


def answer_domain_error(error: domain.DibsError) -> Response:
    """The answer to a refusal by the ledger."""
    status = next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), 500)
    return error_answer(status, str(error), (("Retry-After", RETRY_SECONDS),) if status == 503 else ())


def error_answer(status: int, message: str, headers: Headers = ()) -> Response:
    """An error in Nova's shape."""
    fault = FAULTS.get(status, "computeFault")
    body = json.dumps({fault: {"code": status, "message": shorten(message)}}).encode()
    return Response(status, body, (("Content-Type", "application/json"), *headers))
