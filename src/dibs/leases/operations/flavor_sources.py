"""Flavors that a compute service outside keeps: they are asked for before the transaction, never inside."""

from collections.abc import Callable
from dataclasses import replace

from dibs.access.access import VisibleProjects
from dibs.flavors.model.flavors import Flavor
from dibs.leases.model.leases import FLAVORED_INSTANCES
from dibs.leases.operations.leases import NewLease

FindFlavor = Callable[[str, VisibleProjects], Flavor]
"""Returns a flavor that is public or that one of the projects may use, or raises FlavorNotFound."""


def with_sources(command: NewLease, find_flavor: FindFlavor | None) -> NewLease:
    """The same command with the flavors that it names, if they are kept outside."""
    if find_flavor is None:
        return command
    reservations = [
        replace(each, source=find_flavor(each.flavor or "", command.visibility))
        if each.resource_type == FLAVORED_INSTANCES
        else each
        for each in command.reservations
    ]
    return replace(command, reservations=tuple(reservations))
