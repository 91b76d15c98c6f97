"""Keep web pages of other sites away from a server without authentication.

With ``noauth`` every request is an administrator's, and the operator's browser can reach a server on loopback. A page
of another site can send it a POST, and one that lets its own name resolve to 127.0.0.1 (DNS rebinding) can read the
answers too. The first sends its Origin, the second a Host that is not loopback.
"""

import ipaddress
from collections.abc import Collection, Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from msgspec import Struct

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class BrowserGuard(Struct, frozen=True, kw_only=True):
    """Finds requests that a page of another site may have sent."""

    loopback_only: bool
    """Whether the server listens on a loopback address, so that no other Host leads to it."""
    origins: Collection[str] = ()
    """The origins that may call the APIs (CORS)."""

    def problem(self, method: str, headers: Mapping[str, str]) -> str | None:
        """Return why the request is refused, or None."""
        host = headers.get("host", "")
        if self.loopback_only and host and not _is_loopback(host):
            return (
                f"The Host header {host[:100]!r} is not a loopback name. Without authentication, this server accepts"
                " only localhost and loopback addresses."
            )
        origin = headers.get("origin")
        if origin is None or method in _SAFE or origin in self.origins or urlsplit(origin).netloc == host:
            return None
        return f"The origin {origin[:100]!r} may not change anything here. The setting cors_allowed_origin permits it."


@lru_cache(maxsize=64)
def _is_loopback(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or name.endswith(".localhost") or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
