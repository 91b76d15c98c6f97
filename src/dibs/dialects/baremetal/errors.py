"""Ironic's response to each error.

To add a domain error: write its class in the ``errors`` module of its package and its status in ``STATUSES`` below.
A test names every class that is missing here.

Quirk: the body of an error is JSON inside a JSON string, in two forms. Errors of the service itself are *faults*
(``faultcode``, ``faultstring``, ``debuginfo``); errors of its web framework (unknown path, method, version) have
``code``, ``title``, ``description``. Clients read both (contract samples 012 and 026).
"""

import http
import json
from collections.abc import Mapping
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
from dibs.documents.json_schema import Schema
from dibs.documents.schema_parts import INTEGER, NULL, TEXT, record
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

STATUSES: Mapping[type[DibsError], int] = {
    DibsError: 500,
    BadValue: 400,
    InvalidTrait: 400,
    TooManyTraits: 400,
    InstanceTraitsMissing: 400,
    TraitNotFound: 404,
    NodeNotFound: 404,
    NodeExists: 409,
    NodeLocked: 409,
    NodeAssociated: 409,
    InstanceAssociated: 409,
    NodeClaimed: 409,
    NodeHeld: 409,
    NodeBooked: 409,
    HostKeptForLeases: 409,
    ProviderIsHost: 409,
    NothingToHold: 409,
    HoldNotFound: 404,
    HoldExists: 409,
    InstanceOfAnother: 409,
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
    LeaseRefused: 403,
    LeaseConflict: 409,
    NotEnoughHosts: 409,
    NodeProtected: 403,
    WrongState: 409,
    WrongVerb: 400,
    NotOffered: 406,
    NodeInMaintenance: 400,
    NodeRetired: 400,
    DriverNotFound: 404,
    NoConductorForDriver: 400,
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
    # Quirk not copied: Ironic answers 500 and keeps an allocation in state error (contract sample 185).
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
    Forbidden: 403,
    StoreUnavailable: 503,
    StatementTimeout: 503,
    StoreContended: 503,
}


ERROR_BODY: Schema = record(
    {
        "error_message": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {
                "anyOf": [
                    record({"faultcode": {"enum": ["Client", "Server"]}, "faultstring": TEXT, "debuginfo": NULL}),
                    record({"code": INTEGER, "title": TEXT, "description": TEXT}),
                ]
            },
        }
    }
)


class Refusal(Exception):
    """A request that the dialect itself refuses, before any operation runs."""

    def __init__(self, status: int, message: str, *, framework: bool = False, headers: Headers = ()) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.framework = framework
        self.headers = headers

    @property
    def response(self) -> Response:
        """Return the response, as a fault or a framework fault."""
        form = framework_fault if self.framework else fault
        return form(self.status, self.message, self.headers)


def bad_request(message: str) -> Refusal:
    """Return a 400 whose message names the mistake."""
    return Refusal(400, message)


def not_acceptable(since: int | None = None) -> Refusal:
    """Return a 406: the requested version does not have this; ``since`` is the first that has."""
    hint = "" if since is None else f" The minimal required API version should be 1.{since}"
    return Refusal(406, f"Request not acceptable.{hint}")


def answer_domain_error(error: DibsError) -> Response:
    """Return the response to a domain error."""
    status = next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), 500)
    headers: Headers = (("Retry-After", RETRY_SECONDS),) if status == 503 else ()
    # This error has the reason for each node of the request; their number is limited.
    return fault(status, str(error), headers, whole=isinstance(error, NothingToHold))


def fault(status: int, message: str, headers: Headers = (), *, whole: bool = False) -> Response:
    """Return an error of the service; a long message is shortened unless ``whole``."""
    code = "Client" if status < 500 else "Server"
    said = message if whole else shorten(message)
    return _error(status, {"faultcode": code, "faultstring": said, "debuginfo": None}, headers)


def framework_fault(status: int, description: str = "", headers: Headers = ()) -> Response:
    """Return an error of the web framework."""
    title = http.HTTPStatus(status).phrase
    return _error(status, {"code": status, "title": title, "description": shorten(description)}, headers)


def _error(status: int, document: Mapping[str, Any], headers: Headers) -> Response:
    body = json.dumps({"error_message": json.dumps(document)}).encode()
    return Response(status, body, (("Content-Type", "application/json"), *headers))
