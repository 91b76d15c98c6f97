"""One request in a handler, with everything that the handler may use."""

from collections.abc import Callable
from email.utils import formatdate
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from dibs.access.placement_policy import PlacementPolicy
from dibs.database.runner import Clock, Runner
from dibs.dialects.placement.errors import bad_request
from dibs.dialects.placement.query import Query
from dibs.dialects.placement.schemas import Schema, check
from dibs.documents.json_body import UnusableJson, read_json
from dibs.http import exchange as http_exchange
from dibs.http.exchange import AnyExchange, Headers
from dibs.http.messages import Response
from dibs.ledger.model.access import require

CACHE_HEADERS_SINCE = 15


class CandidateRules(Struct, frozen=True, kw_only=True):
    """What an operator decides about allocation candidates."""

    randomize: bool = False
    breadth_first: bool = False
    """True for one candidate of each tree in turn."""
    count_max: int | None = None
    """The largest number in an answer; None: no maximum."""


DEFAULT_RULES = CandidateRules()


class Services(Struct, frozen=True, kw_only=True):
    """The services that the wiring passes to the dialect."""

    runner: Runner
    clock: Clock
    policy: PlacementPolicy
    candidates: CandidateRules = DEFAULT_RULES


class Exchange(AnyExchange[Services], frozen=True, kw_only=True):
    """One request, its version and its path arguments."""

    minor: int
    query: Query

    def require(self, rule: str, project: str | None = None) -> None:
        """Raise Forbidden unless the policy lets the caller do this to the objects of a project, by default its own."""
        require(self.access, rule, project)

    def now(self) -> int:
        """Return the time, as the modification time of documents that have none of their own."""
        return self.services.clock()

    def body(self, schema: Schema) -> Any:
        """Return the JSON body; raise a refusal unless it matches the schema."""
        try:
            value = read_json(self.request.body)
        except UnusableJson as error:
            raise bad_request(f"Malformed JSON: {error}") from None
        check(schema, value, "JSON does not validate: ")
        return value

    def path(self, *parts: str) -> str:
        """Return the path of a resource for links: from the root of the server, with the mount."""
        return "/".join((urlsplit(self.request.base_url).path, *parts))

    def location(self, *parts: str) -> Headers:
        """Return the Location header of a new resource."""
        return (("Location", "/".join((self.request.base_url, *parts))),)


Handler = Callable[[Exchange], Response]


def json_answer(
    exchange: Exchange, document: Any, *, modified: int | None, status: int = 200, headers: Headers = ()
) -> Response:
    """Return a response with a body. ``modified`` is the time of the last change that it shows; None if unknown."""
    caching = _caching(modified) if exchange.minor >= CACHE_HEADERS_SINCE else ()
    return http_exchange.json_answer(document, status, (*caching, *headers))


def empty_answer(
    exchange: Exchange, status: int = 204, *, modified: int | None = None, headers: Headers = ()
) -> Response:
    """Return a response without a body; it has caching headers only if ``modified`` is given."""
    cached = modified is not None and exchange.minor >= CACHE_HEADERS_SINCE
    return http_exchange.empty_answer(status, (*(_caching(modified) if cached else ()), *headers))


def _caching(modified: int | None) -> Headers:
    changed = () if modified is None else (("Last-Modified", formatdate(modified / 1_000_000, usegmt=True)),)
    return (*changed, ("Cache-Control", "no-cache"))
