"""The dialect as ``dibs.http`` sees it: a request comes in, an answer goes out."""

from collections.abc import Callable, Iterable, Mapping

from dibs.access.lease_policy import LeasePolicy
from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.model.lifetimes import LifetimeRules
from dibs.allocations.operations.intake import AllocationIntake
from dibs.calendars.model.calendars import FEEDS_PREFIX
from dibs.database.runner import Runner
from dibs.dialects.native import responses
from dibs.dialects.native.errors import Headers, Refusal, answer_domain_error, error_answer
from dibs.dialects.native.events import message_of
from dibs.dialects.native.exchange import Exchange, ReadCandidates, Services
from dibs.dialects.native.feed import EventFeed
from dibs.dialects.native.handlers import feeds
from dibs.dialects.native.routes import ROUTES
from dibs.documents.json_schema import Schema
from dibs.errors import DibsError
from dibs.http.messages import Operation, Request, Response
from dibs.http.routing import Match, MethodNotAllowed, Router
from dibs.integrations.flavors import FindFlavor
from dibs.leases.model.dates import LeaseRules
from dibs.webhooks.model.targets import TargetRules

_ROUTER = Router(ROUTES)


class _PublicPaths:
    """The discovery documents, and the feeds of calendars, whose paths contain their credential."""

    def __contains__(self, path: object) -> bool:
        return path in ("/", "/v1") or (isinstance(path, str) and path.startswith(FEEDS_PREFIX))


class Native:
    """Dibs' own API."""

    mount = "/dibs"
    title = "Dibs"
    public_paths = _PublicPaths()
    anonymous_is_admin = True
    strict_paths = False
    checks_media_types = False
    secret_nouns = frozenset({feeds.NOUN})

    def __init__(
        self,
        runner: Runner,
        *,
        intake: AllocationIntake,
        wake: Callable[[], None],
        read_candidates: ReadCandidates,
        lease_rules: LeaseRules | None = None,
        find_flavor: FindFlavor | None = None,
        lifetime_rules: LifetimeRules | None = None,
        webhook_targets: TargetRules | None = None,
        policy_file: str | None = None,
    ) -> None:
        self._services = Services(
            runner=runner,
            feed=EventFeed(runner, message_of),
            policy=MachinePolicy(policy_file),
            lease_policy=LeasePolicy(policy_file),
            lease_rules=lease_rules or LeaseRules(),
            lifetime_rules=lifetime_rules or LifetimeRules(),
            read_candidates=read_candidates,
            find_flavor=find_flavor,
            webhook_targets=webhook_targets or TargetRules(),
            intake=intake,
            wake=wake,
        )

    @property
    def operations(self) -> Iterable[Operation]:
        """Every row of the routing table."""
        return ROUTES

    def answer(self, request: Request) -> Response:
        """See http.messages.Dialect."""
        try:
            return self._handle(request)
        except Refusal as refusal:
            return error_answer(refusal.status, str(refusal), refusal.headers)
        except DibsError as error:
            return answer_domain_error(error)

    def refuse(self, request: Request | None, status: int, message: str, headers: Headers = ()) -> Response:
        """See http.messages.Dialect."""
        return error_answer(status, message, headers)

    def error_content(self, status: int) -> Mapping[str, Schema]:
        """See http.messages.Dialect."""
        return {"application/json": responses.ERROR}

    def _handle(self, request: Request) -> Response:
        found = _ROUTER.resolve(request.method, request.path)
        if isinstance(found, Match):
            return found.route.handler(Exchange(request=request, arguments=found.arguments, services=self._services))
        if isinstance(found, MethodNotAllowed):
            allowed = ", ".join(found.allowed)
            raise Refusal(405, f"{request.path} allows only {allowed}.", (("allow", allowed),))
        raise Refusal(404, f"{request.path} does not exist.")
