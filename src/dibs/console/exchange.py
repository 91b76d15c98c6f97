"""One request in a view, with everything that the view may use."""

import hashlib
import hmac
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote, urlencode

from msgspec import Struct

from dibs.access.access import SERVICE, Access
from dibs.access.actor import Actor
from dibs.access.lease_policy import LeasePolicy
from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.model.lifetimes import LifetimeRules
from dibs.allocations.operations.intake import AllocationIntake
from dibs.console import pages, times
from dibs.console.errors import Refusal
from dibs.console.live import Changes
from dibs.console.times import Zone
from dibs.database.runner import Clock, Operation, Runner
from dibs.events.operations.listing import count_events
from dibs.http.auth.sessions import SignIn, SiteKey, read_cookie
from dibs.http.messages import Request, Response
from dibs.integrations.flavors import FindFlavor
from dibs.leases.model.dates import LeaseRules
from dibs.leases.model.enforcement import Enforcement

Command = TypeVar("Command")
Result = TypeVar("Result")

CSRF_FIELD = "csrf"
FORM_TYPE = "application/x-www-form-urlencoded"
FIELDS_MAX = 1_100
"""The fields of a form: a little more than the nodes of the largest page."""


class Services(Struct, frozen=True, kw_only=True):
    """The services that the wiring passes to the console."""

    runner: Runner
    clock: Clock
    machine_policy: MachinePolicy
    lease_policy: LeasePolicy
    lease_rules: LeaseRules
    """The limits that the operator sets for leases."""
    lifetime_rules: LifetimeRules
    """What the operator decides about the ends of allocations."""
    find_flavor: FindFlavor | None
    """Looks up the flavors that an external compute service keeps; None when Dibs keeps them."""
    enforcement: Enforcement | None
    """Approves new and changed leases; None when the site has no enforcement service."""
    intake: AllocationIntake
    wake: Callable[[], None]
    changes: Changes
    """Tells open pages that something has changed."""
    sign_in: SignIn
    site_key: SiteKey


class Exchange:
    """One request and its path arguments."""

    def __init__(self, request: Request, services: Services, arguments: Mapping[str, str]) -> None:
        self.request = request
        self.services = services
        self.arguments = arguments

    @property
    def actor(self) -> Actor:
        """The user of the session."""
        return self.request.actor

    @cached_property
    def now(self) -> int:
        """The time of the request, one for the whole page."""
        return self.services.clock()

    @cached_property
    def machines(self) -> Access:
        """The user with the policy of nodes and allocations."""
        return self.services.machine_policy.access(self.actor)

    @cached_property
    def leases(self) -> Access:
        """The user with the policy of leases and hosts."""
        return self.services.lease_policy.access(self.actor)

    @cached_property
    def cookie(self) -> str:
        """The cookie of the session; empty without one."""
        return read_cookie(self.request.headers)

    @cached_property
    def zone(self) -> Zone:
        """The time zone of the browser."""
        return Zone.named(unquote(read_cookie(self.request.headers, times.ZONE_COOKIE)))

    @property
    def is_part(self) -> bool:
        """Whether htmx asks for a part of a page."""
        return self.request.headers.get("hx-request") == "true"

    @cached_property
    def query(self) -> dict[str, str]:
        """The parameters of the URL; the last of equal names counts."""
        return {name: value.strip() for name, value in self.request.query}

    @cached_property
    def fields(self) -> list[tuple[str, str]]:
        """The fields of the form, checked to come from a page of this session."""
        sent = self.request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if self.request.body and sent != FORM_TYPE:
            raise Refusal(415, f"Send the form as {FORM_TYPE}.")
        try:
            found = parse_qsl(
                self.request.body.decode(), keep_blank_values=True, errors="strict", max_num_fields=FIELDS_MAX
            )
        except ValueError:
            raise Refusal(400, "The form cannot be read.") from None
        if any("\0" in value for _, value in found):
            raise Refusal(400, "The form contains a NUL character.")
        return found

    @cached_property
    def form(self) -> dict[str, str]:
        """The fields of the form by name; the last of equal names counts."""
        return {name: value.strip() for name, value in self.fields}

    @cached_property
    def csrf(self) -> str:
        """The token that each form of this session carries."""
        return hmac.new(self.services.site_key(), f"csrf {self.cookie}".encode(), hashlib.sha256).hexdigest()

    def check_form(self) -> None:
        """Raise Refusal unless a page of this session sent the form."""
        origin = self.request.headers.get("origin")
        if origin is not None and origin != self.request.base_url.removesuffix("/console"):
            raise Refusal(403, "This form was sent by a page of another site.")
        if not hmac.compare_digest(self.form.get(CSRF_FIELD, "").encode(), self.csrf.encode()):
            raise Refusal(403, "This form is out of date. Go back, reload the page and try again.")

    def count_changes(self) -> int:
        """Return how many changes there were. A page reads it first: its stream of changes begins there."""
        return self.read(count_events, SERVICE, None)

    def read(self, operation: Operation[Command, Result], access: Access, command: Command) -> Result:
        """Run an operation that changes nothing."""
        return self.services.runner.read(operation, access, command)

    def write(self, operation: Operation[Command, Result], access: Access, command: Command) -> Result:
        """Run an operation in a transaction of its own, and let the conductor of this process continue."""
        result = self.services.runner.write(operation, access, command)
        self.services.wake()
        return result

    def page(self, template: str, status: int = 200, **context: Any) -> Response:
        """Render a template with what every page shows."""
        return pages.page_response(status, pages.render(template, {**self._frame(), **context}))

    def url(self, path: str, **parameters: str | int | None) -> str:
        """Return the URL of a page of the console."""
        given = {name: value for name, value in parameters.items() if value not in (None, "")}
        return f"/console{path}" + (f"?{urlencode(given)}" if given else "")

    def _frame(self) -> dict[str, Any]:
        sign_in = self.services.sign_in
        return {
            "exchange": self,
            "names": sign_in.names(self.cookie, self.actor),
            "signed_in": self.actor.user is not None,
            "sign_in": sign_in,
            "here": self.request.path,
            "csrf": self.csrf,
            "zone": self.zone,
            "now": self.now,
            "times": times,
            "url": self.url,
        }


View = Callable[[Exchange], Response]
