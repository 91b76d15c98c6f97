"""Answer requests to the reservation API.

Checks run in this order: version (406, 400), path and method (404, 405), policy (403), media type (400), then the
checks of the handler.
"""

from collections.abc import Callable, Iterable, Mapping

from dibs.access.lease_policy import LeasePolicy
from dibs.database.runner import Runner
from dibs.dialects.reservation import responses
from dibs.dialects.reservation.endpoints import Endpoint
from dibs.dialects.reservation.errors import Headers, Refusal, answer_refusal, refusal_of, unauthorized
from dibs.dialects.reservation.exchange import Exchange, Services
from dibs.dialects.reservation.microversions import HEADERS, check_version
from dibs.dialects.reservation.routes import ROUTES
from dibs.documents.json_schema import Schema
from dibs.errors import DibsError
from dibs.http.messages import Operation, Request, Response
from dibs.http.routing import Match, MethodNotAllowed, Router
from dibs.integrations.flavors import FindFlavor
from dibs.leases.model.access import require_in_own_project
from dibs.leases.model.dates import LeaseRules
from dibs.leases.model.enforcement import Enforcement

_ROUTER = Router(ROUTES)
_SUFFIX = ".json"
_NOT_FOUND = (
    "The requested URL was not found on the server. If you entered the URL manually please check your spelling and try"
    " again."
)


class Reservation:
    """Blazar's API."""

    mount = "/reservation"
    title = "Reservation"
    public_paths = frozenset({"/", "/versions", "/versions.json", "/v1", "/v1.json"})
    anonymous_is_admin = True
    strict_paths = False
    checks_media_types = True
    secret_nouns = frozenset[str]()

    def __init__(
        self,
        runner: Runner,
        *,
        wake: Callable[[], None],
        rules: LeaseRules,
        find_flavor: FindFlavor | None = None,
        enforcement: Enforcement | None = None,
        policy_file: str | None = None,
    ) -> None:
        self._services = Services(
            runner=runner,
            policy=LeasePolicy(policy_file),
            rules=rules,
            find_flavor=find_flavor,
            enforcement=enforcement,
            wake=wake,
        )

    @property
    def operations(self) -> Iterable[Operation]:
        """The rows of the routing table."""
        return ROUTES

    def answer(self, request: Request) -> Response:
        """See http.messages.Dialect."""
        try:
            response = self._handle(request)
        except Refusal as refusal:
            response = answer_refusal(refusal)
        except DibsError as error:
            response = answer_refusal(refusal_of(error))
        return Response(response.status, response.body, (*response.headers, *HEADERS))

    def refuse(self, request: Request | None, status: int, message: str, headers: Headers = ()) -> Response:
        """See http.messages.Dialect."""
        if status == 401:
            return unauthorized(message, headers)
        return answer_refusal(Refusal(status, message, headers, by_router=True))

    def error_content(self, status: int) -> Mapping[str, Schema]:
        """See http.messages.Dialect."""
        bodies = [responses.ERROR, responses.ROUTER_ERROR]
        return {"application/json": responses.UNAUTHORIZED if status == 401 else {"anyOf": bodies}}

    def _handle(self, request: Request) -> Response:
        check_version(request.headers)
        found = _find(request)
        endpoint = found.route.handler
        if endpoint.rule is not None:
            require_in_own_project(self._services.policy.access(request.actor), endpoint.rule)
        _check_media_type(request)
        return endpoint.handle(Exchange(request=request, arguments=found.arguments, services=self._services))


def _find(request: Request) -> Match[Endpoint]:
    """Return the route of a request. Quirk: every path may end in ``.json``."""
    found = _ROUTER.resolve(request.method, request.path.removesuffix(_SUFFIX) or "/")
    if isinstance(found, Match):
        return found
    if isinstance(found, MethodNotAllowed):
        message = "The method is not allowed for the requested URL."
        raise Refusal(405, message, (("Allow", ", ".join(found.allowed)),), by_router=True)
    raise Refusal(404, _NOT_FOUND, by_router=True)


def _check_media_type(request: Request) -> None:
    """Raise for a body that is not JSON. Quirk: 400 instead of 415, and the Accept header is ignored.

    Quirk not copied: Blazar accepts a body without a type, which is what a page of another site can send.
    """
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if request.body and sent != "application/json":
        raise Refusal(400, f"Content type '{sent}' isn't supported", by_router=True)
