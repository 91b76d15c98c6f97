"""Render templates, and the headers that every page has."""

import gzip
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dibs.console import assets
from dibs.http.messages import Response

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"
COMPRESSED_BYTES_MIN = 1_000

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self';"
    " font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = (
    ("content-security-policy", _POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    # With "no-referrer", browsers would send forms with the origin "null".
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
)
_PAGE_HEADERS = (("content-type", "text/html; charset=utf-8"), ("cache-control", "no-store"))


@cache
def environment() -> "Environment":
    """Return the environment of the templates. Imported at the first page, not at every start of a server."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals["asset"] = lambda name: f"/console{assets.names()[name]}"
    return made


def render(template: str, context: Mapping[str, Any]) -> bytes:
    """Return the text of a page."""
    return environment().get_template(template).render(context).encode()


def page_response(status: int, body: bytes, headers: tuple[tuple[str, str], ...] = ()) -> Response:
    """Return a page that no cache keeps."""
    return Response(status, body, (*_PAGE_HEADERS, *SECURITY_HEADERS, *headers))


def redirect(location: str, headers: tuple[tuple[str, str], ...] = ()) -> Response:
    """Send the browser to another page, which it gets with GET."""
    return Response(303, b"", (("location", location), ("cache-control", "no-store"), *SECURITY_HEADERS, *headers))


def compressed(response: Response, accept_encoding: str) -> Response:
    """Return the response as gzip when the browser accepts that and the body is worth it.

    The pages contain no secret of another site and are never sent to a page of another site (SameSite=Strict), so that
    their size reveals nothing.
    """
    if len(response.body) < COMPRESSED_BYTES_MIN or "gzip" not in accept_encoding:
        return response
    headers = (*response.headers, ("content-encoding", "gzip"), ("vary", "accept-encoding"))
    return Response(response.status, gzip.compress(response.body, 5, mtime=0), headers)
