"""The dialect as the HTTP shell sees it: from request to response."""

from collections.abc import Callable, Iterable, Mapping

from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.model.lifetimes import LifetimeRules
from dibs.allocations.operations.intake import AllocationIntake, LocalIntake
from dibs.database.runner import Runner
from dibs.dialects.baremetal.endpoints import Endpoint, TooOld
from dibs.dialects.baremetal.errors import (
    ERROR_BODY,
    Headers,
    Refusal,
    answer_domain_error,
    fault,
    framework_fault,
    not_acceptable,
)
from dibs.dialects.baremetal.exchange import Exchange, HoldTimes, Services
from dibs.dialects.baremetal.left_out import why_left_out
from dibs.dialects.baremetal.microversions import HEADER, LIMITS, MINIMUM, choose_minor
from dibs.dialects.baremetal.query import Query
from dibs.dialects.baremetal.routes import ROUTES
from dibs.documents.json_schema import Schema
from dibs.errors import DibsError
from dibs.http.messages import Operation, Request, Response
from dibs.http.routing import Match, MethodNotAllowed, NotInVersion, Router
from dibs.machines.model.driver import Driver

_ROUTER = Router(ROUTES)


class Baremetal:
    """Ironic's API."""

    mount = "/baremetal"
    title = "Bare metal"
    public_paths = frozenset({"/", "/v1"})
    anonymous_is_admin = True
    strict_paths = False
    checks_media_types = False
    secret_nouns = frozenset({"reservations"})

    def __init__(
        self,
        runner: Runner,
        drivers: Mapping[str, Driver],
        *,
        wake: Callable[[], None],
        intake: AllocationIntake | None = None,
        lifetime_rules: LifetimeRules | None = None,
        policy_file: str | None = None,
        hold_times: HoldTimes | None = None,
    ) -> None:
        self._services = Services(
            runner=runner,
            drivers=drivers,
            policy=MachinePolicy(policy_file),
            wake=wake,
            intake=intake or LocalIntake(runner, wake),
            hold_times=hold_times or HoldTimes(),
            lifetime_rules=lifetime_rules or LifetimeRules(),
        )

    @property
    def operations(self) -> Iterable[Operation]:
        """Every row of the routing table."""
        return ROUTES

    def answer(self, request: Request) -> Response:
        """See http.messages.Dialect."""
        minor: int | None = None
        try:
            minor = _minor_of(request)
            response = self._handle(request, minor)
        except Refusal as refusal:
            response = refusal.response
        except DibsError as error:
            response = answer_domain_error(error)
        return _with_versions(response, minor)

    def refuse(self, request: Request | None, status: int, message: str, headers: Headers = ()) -> Response:
        """See http.messages.Dialect."""
        return _with_versions(framework_fault(status, message, headers), None)

    def error_content(self, status: int) -> Mapping[str, Schema]:
        """See http.messages.Dialect."""
        return {"application/json": ERROR_BODY}

    def _handle(self, request: Request, minor: int) -> Response:
        path = _with_version(request.path)
        found = _ROUTER.resolve(request.method, path, minor)
        if isinstance(found, Match):
            query = Query(request.query, found.route.query)
            exchange = Exchange(
                request=request, minor=minor, arguments=found.arguments, query=query, services=self._services
            )
            return found.route.handler.handle(exchange)
        if isinstance(found, NotInVersion):
            return _too_old(found)
        if isinstance(found, MethodNotAllowed):
            return _not_allowed(found.allowed)
        return framework_fault(404, why_left_out(path))


def _minor_of(request: Request) -> int:
    """Return the minor version of a request; the root page ignores it, because clients learn the versions there."""
    return MINIMUM[1] if request.path == "/" else choose_minor(request.headers)


def _with_version(path: str) -> str:
    """Return the path with the version, which bookmark links do not have; as in Ironic, it is optional."""
    return path if path == "/" or path == "/v1" or path.startswith("/v1/") else f"/v1{path}"


def _too_old(found: NotInVersion[Endpoint]) -> Response:
    endpoint = found.routes[0].handler
    if endpoint.too_old_message is not None:
        return fault(404 if endpoint.too_old is TooOld.NOT_FOUND else 405, endpoint.too_old_message)
    match endpoint.too_old:
        case TooOld.NOT_SUPPORTED:
            return fault(404, "The API is not supported for this version")
        case TooOld.NOT_ACCEPTABLE:
            return not_acceptable().response
        case TooOld.NOT_ALLOWED:
            return _not_allowed(found.allowed)
        case TooOld.NOT_FOUND:
            return framework_fault(404)


def _not_allowed(methods: tuple[str, ...]) -> Response:
    return framework_fault(405, headers=(("Allow", ", ".join(methods)),))


def _with_versions(response: Response, minor: int | None) -> Response:
    used = () if minor is None else ((HEADER, f"{MINIMUM[0]}.{minor}"),)
    return Response(response.status, response.body, (*response.headers, *LIMITS, *used))
