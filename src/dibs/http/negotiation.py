"""Check the Content-Type and Accept headers of a request: Dibs serves JSON, except for feeds."""

from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct

_SERVED = ("application/json", "text/event-stream", "text/calendar")
"""Errors are JSON everywhere, and a client that asks for a feed where there is none gets JSON too."""
_BODY_TYPES = frozenset({"application/json", "application/json-patch+json"})


class NotServed(Struct, frozen=True):
    """Why a media type cannot be served."""

    status: int
    message: str


def find_problem(headers: Mapping[str, str], has_body: bool) -> NotServed | None:
    """Return the problem with the media types of a request, or None."""
    content_type = headers.get("content-type")
    if has_body and not _is_json(content_type or ""):
        # A body without a type is refused too: it is what a page of another site can send without asking first.
        sent = (
            f"The Content-Type {content_type[:100]!r} is not supported" if content_type else "No Content-Type is given"
        )
        return NotServed(415, f"{sent}; send application/json.")
    accept = headers.get("accept")
    if accept and preferred(accept, _SERVED) is None:
        return NotServed(406, f"The Accept header {accept[:100]!r} excludes application/json, the form served.")
    return None


@lru_cache(maxsize=256)
def _is_json(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() in _BODY_TYPES


@lru_cache(maxsize=256)
def preferred(accept: str, offers: tuple[str, ...]) -> str | None:
    """Return the offered type with the highest quality, the first of equals; None when the header excludes all.

    An empty header accepts all. Of several ranges that match a type, the most specific decides.
    """
    if not accept.strip():
        return offers[0]
    qualities: dict[str, float] = {}
    for part in accept.split(","):
        media_range, *parameters = (piece.strip().lower() for piece in part.split(";"))
        qualities[media_range] = _quality(parameters)
    best = max(offers, key=lambda offer: _quality_of(offer, qualities))
    return best if _quality_of(best, qualities) > 0 else None


def _quality_of(media_type: str, qualities: Mapping[str, float]) -> float:
    for media_range in (media_type, f"{media_type.partition('/')[0]}/*", "*/*"):
        if media_range in qualities:
            return qualities[media_range]
    return 0.0


def _quality(parameters: list[str]) -> float:
    """Return the q parameter. A value that is not a number counts as 1, because the client did name the type."""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 1.0
    return 1.0
