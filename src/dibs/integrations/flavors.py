"""Flavors that an external compute service keeps: a dialect looks them up before the transaction, never inside it."""

from collections.abc import Callable

from msgspec.structs import replace

from dibs.access.access import Access, VisibleProjects
from dibs.flavors.model.flavors import Flavor
from dibs.leases.model.access import visible_leases
from dibs.leases.model.leases import FLAVORED_INSTANCES
from dibs.leases.operations.planning import CreateLease

FindFlavor = Callable[[str, VisibleProjects], Flavor]
"""Returns a flavor that is public or that one of the projects may use, or raises FlavorNotFound."""


def with_external_flavors(command: CreateLease, access: Access, find_flavor: FindFlavor | None) -> CreateLease:
    """Return the command with the flavors that it names; unchanged when Dibs keeps the flavors itself."""
    if find_flavor is None:
        return command
    visibility = visible_leases(access)
    reservations = [
        replace(each, source=find_flavor(each.flavor or "", visibility))
        if each.resource_type == FLAVORED_INSTANCES
        else each
        for each in command.reservations
    ]
    return replace(command, reservations=tuple(reservations))
