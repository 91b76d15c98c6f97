"""The entry point of the dialect: a request comes in, a response goes out."""

from collections.abc import Callable, Iterable, Mapping

from dibs.access.compute_policy import ComputePolicy
from dibs.database.runner import Runner
from dibs.dialects.compute.endpoints import Endpoint
from dibs.dialects.compute.errors import Headers, Refusal, answer_domain_error, error_answer
from dibs.dialects.compute.exchange import Exchange, Services
from dibs.dialects.compute.microversions import HEADER, LEGACY_HEADER, SERVICE_TYPE, choose_minor, version_text
from dibs.dialects.compute.responses import error_body
from dibs.dialects.compute.routes import ROUTES
from dibs.documents.json_schema import Schema
from dibs.errors import DibsError
from dibs.http.messages import Operation, Request, Response
from dibs.http.routing import Match, MethodNotAllowed, Router

_ROUTER = Router(ROUTES)


class Compute:
    """Nova's API."""

    mount = "/compute"
    title = "Compute"
    public_paths = frozenset({"/", "/v2.1", "/image", "/image/v2", "/identity", "/identity/v3"})
    anonymous_is_admin = True
    strict_paths = False
    checks_media_types = False
    secret_nouns = frozenset[str]()

    def __init__(
        self,
        runner: Runner,
        *,
        wake: Callable[[], None],
        policy_file: str | None = None,
    ) -> None:
        self._services = Services(runner=runner, policy=ComputePolicy(policy_file), wake=wake)

    @property
    def operations(self) -> Iterable[Operation]:
        """Every row of the routing table."""
        return ROUTES

    def answer(self, request: Request) -> Response:
        """See http.messages.Dialect."""
        minor: int | None = None
        try:
            minor = choose_minor(request.headers)
            response = self._handle(request, minor)
        except Refusal as refusal:
            response = error_answer(refusal.status, str(refusal), refusal.headers)
        except DibsError as error:
            response = answer_domain_error(error)
        return _with_version(response, minor)

    def refuse(self, request: Request | None, status: int, message: str, headers: Headers = ()) -> Response:
        """See http.messages.Dialect."""
        return error_answer(status, message, headers)

    def error_content(self, status: int) -> Mapping[str, Schema]:
        """See http.messages.Dialect."""
        return {"application/json": error_body(status)}

    def _handle(self, request: Request, minor: int) -> Response:
        endpoint, arguments = _find(request, minor)
        exchange = Exchange(request=request, minor=minor, arguments=arguments, services=self._services)
        if endpoint.rule is not None:
            exchange.require(endpoint.rule)
        return endpoint.handle(exchange)


def _find(request: Request, minor: int) -> tuple[Endpoint, Mapping[str, str]]:
    found = _ROUTER.resolve(request.method, request.path, minor)
    if isinstance(found, Match):
        return found.route.handler, found.arguments
    if isinstance(found, MethodNotAllowed):
        message = "The method specified is not allowed for this resource."
        raise Refusal(405, message, (("Allow", ", ".join(found.allowed)),))
    raise Refusal(404, "The resource could not be found.")


def _with_version(response: Response, minor: int | None) -> Response:
    if minor is None:
        return response
    version = version_text(minor)
    version_headers = (
        (HEADER, f"{SERVICE_TYPE} {version}"),
        (LEGACY_HEADER, version),
        ("Vary", f"{HEADER}, {LEGACY_HEADER}"),
    )
    return Response(response.status, response.body, (*response.headers, *version_headers))
