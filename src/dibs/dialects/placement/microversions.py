"""The microversions of the Placement API, with one line on what each added.

Most of them are data elsewhere: a route in ``routes.py``, a schema in the module of a noun, a form of a query parameter
in ``query.py``. A version number never leaves the dialect: a change of behaviour is a named option of a command.
"""

from collections.abc import Mapping

from dibs.dialects.placement.errors import Refusal
from dibs.http.microversions import Problem, VersionRange, VersionRefusal

HEADER = "OpenStack-API-Version"
SERVICE_TYPE = "placement"

VERSIONS = {
    0: "resource providers, their inventories and usages, allocations: the first version",
    1: "aggregates of a provider",
    2: "resource classes, custom ones too",
    3: "providers filtered by member_of",
    4: "providers filtered by free resources",
    5: "all inventories of a provider deleted at once",
    6: "traits, in general and of a provider",
    7: "PUT of a resource class creates it if it is missing; before, it renamed the class",
    8: "project_id and user_id required in PUT of allocations",
    9: "usages of a project, or of a user in it",
    10: "allocation candidates",
    11: "a link to its allocations in each provider",
    12: "allocations as an object by provider; project and user shown with them",
    13: "POST of allocations for many consumers",
    14: "trees of providers: parent and root, and the filter in_tree",
    15: "Last-Modified and Cache-Control",
    16: "limit of candidates",
    17: "required traits of candidates; traits in their summaries",
    18: "providers filtered by required traits",
    19: "generation with the aggregates of a provider",
    20: "POST of a provider answers 200 and the provider",
    21: "candidates filtered by member_of",
    22: "forbidden traits: !TRAIT",
    23: "a code in each error",
    24: "member_of may be repeated: all of them hold",
    25: "numbered groups of candidates, and group_policy",
    26: "all of an inventory may be reserved",
    27: "summaries of candidates show every class, not only the requested ones",
    28: "generation of a consumer",
    29: "candidates across the providers of a tree",
    30: "the reshaper",
    31: "in_tree of candidates",
    32: "forbidden aggregates: member_of=!AGGREGATE",
    33: "groups of candidates may have names",
    34: "mappings of groups to providers in candidates, and accepted with allocations",
    35: "root_required of candidates",
    36: "same_subtree of candidates, and groups without resources",
    37: "a provider may change its parent, or become a root",
    38: "the type of a consumer; usages by type",
    39: "any of several traits: required=in:A,B, which may be repeated",
}

MINIMUM = (1, 0)
MAXIMUM = (1, max(VERSIONS))

_RANGE = VersionRange(service_type=SERVICE_TYPE, minimum=MINIMUM, maximum=MAXIMUM, default=MINIMUM)


def choose_minor(headers: Mapping[str, str]) -> int:
    """Return the minor version that a request names; of several entries for placement, the last one counts."""
    chosen = _RANGE.choose(headers)
    if not isinstance(chosen, VersionRefusal):
        return chosen[1]
    if chosen.problem is Problem.MALFORMED:
        raise Refusal(400, f"Invalid microversion: invalid version string: {chosen.asked}")
    raise Refusal(
        406,
        f"Invalid microversion: Unacceptable version header: {chosen.asked}",
        extra={"max_version": version_text(MAXIMUM[1]), "min_version": version_text(MINIMUM[1])},
    )


def version_text(minor: int) -> str:
    """Return a version as clients write it."""
    return f"{MINIMUM[0]}.{minor}"
