"""Errors that belong to no dialect: a path outside every mount, a request that cannot be parsed."""

import http
import json

from dibs.http.messages import Response
from dibs.http.request_id import REQUEST_ID

Headers = tuple[tuple[str, str], ...]

MESSAGE_MAX = 1_200
"""Longer messages lose their middle: somebody's 1 MB name is not sent back."""


def plain_failure(status: int, message: str, headers: Headers = (), request_id: str | None = None) -> Response:
    """An error in the general form that OpenStack's API guidelines give."""
    error = {
        "status": status,
        "title": http.HTTPStatus(status).phrase,
        "detail": message,
        "request_id": request_id or REQUEST_ID.get(),
    }
    body = json.dumps({"errors": [error]}).encode()
    return Response(status, body, (("content-type", "application/json"), *headers))


def shorten(message: str) -> str:
    """Keep both ends: the beginning says what, the end often says where."""
    if len(message) <= MESSAGE_MAX:
        return message
    half = MESSAGE_MAX // 2
    return f"{message[:half]} … {message[-half:]}"
