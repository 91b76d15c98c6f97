"""The audit: which object was changed, when, by whom, by which request, and what it was before."""

from collections.abc import Mapping
from typing import Any

from dibs.dialects.native.exchange import Exchange, json_answer, next_url, read_moment
from dibs.documents.json_schema import Schema
from dibs.events.model.access import visible_events
from dibs.events.model.documents import event_document
from dibs.events.model.stored import LIMIT_MAX, EventQuery
from dibs.events.operations import listing
from dibs.http.messages import Response
from dibs.machines.model.nodes import is_uuid
from dibs.machines.operations.nodes import GetNode, get_node

LIMIT_DEFAULT = 100

_UTC = "ISO 8601 timestamp, in UTC unless it has an offset."
_TIME: Schema = {"type": "string", "maxLength": 64}

FILTERS: Mapping[str, Schema] = {
    "node": {"type": "string", "maxLength": 255, "description": "Only events about this node or provider."},
    "project": {"type": "string", "maxLength": 255, "description": "Only events of this project."},
    "type": {
        "type": "string",
        "maxLength": 64,
        "description": "Only events of this type, such as lease.started, or of this kind of object, such as lease.",
    },
}
QUERY: Mapping[str, Schema] = {
    **FILTERS,
    "since": {**_TIME, "description": f"Only events from this moment on. {_UTC}"},
    "until": {**_TIME, "description": f"Only events before this moment. {_UTC}"},
    "limit": {"type": "string", "pattern": "^[1-9][0-9]{0,3}$", "description": f"Page size; at most {LIMIT_MAX}."},
    "marker": {"type": "string", "pattern": "^[0-9]{1,18}$", "description": "Start after the event with this id."},
}


def list_events(exchange: Exchange) -> Response:
    """GET /v1/audit"""
    projects = visible_events(exchange.access)
    asked = exchange.query(QUERY)
    if "project" in asked:
        projects = visible_events(exchange.access, asked["project"])
    query = EventQuery(
        projects=projects,
        node=find_node(exchange, asked["node"]) if "node" in asked else None,
        type=asked.get("type"),
        since=read_moment(asked, "since"),
        until=read_moment(asked, "until"),
        marker=int(asked["marker"]) if "marker" in asked else None,
        limit=min(int(asked.get("limit", LIMIT_DEFAULT)), LIMIT_MAX),
    )
    found = exchange.read(listing.list_events, query)
    document: dict[str, Any] = {"events": [event_document(event) for event in found]}
    if len(found) == query.limit:
        document["next"] = next_url(exchange, asked, query.limit, str(found[-1].id))
    return json_answer(document)


def find_node(exchange: Exchange, ident: str) -> str:
    """Return the uuid of a node by uuid or name; a uuid may be that of a provider, or of a node that was deleted."""
    if is_uuid(ident):
        return ident.lower()
    return exchange.read(get_node, GetNode(ident=ident, rules=())).node.uuid
