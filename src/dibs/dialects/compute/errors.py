"""Translate errors to Nova's responses: ``{"itemNotFound": {"code": 404, "message": "…"}}``.

To add a domain error: write its class in the ``errors`` module of its package and its status in ``STATUSES`` below.
A test names every class that is missing here.
"""

import json
from collections.abc import Mapping

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
    InvalidTrait: 400,
    TooManyTraits: 400,
    InstanceTraitsMissing: 409,
    TraitNotFound: 404,
    NodeNotFound: 404,
    NodeExists: 409,
    NodeLocked: 409,
    NodeAssociated: 409,
    InstanceAssociated: 409,
    NodeClaimed: 409,
    NodeBooked: 409,
    NodeHeld: 409,
    NothingToHold: 409,
    HoldNotFound: 404,
    HoldExists: 409,
    InstanceOfAnother: 409,
    HostKeptForLeases: 409,
    ProviderIsHost: 409,
    NodeProtected: 409,
    WrongState: 409,
    WrongVerb: 409,
    NotOffered: 400,
    NodeInMaintenance: 409,
    NodeRetired: 409,
    DriverNotFound: 404,
    NoConductorForDriver: 503,
    NoLiveConductor: 503,
    ConductorNotFound: 404,
    ConductorReplaced: 500,
    TaskLost: 500,
    PortNotFound: 404,
    PortExists: 409,
    AllocationNotFound: 404,
    NodeHasNoAllocation: 404,
    AllocationExists: 409,
    InstanceInUse: 409,
    CannotBackfill: 400,
    NoConductorAvailable: 503,
    ValidationFailed: 400,
    ProviderNotFound: 404,
    ProviderOwnedByNode: 409,
    ProviderExists: 409,
    BadParent: 400,
    ProviderHasChildren: 409,
    ProviderInUse: 409,
    InvalidCapacity: 400,
    InventoryInUse: 409,
    InventoryExists: 409,
    InventoryNotFound: 404,
    ResourceClassExists: 409,
    ResourceClassInUse: 409,
    StandardResourceClass: 400,
    NoSuchTrait: 400,
    TraitInUse: 409,
    StandardTrait: 400,
    ClaimedProviderNotFound: 400,
    ResourceClassNotFound: 400,
    NoSuchInventory: 409,
    ConstraintsViolated: 409,
    CapacityExceeded: 409,
    ConsumerGenerationConflict: 409,
    ProviderGenerationConflict: 409,
    NothingClaimed: 404,
    HostNotFound: 404,
    NoSuchHost: 404,
    HostExists: 409,
    HostInUse: 409,
    HostBooked: 409,
    HostPropertyInUse: 409,
    HostPropertyNotFound: 404,
    MalformedRequirements: 400,
    LeaseNotFound: 404,
    BadLease: 400,
    OutsideLease: 403,
    LeaseTooLong: 400,
    LeaseConflict: 409,
    NotEnoughHosts: 409,
    FlavorNotFound: 404,
    FlavorExists: 409,
    FlavorOfReservation: 409,
    FlavorAccessExists: 409,
    FlavorAccessNotFound: 404,
    FlavorSpecNotFound: 404,
    NoFlavorAccess: 404,
    PublicFlavor: 409,
    ServerNotFound: 404,
    ServerHasNoMachine: 409,
    MetadataItemNotFound: 404,
    TooManyMetadataItems: 403,
    HypervisorNotFound: 404,
    ServiceNotFound: 404,
    ComputeUnavailable: 503,
    LeaseRefused: 403,
    Forbidden: 403,
    StoreUnavailable: 503,
    StatementTimeout: 503,
    StoreContended: 503,
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
