"""One request in a handler, with everything that the handler may use."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct

from dibs.access.actor import Actor
from dibs.access.lease_policy import LeasePolicy
from dibs.access.machine_policy import MachinePolicy
from dibs.allocations.model.lifetimes import LifetimeRules
from dibs.allocations.operations.intake import AllocationIntake
from dibs.candidates.model.candidate_query import CandidateQuery
from dibs.database.runner import Runner
from dibs.dialects.native.errors import Refusal
from dibs.dialects.native.feed import EventFeed
from dibs.dialects.native.times import read_time
from dibs.documents.json_body import UnusableJson, read_json
from dibs.documents.json_schema import Schema, find_mistake
from dibs.http.exchange import AnyExchange, json_answer
from dibs.http.messages import Response
from dibs.integrations.flavors import FindFlavor
from dibs.leases.model.dates import LeaseRules
from dibs.webhooks.model.targets import TargetRules

ReadCandidates = Callable[[Actor, Iterable[tuple[str, str]]], CandidateQuery]

__all__ = ["Exchange", "Handler", "ReadCandidates", "Services", "json_answer", "next_url", "read_moment"]


class Services(Struct, frozen=True, kw_only=True):
    """The services that the wiring passes to the dialect."""

    runner: Runner
    policy: MachinePolicy
    lease_policy: LeasePolicy
    lease_rules: LeaseRules
    """The limits that the operator sets for leases."""
    lifetime_rules: LifetimeRules
    """What the operator decides about the ends of allocations."""
    read_candidates: ReadCandidates
    """Reads a query for allocation candidates as Placement's API takes it; raises for a caller that may not ask."""
    find_flavor: FindFlavor | None
    """Looks up the flavors that an external compute service keeps; None when Dibs keeps them."""
    feed: EventFeed
    """The event streams of this process."""
    webhook_targets: TargetRules
    """The addresses that webhooks may reach."""
    intake: AllocationIntake
    wake: Callable[[], None]


class Exchange(AnyExchange[Services], frozen=True, kw_only=True):
    """One request and its path arguments."""

    def body(self, schema: Schema) -> Any:
        """Return the body, checked against the schema; no body is an empty object."""
        try:
            value = read_json(self.request.body) if self.request.body.strip() else {}
        except UnusableJson as error:
            raise Refusal(400, str(error)) from None
        mistake = find_mistake(schema, value)
        if mistake is not None:
            raise Refusal(400, f"Invalid request body: {mistake}")
        return value

    def query(self, schemas: Mapping[str, Schema]) -> dict[str, str]:
        """Return the query parameters, checked; each must be known and given once."""
        found: dict[str, str] = {}
        for name, value in self.request.query:
            if name not in schemas or name in found:
                raise Refusal(400, f"The query parameter {name} is unknown, or given twice.")
            mistake = find_mistake(schemas[name], value)
            if mistake is not None:
                raise Refusal(400, f"Invalid query parameter {name}: {mistake}")
            found[name] = value
        return found


def read_moment(asked: Mapping[str, str], name: str) -> int | None:
    """Return the time that a query parameter gives; None when it is not given."""
    try:
        return read_time(asked[name]) if name in asked else None
    except ValueError:
        raise Refusal(400, f"The query parameter {name} is not a valid ISO 8601 timestamp: {asked[name]}") from None


def next_url(exchange: Exchange, asked: Mapping[str, str], limit: int, last: str) -> str:
    """Return the URL of the page after the one that ends with the marker ``last``."""
    query = urlencode({**asked, "limit": limit, "marker": last})
    return f"{exchange.request.base_url}{exchange.request.path}?{query}"


Handler = Callable[[Exchange], Response]
