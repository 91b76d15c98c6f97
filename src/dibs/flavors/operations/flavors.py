"""Create, list, update and delete flavors, their extra specs, and access to private flavors."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

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


class ListFlavors(Struct, frozen=True, kw_only=True):
    """List one page of flavors."""

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


class FlavorReference(Struct, frozen=True, kw_only=True):
    """Show a flavor; the base of all commands about one flavor."""

    flavor: str
    """The id that clients use."""
    visibility: VisibleProjects
    """The projects whose private flavors the caller sees; every caller sees public ones."""


class UpdateFlavor(FlavorReference, frozen=True, kw_only=True):
    """Change the description of a flavor."""

    description: str | None


class SetExtraSpecs(FlavorReference, frozen=True, kw_only=True):
    """Add extra specs, or replace the values of existing ones."""

    specs: Mapping[str, str] = field(default_factory=dict)


class DeleteExtraSpec(FlavorReference, frozen=True, kw_only=True):
    """Delete one extra spec."""

    name: str


class ChangeFlavorAccess(FlavorReference, frozen=True, kw_only=True):
    """Grant a project access to a private flavor, or revoke it."""

    project: str
    strict: bool = False
    """Raise PublicFlavor for a public flavor, which every project has access to."""


def list_flavors(tx: Transaction, access: Access, now: int, command: ListFlavors) -> list[Flavor]:
    """Return one page of flavors."""
    page = FlavorPage(
        visibility=command.visibility,
        public=command.public,
        memory_mb_min=command.memory_mb_min,
        disk_gb_min=command.disk_gb_min,
        sort_key=command.sort_key,
        descending=command.descending,
        limit=command.limit,
        marker=command.marker,
    )
    found = flavors.list_page(tx, page)
    if found is None:
        raise BadValue(reason=f"marker [{command.marker}] not found")
    return found


def get_flavor(tx: Transaction, access: Access, now: int, command: FlavorReference) -> Flavor:
    """Return a flavor that the caller sees."""
    return _visible(tx, flavors.get(tx, command.flavor), command)


def create_flavor(tx: Transaction, access: Access, now: int, values: Mapping[str, Any]) -> Flavor:
    """Create a flavor with these attributes; no project has access to a private one before it is granted."""
    check_extra_specs(values.get("extra_specs", {}))
    return flavors.create(tx, {**values, "created_at": now})


def update_flavor(tx: Transaction, access: Access, now: int, command: UpdateFlavor) -> Flavor:
    """Change the description of a flavor."""
    flavors.set_description(tx, _lock(tx, command), command.description, now)
    return get_flavor(tx, access, now, command)


def delete_flavor(tx: Transaction, access: Access, now: int, command: FlavorReference) -> None:
    """Delete a flavor; its servers stay."""
    flavors.delete(tx, _lock(tx, command))


def set_extra_specs(tx: Transaction, access: Access, now: int, command: SetExtraSpecs) -> Mapping[str, str]:
    """Add or change extra specs; return all of them."""
    flavor = _lock(tx, command)
    specs = {**flavor.extra_specs, **command.specs}
    check_extra_specs(specs)
    flavors.set_extra_specs(tx, flavor, specs, now)
    return specs


def delete_extra_spec(tx: Transaction, access: Access, now: int, command: DeleteExtraSpec) -> None:
    """Delete an extra spec."""
    flavor = _lock(tx, command)
    if command.name not in flavor.extra_specs:
        raise FlavorSpecNotFound(flavor=command.flavor, name=command.name)
    specs = {name: value for name, value in flavor.extra_specs.items() if name != command.name}
    flavors.set_extra_specs(tx, flavor, specs, now)


def list_flavor_access(tx: Transaction, access: Access, now: int, command: FlavorReference) -> list[str]:
    """Return the projects that have access to a private flavor."""
    flavor = get_flavor(tx, access, now, command)
    if flavor.public:
        raise NoFlavorAccess
    return flavors.access(tx, flavor)


def add_flavor_access(tx: Transaction, access: Access, now: int, command: ChangeFlavorAccess) -> list[str]:
    """Grant a project access; return all projects that have it."""
    flavor = _lock(tx, command)
    _refuse_public(flavor, command)
    flavors.grant(tx, flavor, command.project)
    return flavors.access(tx, flavor)


def remove_flavor_access(tx: Transaction, access: Access, now: int, command: ChangeFlavorAccess) -> list[str]:
    """Revoke the access of a project; return the projects that still have it."""
    flavor = _lock(tx, command)
    _refuse_public(flavor, command)
    if not flavors.revoke(tx, flavor, command.project):
        raise FlavorAccessNotFound(flavor=command.flavor, project=command.project)
    return flavors.access(tx, flavor)


def _visible(tx: Transaction, flavor: Flavor | None, command: FlavorReference) -> Flavor:
    """Return the flavor; raise FlavorNotFound when the caller does not see it."""
    if flavor is None or not _is_visible(tx, flavor, command.visibility):
        raise FlavorNotFound(flavor=command.flavor)
    return flavor


def _is_visible(tx: Transaction, flavor: Flavor, visibility: VisibleProjects) -> bool:
    if flavor.public or visibility is EVERY_PROJECT:
        return True
    return not visibility.isdisjoint(flavors.access(tx, flavor))


def _lock(tx: Transaction, command: FlavorReference) -> Flavor:
    """Lock a flavor and return it; the private flavor of a reservation cannot be changed."""
    flavor = _visible(tx, flavors.lock(tx, command.flavor), command)
    if flavor.reservation_id is not None:
        raise FlavorOfReservation(flavor=command.flavor)
    return flavor


def _refuse_public(flavor: Flavor, command: ChangeFlavorAccess) -> None:
    if flavor.public and command.strict:
        raise PublicFlavor(flavor=command.flavor)
