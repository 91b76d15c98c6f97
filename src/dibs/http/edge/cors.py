"""Cross-origin resource sharing (CORS), with the rules of oslo.middleware."""

from typing import Self

from msgspec import Struct

from dibs.http.messages import Request, Response

_METHODS = frozenset({"OPTIONS", "GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "PATCH"})
_MAX_AGE_SECONDS = "3600"
_SIMPLE_HEADERS = frozenset(
    {
        "accept",
        "accept-language",
        "content-type",
        "cache-control",
        "content-language",
        "expires",
        "last-modified",
        "pragma",
    }
)
"""Headers that every allowed origin may send."""


class Cors(Struct, frozen=True, kw_only=True):
    """The allowed origins, and the request headers that they may send."""

    origins: frozenset[str]
    headers: frozenset[str]

    @classmethod
    def from_lists(cls, origins: str, headers: str) -> Self | None:
        """Parse comma-separated lists; return None when no origin is allowed."""
        allowed = frozenset(_split(origins))
        return cls(origins=allowed, headers=_SIMPLE_HEADERS | frozenset(_split(headers.lower()))) if allowed else None

    def apply(self, request: Request, response: Response) -> Response:
        """Return the response with the CORS headers for the origin of the request.

        A browser sends a preflight OPTIONS request without a token and for any path, so an error response to OPTIONS
        becomes 200.
        """
        origin = request.headers.get("origin", "")
        if request.method == "OPTIONS":
            if not 200 <= response.status < 300:
                response = Response(200)
            return _with(response, self._preflight_headers(request)) if origin in self.origins else response
        return _with(response, _origin_headers(origin)) if origin in self.origins else response

    def _preflight_headers(self, request: Request) -> tuple[tuple[str, str], ...]:
        method = request.headers.get("access-control-request-method", "")
        wanted = _split(request.headers.get("access-control-request-headers", ""))
        if method not in _METHODS or not self.headers.issuperset(name.lower() for name in wanted):
            return ()
        allowed = [("Access-Control-Max-Age", _MAX_AGE_SECONDS), ("Access-Control-Allow-Methods", method)]
        if wanted:
            allowed.append(("Access-Control-Allow-Headers", ",".join(wanted)))
        return (*_origin_headers(request.headers["origin"]), *allowed)


def _origin_headers(origin: str) -> tuple[tuple[str, str], ...]:
    return (
        ("Vary", "Origin"),
        ("Access-Control-Allow-Origin", origin),
        ("Access-Control-Allow-Credentials", "true"),
    )


def _with(response: Response, headers: tuple[tuple[str, str], ...]) -> Response:
    return Response(response.status, response.body, (*response.headers, *headers))


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
