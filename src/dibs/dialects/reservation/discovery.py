"""Discovery documents, which need no authentication."""

from typing import Any

from dibs.dialects.reservation.exchange import Exchange, json_answer
from dibs.dialects.reservation.microversions import VERSION
from dibs.http.messages import Response


def list_versions(exchange: Exchange) -> Response:
    """GET / and GET /versions

    Quirk: the status is 300. The original also lists v2, which no client uses and Dibs does not have.
    """
    return json_answer({"versions": [_version(exchange)]}, 300)


def show_version(exchange: Exchange) -> Response:
    """GET /v1"""
    return json_answer({"version": _version(exchange)})


def _version(exchange: Exchange) -> dict[str, Any]:
    return {
        "id": f"v{VERSION}",
        "status": "CURRENT",
        "links": [{"href": f"{exchange.request.base_url}/v1", "rel": "self"}],
        "min_version": VERSION,
        "max_version": VERSION,
    }
