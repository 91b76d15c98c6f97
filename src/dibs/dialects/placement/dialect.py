"""The dialect as the HTTP shell sees it: it takes a request and returns a response.

The checks have the order of the original: version (406, 400), a body without a content type (400), path and method
(404, 405), version of the path (404, 405), media types (415, 406), policy (403), and then those of the handler.
"""

from collections.abc import Iterable, Mapping

from dibs.access.actor import Actor
from dibs.access.placement_policy import PlacementPolicy
from dibs.access.request_id import REQUEST_ID
from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.database.runner import Clock, Runner
from dibs.dialects.placement import responses
from dibs.dialects.placement.endpoints import Endpoint
from dibs.dialects.placement.errors import Headers, Refusal, bad_request, error_answer, refusal_of, unauthorized
from dibs.dialects.placement.exchange import DEFAULT_RULES, CandidateRules, Exchange, Services
from dibs.dialects.placement.handlers.candidate_query import read_query
from dibs.dialects.placement.microversions import HEADER, MAXIMUM, SERVICE_TYPE, choose_minor, version_text
from dibs.dialects.placement.query import Query
from dibs.dialects.placement.routes import ROUTES
from dibs.documents.json_schema import Schema
from dibs.documents.schema_parts import TEXT
from dibs.errors import BadValue, DibsError
from dibs.http.messages import Operation, Request, Response
from dibs.http.negotiation import preferred
from dibs.http.routing import Match, MethodNotAllowed, NotInVersion, Router
from dibs.ledger.model.access import LIST_CANDIDATES, require

_ROUTER = Router(ROUTES)
_JSON = "application/json"


class Placement:
    """Placement's API."""

    mount = "/placement"
    title = "Placement"
    public_paths = frozenset({"/"})
    anonymous_is_admin = False
    strict_paths = True
    checks_media_types = True
    secret_nouns = frozenset[str]()

    def __init__(
        self,
        runner: Runner,
        clock: Clock,
        *,
        policy_file: str | None = None,
        legacy_rules: bool = False,
        enforce_scope: bool = False,
        candidates: CandidateRules = DEFAULT_RULES,
    ) -> None:
        policy = PlacementPolicy(policy_file, legacy_rules=legacy_rules, enforce_scope=enforce_scope)
        self._services = Services(runner=runner, clock=clock, policy=policy, candidates=candidates)

    def read_candidate_query(self, actor: Actor, parameters: Iterable[tuple[str, str]]) -> CandidateQuery:
        """Return a query for candidates in the newest version, for an actor that may list candidates.

        The native dialect explains such queries. It knows neither the parameters nor the policy of this one, so the
        errors are domain errors: Forbidden and BadValue.
        """
        require(self._services.policy.access(actor), LIST_CANDIDATES)
        try:
            return read_query(Query(parameters), MAXIMUM[1], nested=True)
        except Refusal as refusal:
            raise BadValue(reason=str(refusal)) from None

    @property
    def operations(self) -> Iterable[Operation]:
        """The rows of the routing table."""
        return ROUTES

    def answer(self, request: Request) -> Response:
        """See http.messages.Dialect."""
        minor: int | None = None
        try:
            minor = choose_minor(request.headers)
            response = self._handle(request, minor)
        except Refusal as refusal:
            response = _refused(refusal, request, minor)
        except DibsError as error:
            response = _refused(refusal_of(error), request, minor)
        return _with_version(response, minor)

    def refuse(self, request: Request | None, status: int, message: str, headers: Headers = ()) -> Response:
        """See http.messages.Dialect."""
        if status == 401:
            return unauthorized(message, request.headers.get("accept", "") if request else "", headers)
        return _refused(Refusal(status, message, headers=headers), request, None)

    def error_content(self, status: int) -> Mapping[str, Schema]:
        """See http.messages.Dialect."""
        body = responses.UNAUTHORIZED if status == 401 else responses.ERROR
        return {_JSON: body, "text/html": TEXT, "text/plain": TEXT}

    def _handle(self, request: Request, minor: int) -> Response:
        if request.body and not request.headers.get("content-type"):
            raise bad_request("content-type header required when content-length > 0")
        found = _find(request, minor)
        endpoint = found.route.handler
        _check_media_types(request, endpoint)
        exchange = Exchange(
            request=request,
            minor=minor,
            arguments=found.arguments,
            query=Query(request.query),
            services=self._services,
        )
        if endpoint.rule is not None:
            exchange.require(endpoint.rule)
        return endpoint.handle(exchange)


def _find(request: Request, minor: int) -> Match[Endpoint]:
    found = _ROUTER.resolve(request.method, request.path, minor)
    if isinstance(found, Match):
        return found
    if isinstance(found, NotInVersion):
        raise Refusal(found.routes[0].handler.too_old)
    if isinstance(found, MethodNotAllowed):
        newest = _ROUTER.resolve(request.method, request.path)
        allowed = newest.allowed if isinstance(newest, MethodNotAllowed) else found.allowed
        message = "The method specified is not allowed for this resource."
        raise Refusal(405, message, headers=(("Allow", ", ".join(allowed)),))
    raise Refusal(404)


def _check_media_types(request: Request, endpoint: Endpoint) -> None:
    if endpoint.takes_json:
        sent = request.headers.get("content-type", "").partition(";")[0].strip().lower() or None
        if sent != _JSON:
            raise Refusal(415, f"The media type {sent} is not supported, use {_JSON}")
    accept = request.headers.get("accept")
    if endpoint.gives_json and accept and preferred(accept, (_JSON,)) is None:
        raise Refusal(406, f"Only {_JSON} is provided")


def _refused(refusal: Refusal, request: Request | None, minor: int | None) -> Response:
    if request is None:
        return error_answer(refusal, request_id=REQUEST_ID.get())
    return error_answer(
        refusal,
        method=request.method,
        accept=request.headers.get("accept", ""),
        request_id=request.request_id,
        minor=minor,
    )


def _with_version(response: Response, minor: int | None) -> Response:
    if minor is None:
        return response
    version = ((HEADER, f"{SERVICE_TYPE} {version_text(minor)}"), ("Vary", HEADER.lower()))
    return Response(response.status, response.body, (*response.headers, *version))
