"""The rows of the routing table: a handler, its response to older versions, and its description."""

import enum
from collections.abc import Collection, Mapping
from typing import Any

from msgspec import Struct

from dibs.dialects.baremetal.exchange import Handler
from dibs.documents.json_schema import Schema
from dibs.http.routing import Route

QuerySchema = Mapping[str, Mapping[str, Any]]

FIELDS: QuerySchema = {"fields": {"type": "string", "description": "Attributes to show, separated by commas."}}
DETAIL: QuerySchema = {"detail": {"type": "boolean", "description": "Show all attributes."}}
OK = {200: "OK"}
CREATED = {201: "Created; the Location header has its URL."}
ACCEPTED = {202: "Accepted; the states of the node show the progress."}
DONE = {204: "Done; no content."}
NODE = "/v1/nodes/{node}"


class TooOld(enum.Enum):
    """The response to a version before the row's first."""

    NOT_SUPPORTED = "404, the API is not supported for this version"
    NOT_FOUND = "404"
    NOT_ALLOWED = "405"
    NOT_ACCEPTABLE = "406"


class Endpoint(Struct, frozen=True):
    """The handler of a row, and its response to older versions."""

    handle: Handler
    too_old: TooOld = TooOld.NOT_FOUND
    too_old_message: str | None = None
    """The message of a 404 or 405, as a fault of the service; None for one of the framework without a message."""


def row(
    method: str,
    path: str,
    handle: Handler,
    summary: str,
    *,
    since: int = 1,
    query: QuerySchema | None = None,
    body: Schema | None = None,
    statuses: Mapping[int, str] = OK,
    answer: Schema | None = None,
    refusals: Collection[int] = (),
    too_old: TooOld = TooOld.NOT_FOUND,
    too_old_message: str | None = None,
) -> Route[Endpoint]:
    """Return a row; ``answer`` is the schema of the body of a success, ``refusals`` are error statuses of its own."""
    return Route(
        method=method,
        path=path,
        handler=Endpoint(handle, too_old, too_old_message),
        summary=summary,
        since=since,
        query=query or {},
        body=body,
        statuses=statuses,
        answer=answer,
        refusals=(*refusals, 405) if too_old is TooOld.NOT_ALLOWED else refusals,
    )
