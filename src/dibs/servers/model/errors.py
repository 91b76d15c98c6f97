"""Errors about servers and hypervisors."""

from dibs.errors import DibsError


class ServerNotFound(DibsError):
    """Instance {server} could not be found."""


class ServerHasNoMachine(DibsError):
    """Cannot '{action}' instance {server}: it is no bare-metal node, and its host does not take orders from here."""


class HypervisorNotFound(DibsError):
    """Hypervisor with ID '{hypervisor}' could not be found."""


class ServiceNotFound(DibsError):
    """Could not find binary {binary} on host {host}."""
