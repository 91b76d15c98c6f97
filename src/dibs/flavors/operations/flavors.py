"""Flavors: list, make, describe and remove them, their extra specs, and who may use those that are not public."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dibs.access.access import EVERY_PROJECT, Access, VisibleProjects
from dibs.database.transaction import Transaction
from dibs.errors import BadValue
from dibs.flavors.model.errors import (
    FlavorAccessNotFound,
    FlavorNotFound,
    FlavorOfReservation,
    FlavorSpecNotFound,
    NoFlavorAccess,
    PublicFlavor,
)
from dibs.flavors.model.flavors import Flavor, check_extra_specs
from dibs.flavors.queries import flavors
from dibs.flavors.queries.flavors import FlavorPage


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFlavors:
    """One page of the flavors that the caller may see."""

    visibility: VisibleProjects
    """Show public flavors and those that one of these projects has access to."""
    public: bool | None = None
    """Show only public flavors, or only private ones; None shows both."""
    memory_mb_min: int = 0
    disk_gb_min: int = 0
    sort_key: str = "id"
    descending: bool = False
    limit: int = 1_000
    marker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlavorReference:
    """A flavor by what callers know it by."""

    flavor: str
    visibility: VisibleProjects
    """The projects whose private flavors the caller sees; every caller sees public ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFlavor:
    """Make a flavor."""

    values: Mapping[str, Any]
    """Attributes of Flavor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeFlavor(FlavorReference):
    """Say something else of a flavor."""

    description: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSpecs(FlavorReference):
    """Add extra specs, or give those of the same name another value."""

    specs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveSpec(FlavorReference):
    """Remove one extra spec."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeAccess(FlavorReference):
    """Give a project access to a flavor, or take it."""

    project: str
    strict: bool = False
    """Refuse for a flavor that is public, to which everybody has access anyway."""


def list_flavors(tx: Transaction, access: Access, now: int, command: ListFlavors) -> list[Flavor]:
    """One page of flavors."""
    asked = FlavorPage(
        visibility=command.visibility,
        public=command.public,
        memory_mb_min=command.memory_mb_min,
        disk_gb_min=command.disk_gb_min,
        sort_key=command.sort_key,
        descending=command.descending,
        limit=command.limit,
        marker=command.marker,
    )
    found = flavors.page(tx, asked)
    if found is None:
        raise BadValue(reason=f"marker [{command.marker}] not found")
    return found


def get_flavor(tx: Transaction, access: Access, now: int, command: FlavorReference) -> Flavor:
    """One flavor that the caller may see."""
    return seen(tx, flavors.get(tx, command.flavor), command)


def create_flavor(tx: Transaction, access: Access, now: int, command: NewFlavor) -> Flavor:
    """Make a flavor; one that is not public is nobody's until somebody is given access."""
    check_extra_specs(command.values.get("extra_specs", {}))
    return flavors.create(tx, {**command.values, "created_at": now})


def describe_flavor(tx: Transaction, access: Access, now: int, command: DescribeFlavor) -> Flavor:
    """Change what a flavor says of itself."""
    flavors.describe(tx, _lock(tx, command), command.description, now)
    return get_flavor(tx, access, now, command)


def delete_flavor(tx: Transaction, access: Access, now: int, command: FlavorReference) -> None:
    """Remove a flavor; servers that were made with it stay."""
    flavors.delete(tx, _lock(tx, command))


def set_specs(tx: Transaction, access: Access, now: int, command: SetSpecs) -> Mapping[str, str]:
    """Add or change extra specs; gives all of them."""
    flavor = _lock(tx, command)
    specs = {**flavor.extra_specs, **command.specs}
    check_extra_specs(specs)
    flavors.set_specs(tx, flavor, specs, now)
    return specs


def remove_spec(tx: Transaction, access: Access, now: int, command: RemoveSpec) -> None:
    """Remove an extra spec."""
    flavor = _lock(tx, command)
    if command.name not in flavor.extra_specs:
        raise FlavorSpecNotFound(flavor=command.flavor, name=command.name)
    specs = {name: value for name, value in flavor.extra_specs.items() if name != command.name}
    flavors.set_specs(tx, flavor, specs, now)


def list_access(tx: Transaction, access: Access, now: int, command: FlavorReference) -> list[str]:
    """The projects that may use a flavor that is not public."""
    flavor = get_flavor(tx, access, now, command)
    if flavor.public:
        raise NoFlavorAccess
    return flavors.access(tx, flavor)


def add_access(tx: Transaction, access: Access, now: int, command: ChangeAccess) -> list[str]:
    """Give a project access; gives all that have it."""
    flavor = _lock(tx, command)
    _refuse_public(flavor, command)
    flavors.grant(tx, flavor, command.project)
    return flavors.access(tx, flavor)


def remove_access(tx: Transaction, access: Access, now: int, command: ChangeAccess) -> list[str]:
    """Take access from a project; gives all that still have it."""
    flavor = _lock(tx, command)
    _refuse_public(flavor, command)
    if not flavors.revoke(tx, flavor, command.project):
        raise FlavorAccessNotFound(flavor=command.flavor, project=command.project)
    return flavors.access(tx, flavor)


def seen(tx: Transaction, flavor: Flavor | None, command: FlavorReference) -> Flavor:
    """The flavor, if the caller may see it."""
    if flavor is None or not _is_visible(tx, flavor, command.visibility):
        raise FlavorNotFound(flavor=command.flavor)
    return flavor


def _is_visible(tx: Transaction, flavor: Flavor, visibility: VisibleProjects) -> bool:
    if flavor.public or visibility is EVERY_PROJECT:
        return True
    return not visibility.isdisjoint(flavors.access(tx, flavor))


def _lock(tx: Transaction, command: FlavorReference) -> Flavor:
    """The flavor, kept from others; one that a reservation made is nobody's to change."""
    flavor = seen(tx, flavors.lock(tx, command.flavor), command)
    if flavor.reservation_id is not None:
        raise FlavorOfReservation(flavor=command.flavor)
    return flavor


def _refuse_public(flavor: Flavor, command: ChangeAccess) -> None:
    if flavor.public and command.strict:
        raise PublicFlavor(flavor=command.flavor)
