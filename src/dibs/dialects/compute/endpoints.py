"""The rows of the routing table: a handler, its policy rule, and its description."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from dibs.dialects.compute.exchange import Handler
from dibs.dialects.compute.schemas import Schema
from dibs.http.routing import Route

OK = {200: "Done."}
_API = "os_compute_api:"


class Endpoint(Struct, frozen=True):
    """The handler of a route, and the rule that it needs."""

    handle: Handler
    rule: str | None = None
    """The rule that must allow it in the caller's own project; None when every caller may, or the handler checks."""


def route(
    method: str,
    path: str,
    handle: Handler,
    summary: str,
    rule: str | None = None,
    *,
    since: int = 1,
    until: int | None = None,
    body: Schema | None = None,
    query: Mapping[str, Mapping[str, Any]] | None = None,
    statuses: Mapping[int, str] = OK,
    answer: Schema | None = None,
) -> Route[Endpoint]:
    """Return a row; ``rule`` is without the prefix of all rules, ``answer`` the schema of the body of a success."""
    return Route(
        method=method,
        path=path,
        handler=Endpoint(handle, None if rule is None else _API + rule),
        summary=summary,
        since=since,
        until=until,
        body=body,
        query=query or {},
        statuses=statuses,
        answer=answer,
    )
