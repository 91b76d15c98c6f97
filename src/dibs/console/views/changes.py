"""The stream that tells open pages to load again."""

from dibs.console.exchange import Exchange
from dibs.http.messages import Response

_HEADERS = (("content-type", "text/event-stream"), ("cache-control", "no-store"), ("x-accel-buffering", "no"))


def stream(exchange: Exchange) -> Response:
    """GET /changes"""
    return Response(200, b"", _HEADERS, exchange.services.changes.open())
