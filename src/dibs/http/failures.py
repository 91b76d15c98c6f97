"""Errors that belong to no dialect: a path outside every mount, a request that cannot be parsed."""

import http
import json

from dibs.http.messages import Response
from dibs.http.request_id import REQUEST_ID

Headers = tuple[tuple[str, str], ...]


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
