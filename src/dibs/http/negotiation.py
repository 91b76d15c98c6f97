"""JSON only: whether a request's Content-Type and Accept headers can be served."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

_BODY_TYPES = frozenset({"application/json", "application/json-patch+json"})
_RANGES = ("application/json", "application/*", "*/*")


@dataclass(frozen=True, slots=True)
class NotServed:
    """Why a request cannot be served as it asks."""

    status: int
    message: str


def find_problem(headers: Mapping[str, str], has_body: bool) -> NotServed | None:
    """Say what is wrong with the media types of a request, or None."""
    content_type = headers.get("content-type")
    if has_body and content_type is not None and not _is_json(content_type):
        return NotServed(
            415,
            f"The Content-Type {content_type[:100]!r} is not supported; send application/json.",
        )
    accept = headers.get("accept")
    if accept and not accepts_json(accept):
        return NotServed(
            406,
            f"The Accept header {accept[:100]!r} excludes application/json, the only form served.",
        )
    return None


@lru_cache(maxsize=256)
def _is_json(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() in _BODY_TYPES


@lru_cache(maxsize=256)
def accepts_json(accept: str) -> bool:
    """True when the header lets application/json through; of several ranges that match, the most specific decides."""
    qualities: dict[str, float] = {}
    for part in accept.split(","):
        media_range, *parameters = (piece.strip().lower() for piece in part.split(";"))
        qualities[media_range] = _quality(parameters)
    for media_range in _RANGES:
        if media_range in qualities:
            return qualities[media_range] > 0
    return False


def _quality(parameters: list[str]) -> float:
    """The q parameter; one that is not a number counts as 1, since the caller did name the type."""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 1.0
    return 1.0
