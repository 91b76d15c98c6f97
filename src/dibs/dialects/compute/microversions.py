"""The microversions of the compute API up to the newest that Dibs supports, one line each on its effect.

Versions that change only what Dibs does not have (volumes, networks, migrations, consoles, key pairs) are supported
too, without any effect.
"""

from collections.abc import Mapping

from dibs.dialects.compute.errors import Refusal
from dibs.http.microversions import Problem, VersionRange, VersionRefusal

HEADER = "OpenStack-API-Version"
LEGACY_HEADER = "X-OpenStack-Nova-API-Version"
SERVICE_TYPE = "compute"

EXTENDED_ATTRIBUTES_SINCE = 3
STRICT_ACCESS_SINCE = 7
LOCKED_SINCE = 9
FORCED_DOWN_SINCE = 11
HOST_STATUS_SINCE = 16
DESCRIPTION_SINCE = 19
TAGS_SHOWN_SINCE = 26
CPU_INFO_OBJECT_SINCE = 28
HYPERVISOR_PAGES_SINCE = 33
IMAGES_UNTIL = 35
FEWER_LIMITS_SINCE = 36
NETWORKS_SINCE = 37
STRICT_STATUS_SINCE = 38
NO_IMAGE_LIMIT_SINCE = 39
AGGREGATE_UUIDS_SINCE = 41
EMBEDDED_FLAVOR_SINCE = 47
TAGS_TAKEN_SINCE = 52
UUIDS_SINCE = 53
FLAVOR_DESCRIPTION_SINCE = 55
NO_PERSONALITY_SINCE = 57
FLAVOR_SPECS_SINCE = 61

VERSIONS = {
    1: "the first version",
    EXTENDED_ATTRIBUTES_SINCE: "more attributes of a server for admins",
    STRICT_ACCESS_SINCE: "409 for giving a project access to a public flavor",
    LOCKED_SINCE: "the field locked of a server: always false",
    FORCED_DOWN_SINCE: "the field forced_down of a service: always false",
    HOST_STATUS_SINCE: "the status of a server's host for admins",
    DESCRIPTION_SINCE: "a description of a server",
    TAGS_SHOWN_SINCE: "the tags of a server",
    27: "the version in the header OpenStack-API-Version",
    CPU_INFO_OBJECT_SINCE: "cpu_info of a hypervisor as an object",
    HYPERVISOR_PAGES_SINCE: "pages of hypervisors",
    FEWER_LIMITS_SINCE: "no proxies for images and networks",
    NETWORKS_SINCE: "networks are required for a new server: auto, none, or a list",
    STRICT_STATUS_SINCE: "400 for a list filtered by an unknown status",
    NO_IMAGE_LIMIT_SINCE: "no limit for the metadata of images",
    AGGREGATE_UUIDS_SINCE: "the uuid of an aggregate",
    46: "X-OpenStack-Request-ID",
    EMBEDDED_FLAVOR_SINCE: "the flavor of a server at the time of its launch, embedded",
    TAGS_TAKEN_SINCE: "tags in the request for a new server",
    UUIDS_SINCE: "uuids for hypervisors and services; names of hypervisors as a filter",
    FLAVOR_DESCRIPTION_SINCE: "the description of a flavor, and PUT to change it",
    NO_PERSONALITY_SINCE: "no personality files in the request for a new server",
    FLAVOR_SPECS_SINCE: "extra specs in a flavor",
}
"""The versions that have an effect in Dibs."""

MINIMUM = (2, 1)
MAXIMUM = (2, max(VERSIONS))

_RANGE = VersionRange(
    service_type=SERVICE_TYPE,
    legacy_headers=(LEGACY_HEADER,),
    minimum=MINIMUM,
    maximum=MAXIMUM,
    default=MINIMUM,
)


def choose_minor(headers: Mapping[str, str]) -> int:
    """Return the minor version that a request asks for."""
    chosen = _RANGE.choose(headers)
    if not isinstance(chosen, VersionRefusal):
        return chosen[1]
    if chosen.problem is Problem.MALFORMED:
        message = f"API Version String {chosen.asked} is of invalid format. Must be of format MajorNum.MinorNum."
        raise Refusal(400, message)
    raise Refusal(
        406,
        f"Version {chosen.asked} is not supported by the API. Minimum is {version_text(MINIMUM[1])} and maximum is "
        f"{version_text(MAXIMUM[1])}.",
    )


def version_text(minor: int) -> str:
    """Return a version in the format of the headers."""
    return f"{MINIMUM[0]}.{minor}"
