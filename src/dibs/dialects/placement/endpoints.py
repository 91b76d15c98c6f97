"""The three kinds of rows that the routing table has."""

from collections.abc import Mapping
from dataclasses import dataclass

from dibs.dialects.placement.exchange import Handler
from dibs.dialects.placement.schemas import Schema
from dibs.http.routing import Route

OK = {200: "As asked for."}
DONE = {204: "Done."}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """What a row leads to, and what is checked before."""

    handle: Handler
    rule: str | None
    """The rule that must allow it; None when everybody may, or when the handler itself asks."""
    takes_json: bool = False
    gives_json: bool = False
    too_old: int = 404
    """The status for a version before the first."""


def reads(
    path: str,
    handle: Handler,
    rule: str | None,
    summary: str,
    *,
    since: int = 0,
    query: Mapping[str, Schema] | None = None,
) -> Route[Endpoint]:
    """A GET that answers JSON."""
    return Route(
        method="GET",
        path=path,
        handler=Endpoint(handle=handle, rule=rule, gives_json=True),
        summary=summary,
        since=since,
        query=query or {},
        statuses=OK,
    )


def takes(
    method: str,
    path: str,
    handle: Handler,
    rule: str,
    summary: str,
    *,
    body: Schema,
    statuses: Mapping[int, str] = OK,
    since: int = 0,
    until: int | None = None,
) -> Route[Endpoint]:
    """A request with a JSON body; ``body`` is its newest schema."""
    return Route(
        method=method,
        path=path,
        handler=Endpoint(handle=handle, rule=rule, takes_json=True),
        summary=summary,
        since=since,
        until=until,
        body=body,
        statuses=statuses,
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
    """A request without a body that gets none back."""
    return Route(
        method=method,
        path=path,
        handler=Endpoint(handle=handle, rule=rule, too_old=too_old),
        summary=summary,
        since=since,
        until=until,
        statuses=statuses,
    )
