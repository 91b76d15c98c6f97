"""The three kinds of rows of the routing table."""

from collections.abc import Collection, Mapping

from msgspec import Struct

from dibs.dialects.placement.exchange import Handler
from dibs.dialects.placement.schemas import Schema
from dibs.http.routing import Route

OK = {200: "Success."}
DONE = {204: "Success, without a body."}


class Endpoint(Struct, frozen=True, kw_only=True):
    """A handler, and the checks before it."""

    handle: Handler
    rule: str | None
    """The rule that must grant the request; None for a public path, or when the handler checks the rule itself."""
    takes_json: bool = False
    gives_json: bool = False
    too_old: int = 404
    """The status of a request with a version before the first."""


def reads(
    path: str,
    handle: Handler,
    rule: str | None,
    summary: str,
    *,
    answer: Schema,
    since: int = 0,
    query: Mapping[str, Schema] | None = None,
    required_query: Collection[str] = (),
) -> Route[Endpoint]:
    """Return the row of a GET that answers with JSON."""
    return Route(
        method="GET",
        path=path,
        handler=Endpoint(handle=handle, rule=rule, gives_json=True),
        summary=summary,
        since=since,
        query=query or {},
        required_query=required_query,
        statuses=OK,
        answer=answer,
    )


def takes(
    method: str,
    path: str,
    handle: Handler,
    rule: str,
    summary: str,
    *,
    body: Schema,
    answer: Schema | None = None,
    statuses: Mapping[int, str] = OK,
    since: int = 0,
    until: int | None = None,
) -> Route[Endpoint]:
    """Return the row of a request with a JSON body; ``body`` is its newest schema."""
    return Route(
        method=method,
        path=path,
        handler=Endpoint(handle=handle, rule=rule, takes_json=True),
        summary=summary,
        since=since,
        until=until,
        body=body,
        statuses=statuses,
        answer=answer,
        refusals=(415,),
    )


def acts(
    method: str,
    path: str,
    handle: Handler,
    rule: str,
    summary: str,
    *,
    statuses: Mapping[int, str] = DONE,
    since: int = 0,
    until: int | None = None,
    too_old: int = 404,
) -> Route[Endpoint]:
    """Return the row of a request without a body, whose response has none either."""
    return Route(
        method=method,
        path=path,
        handler=Endpoint(handle=handle, rule=rule, too_old=too_old),
        summary=summary,
        since=since,
        until=until,
        statuses=statuses,
        refusals=(too_old,) if since else (),
    )
