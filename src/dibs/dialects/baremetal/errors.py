"""From an error to Ironic's answer.

To add a domain error: write its class in ``domain/errors.py`` and its status in ``STATUSES`` below; a test names every
class that is missing here.

Quirk: an error's body is JSON inside a JSON string, in two forms. What the service itself finds is a *fault*
(``faultcode``, ``faultstring``, ``debuginfo``); what its web framework finds (unknown path, method, version) is
``code``, ``title``, ``description``. Clients read either (contract samples 012 and 026).
"""

import http
import json
from collections.abc import Mapping
from typing import Any

from dibs.domain import errors as domain
from dibs.http.failures import shorten
from dibs.http.messages import Response

Headers = tuple[tuple[str, str], ...]

RETRY_SECONDS = "1"

STATUSES: Mapping[type[domain.DibsError], int] = {
    domain.DibsError: 500,
    domain.BadValue: 400,
    domain.InvalidTrait: 400,
    domain.TooManyTraits: 400,
    domain.InstanceTraitsMissing: 400,
    domain.TraitNotFound: 404,
    domain.NodeNotFound: 404,
    domain.NodeExists: 409,
    domain.NodeLocked: 409,
    domain.NodeAssociated: 409,
    domain.InstanceAssociated: 409,
    domain.NodeClaimed: 409,
    domain.NodeHeld: 409,
    domain.NodeBooked: 409,
    domain.HostKeptForLeases: 409,
    domain.ProviderIsHost: 409,
    domain.NothingToHold: 409,
    domain.HoldNotFound: 404,
    domain.HoldExists: 409,
    domain.InstanceOfAnother: 409,
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
    domain.LeaseRefused: 403,
    domain.LeaseConflict: 409,
    domain.NotEnoughHosts: 409,
    domain.NodeProtected: 403,
    domain.WrongState: 409,
    domain.WrongVerb: 400,
    domain.NodeInMaintenance: 400,
    domain.NodeRetired: 400,
    domain.DriverNotFound: 404,
    domain.NoConductorForDriver: 400,
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
    # Quirk not copied: Ironic answers 500 and keeps an allocation in state error (contract sample 185).
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
    domain.Forbidden: 403,
    domain.StoreUnavailable: 503,
    domain.StoreContended: 503,
}


class Refusal(Exception):
    """The dialect itself refuses: the request is wrong before any use case is asked."""

    def __init__(self, status: int, message: str, *, framework: bool = False, headers: Headers = ()) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.framework = framework
        self.headers = headers

    @property
    def response(self) -> Response:
        """The answer in the form that fits."""
        form = framework_fault if self.framework else fault
        return form(self.status, self.message, self.headers)


def bad_request(message: str) -> Refusal:
    """400, with a message that names what is wrong."""
    return Refusal(400, message)


def not_acceptable(since: int | None = None) -> Refusal:
    """406: the thing exists, but not in the version asked for."""
    hint = "" if since is None else f" The minimal required API version should be 1.{since}"
    return Refusal(406, f"Request not acceptable.{hint}")


def answer_domain_error(error: domain.DibsError) -> Response:
    """The answer to a refusal by the ledger."""
    status = next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), 500)
    headers: Headers = (("Retry-After", RETRY_SECONDS),) if status == 503 else ()
    # The caller is promised the reason for each node that it sent, and those are not many.
    return fault(status, str(error), headers, whole=isinstance(error, domain.NothingToHold))


def fault(status: int, message: str, headers: Headers = (), *, whole: bool = False) -> Response:
    """The form of what the service finds; a long message is cut unless it is wanted whole."""
    code = "Client" if status < 500 else "Server"
    said = message if whole else shorten(message)
    return _error(status, {"faultcode": code, "faultstring": said, "debuginfo": None}, headers)


def framework_fault(status: int, description: str = "", headers: Headers = ()) -> Response:
    """The form of what the framework finds."""
    title = http.HTTPStatus(status).phrase
    return _error(status, {"code": status, "title": title, "description": shorten(description)}, headers)


def _error(status: int, document: Mapping[str, Any], headers: Headers) -> Response:
    body = json.dumps({"error_message": json.dumps(document)}).encode()
    return Response(status, body, (("Content-Type", "application/json"), *headers))
