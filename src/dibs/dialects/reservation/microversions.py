"""The one microversion of the reservation API, and how a request asks for it."""

from collections.abc import Mapping

from dibs.dialects.reservation.errors import Refusal
from dibs.http.microversions import Problem, VersionRange, VersionRefusal

HEADER = "OpenStack-API-Version"
SERVICE_TYPE = "reservation"
VERSION = "1.0"

_ONLY = (1, 0)
_RANGE = VersionRange(service_type=SERVICE_TYPE, minimum=_ONLY, maximum=_ONLY, default=_ONLY)

HEADERS = ((HEADER, f"{SERVICE_TYPE} {VERSION}"), ("Vary", HEADER))
"""The version headers of every answer."""


def check_version(headers: Mapping[str, str]) -> None:
    """Raise for a request for an unknown version."""
    chosen = _RANGE.choose(headers)
    if not isinstance(chosen, VersionRefusal):
        return
    if chosen.problem is Problem.MALFORMED:
        message = f"API Version String {chosen.asked} is of invalid format. Must be of format MajorNum.MinorNum."
        raise Refusal(400, message, by_router=True)
    message = f"Version {chosen.asked} is not supported by the API. Minimum is {VERSION} and maximum is {VERSION}."
    raise Refusal(406, message, by_router=True)
