"""The stream that tells open pages to load again."""

from dibs.console.exchange import Exchange
from dibs.http.messages import Response

_HEADERS = (("content-type", "text/event-stream"), ("cache-control", "no-store"), ("x-accel-buffering", "no"))


def stream(exchange: Exchange) -> Response:
    """GET /changes"""
    # A browser that connects again sends the last id that it got.
    seen = exchange.request.headers.get("last-event-id") or exchange.query.get("after", "")
    known = seen.isascii() and seen.isdigit() and len(seen) < 19
    return Response(200, b"", _HEADERS, exchange.services.changes.open(int(seen) if known else None))
