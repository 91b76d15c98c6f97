"""One request in a handler, with everything that the handler may use."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.model.lifetimes import LifetimeRules
from dibs.allocations.operations.intake import AllocationIntake
from dibs.database.runner import Runner
from dibs.dialects.baremetal.errors import bad_request
from dibs.dialects.baremetal.query import Query
from dibs.dialects.baremetal.schemas import Schema
from dibs.documents.json_body import UnusableJson, read_json
from dibs.http.exchange import AnyExchange, Headers, empty_answer, json_answer
from dibs.http.messages import Response
from dibs.machines.model.driver import Driver
from dibs.machines.model.patching.values import check_schema

__all__ = ["Exchange", "Handler", "Headers", "HoldTimes", "Services", "empty_answer", "json_answer"]


class HoldTimes(Struct, frozen=True, kw_only=True):
    """How many seconds a reservation lasts: by default and at most."""

    default: float = 300
    longest: float = 3600


class Services(Struct, frozen=True, kw_only=True):
    """The objects that the wiring passes to the dialect."""

    runner: Runner
    drivers: Mapping[str, Driver]
    policy: MachinePolicy
    wake: Callable[[], None]
    """Wakes the conductor of this process for new work."""
    intake: AllocationIntake
    """Accepts allocations and hands them to a conductor."""
    hold_times: HoldTimes
    lifetime_rules: LifetimeRules
    """What the operator decides about the ends of allocations."""


class Exchange(AnyExchange[Services], frozen=True, kw_only=True):
    """One request, its version and its path arguments."""

    minor: int
    query: Query

    @property
    def has_body(self) -> bool:
        """Return False also for the empty bodies that some clients send with GET and DELETE."""
        return self.request.body.strip() not in (b"", b"{}", b"null")

    def body(self, name: str, schema: Schema) -> Any:
        """Return the checked body. Quirk: as in Ironic, no body is an empty object (contract samples 039, 123)."""
        value: Any = {}
        if self.has_body:
            try:
                value = read_json(self.request.body)
            except UnusableJson as error:
                raise bad_request(f"{name}: {error}") from None
        check_schema(schema, name, value)
        return value

    def url(self, *parts: str) -> str:
        """Return the URL of a resource below the version."""
        return "/".join((self.request.base_url, "v1", *parts))

    def links(self, *parts: str) -> list[dict[str, str]]:
        """Return the two links that every resource has; the bookmark has no version."""
        bookmark = "/".join((self.request.base_url, *parts))
        return [{"href": self.url(*parts), "rel": "self"}, {"href": bookmark, "rel": "bookmark"}]


Handler = Callable[[Exchange], Response]
