"""The id of a request, which is in its response and in its log lines."""

import contextvars
import re
import uuid

HEADER = "x-openstack-request-id"

NO_REQUEST = "-"

REQUEST_ID: contextvars.ContextVar[str] = contextvars.ContextVar("request_id", default=NO_REQUEST)
"""The id of the request that the current task or thread works on; "-" outside requests."""

_VALID = re.compile(r"req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def new_request_id() -> str:
    """Return a new id in OpenStack's format."""
    return f"req-{uuid.uuid4()}"


def choose_request_id(offered: str | None) -> str:
    """Return the client's id when it is well formed, else a new one: ids are written to logs."""
    if offered is not None and _VALID.fullmatch(offered):
        return offered
    return new_request_id()
