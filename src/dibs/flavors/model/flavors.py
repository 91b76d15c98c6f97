"""Flavors: named sizes of servers, and what a server of a flavor takes of a provider."""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from dibs.candidates.model.candidate_query import CandidateQuery, RequestGroup
from dibs.errors import BadValue
from dibs.ledger.model.criteria import Criteria

AMOUNT_MAX = 0x7FFFFFFF
"""The largest size that Nova takes."""

SPECS_MAX = 500
"""The maximum number of extra specs of a flavor: each of its servers keeps a copy of them."""

_MEGABYTES_PER_GIGABYTE = 1024
_SPEC_NAME = re.compile(r"[A-Za-z0-9\-_:. ]{1,255}\Z")
_ABOUT_RESOURCES = re.compile(r"(resources|trait)(\w[\w-]{0,63})?:([A-Z0-9_]+)\Z")
_VALUE_LENGTH_MAX = 255
_REQUIRED, _FORBIDDEN = "required", "forbidden"
_GROUP_POLICY = "group_policy"
_ISOLATE = "isolate"


CLASS_PREFIX = "CUSTOM_RESERVATION_"
"""The prefix of the resource class of a reservation."""


class Flavor(Struct, frozen=True, kw_only=True):
    """A named size of servers."""

    id: int
    flavor: str
    """The id that clients use: any string."""
    name: str
    description: str | None = None
    vcpus: int
    memory_mb: int
    disk_gb: int
    ephemeral_gb: int = 0
    swap_mb: int = 0
    rxtx_factor: float = 1.0
    public: bool = True
    """False: only projects with access see it."""
    extra_specs: Mapping[str, str] = field(default_factory=dict)
    reservation_id: int | None = None
    """The reservation that created it; the flavor is removed with it."""
    created_at: int
    updated_at: int | None = None

    @property
    def total_disk_gb(self) -> int:
        """The whole disk of a server: root, ephemeral, and swap rounded up to gigabytes."""
        return self.disk_gb + self.ephemeral_gb + -(-self.swap_mb // _MEGABYTES_PER_GIGABYTE)

    @property
    def reserved_class(self) -> str | None:
        """The resource class of the reservation that its servers are instances of; None for other flavors."""
        resources = groups_of(self)[""].resources
        return next((name for name in resources if name.startswith(CLASS_PREFIX)), None)


def check_extra_specs(specs: Mapping[str, str]) -> None:
    """Raise BadValue for too many extra specs, names that do not fit a URL, and invalid amounts and traits."""
    if len(specs) > SPECS_MAX:
        raise BadValue(reason=f"A flavor has at most {SPECS_MAX} extra specs, not {len(specs)}.")
    for name, value in specs.items():
        if not _SPEC_NAME.match(name):
            raise BadValue(reason=f"Key Names can only contain alphanumeric characters, not {name[:80]!r}.")
        if len(value) > _VALUE_LENGTH_MAX:
            raise BadValue(reason=f"The value of {name} has more than {_VALUE_LENGTH_MAX} characters.")
        about = _ABOUT_RESOURCES.match(name)
        if about and about[1] == "resources" and not (value.isascii() and value.isdigit() and int(value) <= AMOUNT_MAX):
            raise BadValue(reason=f"The value of {name} must be a whole number, not {value!r}.")
        if about and about[1] == "trait" and value not in (_REQUIRED, _FORBIDDEN):
            raise BadValue(reason=f"The value of {name} must be {_REQUIRED} or {_FORBIDDEN}, not {value!r}.")


def groups_of(flavor: Flavor) -> dict[str, RequestGroup]:
    """Return what a server takes, by the suffix of each group; the group without a suffix is always there.

    Extra specs add to the sizes of a flavor and override them: ``resources:VCPU=0`` takes no processors.
    """
    sizes = {"VCPU": flavor.vcpus, "MEMORY_MB": flavor.memory_mb, "DISK_GB": flavor.total_disk_gb}
    amounts: dict[str, dict[str, int]] = {"": sizes}
    traits: dict[str, dict[str, list[str]]] = {}
    for kind, suffix, name, value in _specs(flavor.extra_specs):
        if kind == "resources":
            amounts.setdefault(suffix, {})[name] = int(value)
        else:
            traits.setdefault(suffix, {}).setdefault(value, []).append(name)
    return {
        suffix: RequestGroup(
            suffix=suffix,
            resources={name: amount for name, amount in amounts.get(suffix, {}).items() if amount},
            traits=_criteria(traits.get(suffix, {})),
        )
        for suffix in sorted(amounts.keys() | traits.keys())
    }


def candidate_query(
    flavor: Flavor, *, root_traits: Criteria, in_tree: str | None = None, limit: int | None = None
) -> CandidateQuery:
    """Return the query for hosts of one server."""
    groups = groups_of(flavor)
    whole = RequestGroup(suffix="", resources=groups[""].resources, traits=groups[""].traits, in_tree=in_tree)
    return CandidateQuery(
        groups=(whole, *(group for suffix, group in groups.items() if suffix and group.resources)),
        isolate=flavor.extra_specs.get(_GROUP_POLICY) == _ISOLATE,
        root_traits=root_traits,
        limit=limit,
    )


def _criteria(names: Mapping[str, list[str]]) -> Criteria:
    return Criteria(
        required=tuple(frozenset({name}) for name in names.get(_REQUIRED, ())),
        forbidden=frozenset(names.get(_FORBIDDEN, ())),
    )


def _specs(specs: Mapping[str, str]) -> Iterator[tuple[str, str, str, str]]:
    """Yield the kind, suffix, name and value of the specs about resources and traits."""
    for key, value in sorted(specs.items()):
        about = _ABOUT_RESOURCES.match(key)
        if about:
            yield about[1], about[2] or "", about[3], value
