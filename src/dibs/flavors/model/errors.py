"""Errors about flavors."""

from dibs.errors import DibsError


class FlavorNotFound(DibsError):
    """Flavor {flavor} could not be found."""


class ComputeUnavailable(DibsError):
    """The compute service that keeps the flavors cannot be reached: {problem}. Please try again later."""


class FlavorExists(DibsError):
    """Flavor with {field} {value} already exists."""


class FlavorOfReservation(DibsError):
    """Flavor {flavor} belongs to a reservation and can only be changed or deleted with it."""


class FlavorAccessExists(DibsError):
    """Flavor access already exists for flavor {flavor} and project {project} combination."""


class FlavorAccessNotFound(DibsError):
    """Flavor access not found for {flavor} / {project} combination."""


class FlavorSpecNotFound(DibsError):
    """Flavor {flavor} has no extra specs with key {name}."""


class NoFlavorAccess(DibsError):
    """Access list not available for public flavors."""


class PublicFlavor(DibsError):
    """Can not add or remove access of a public flavor."""
