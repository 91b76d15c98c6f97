"""Error responses outside every dialect: for a path without a mount, or a request that cannot be parsed."""

import http
import json
from collections.abc import Mapping

from dibs.access.request_id import REQUEST_ID
from dibs.documents.json_schema import Schema
from dibs.documents.schema_parts import INTEGER, TEXT, list_of, record
from dibs.http.messages import Response

Headers = tuple[tuple[str, str], ...]

MESSAGE_MAX = 1_200
"""Longer messages lose their middle, so that a 1 MB name is not sent back to the client."""


def plain_failure(status: int, message: str, headers: Headers = (), request_id: str | None = None) -> Response:
    """Return an error in the format of OpenStack's API guidelines."""
    error = {
        "status": status,
        "title": http.HTTPStatus(status).phrase,
        "detail": message,
        "request_id": request_id or REQUEST_ID.get(),
    }
    body = json.dumps({"errors": [error]}).encode()
    return Response(status, body, (("content-type", "application/json"), *headers))


def plain_error_content() -> Mapping[str, Schema]:
    """Return the schema of the body of ``plain_failure``, by media type."""
    error = record({"status": INTEGER, "title": TEXT, "detail": TEXT, "request_id": TEXT})
    return {"application/json": record({"errors": list_of(error)})}


def shorten(message: str) -> str:
    """Return the message within MESSAGE_MAX, with both ends kept: the end often says where the problem is."""
    if len(message) <= MESSAGE_MAX:
        return message
    half = MESSAGE_MAX // 2
    return f"{message[:half]} … {message[-half:]}"
