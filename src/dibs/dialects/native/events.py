"""The stream of events: server-sent events, which a client resumes with Last-Event-ID."""

import msgspec

from dibs.dialects.native.audit import FILTERS, find_node
from dibs.dialects.native.errors import Refusal
from dibs.dialects.native.exchange import Exchange
from dibs.events.model.access import visible_events
from dibs.events.model.documents import event_document
from dibs.events.model.stored import StoredEvent
from dibs.events.operations.listing import last_position
from dibs.http.messages import Response

QUERY = FILTERS
POSITION_DIGITS_MAX = 18


def stream_events(exchange: Exchange) -> Response:
    """GET /v1/events"""
    projects = visible_events(exchange.access)
    asked = exchange.query(QUERY)
    if "project" in asked:
        projects = visible_events(exchange.access, asked["project"])
    node = find_node(exchange, asked["node"]) if "node" in asked else None
    reader = exchange.services.feed.add(projects=projects, node=node, type=asked.get("type"), after=_position(exchange))
    headers = (("content-type", "text/event-stream"), ("cache-control", "no-store"), ("x-accel-buffering", "no"))
    return Response(200, b"", headers, reader)


def message_of(event: StoredEvent) -> bytes:
    """Return an event as a message of the stream."""
    return b"id: %d\ndata: %b\n\n" % (event.position or 0, msgspec.json.encode(event_document(event)))


def _position(exchange: Exchange) -> int:
    """Return the position that the client has seen; without one, the stream begins with what happens next."""
    seen = exchange.request.headers.get("last-event-id", "")
    if not seen:
        return exchange.read(last_position, None)
    if not (seen.isascii() and seen.isdigit() and len(seen) <= POSITION_DIGITS_MAX):
        raise Refusal(400, "The header Last-Event-ID is not the id of an event of this stream.")
    return int(seen)
