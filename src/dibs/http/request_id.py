"""The id that ties an answer, its log lines and the caller's own records together."""

import contextvars
import re
import uuid

HEADER = "x-openstack-request-id"

REQUEST_ID: contextvars.ContextVar[str] = contextvars.ContextVar("request_id", default="-")
"""The id of the request that the running task or thread works for; "-" outside any request."""

_VALID = re.compile(r"req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def new_request_id() -> str:
    """A fresh id in OpenStack's form."""
    return f"req-{uuid.uuid4()}"


def choose_request_id(offered: str | None) -> str:
    """Keep the caller's id when it is well formed; anything else is replaced, because ids end up in logs."""
    if offered is not None and _VALID.fullmatch(offered):
        return offered
    return new_request_id()
