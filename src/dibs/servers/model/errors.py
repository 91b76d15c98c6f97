"""Errors about servers and hypervisors."""

from dibs.errors import DibsError


class ServerNotFound(DibsError):
    """Instance {server} could not be found."""


class ServerHasNoMachine(DibsError):
    """Cannot '{action}' instance {server}: Dibs controls the power of bare-metal nodes only, and it runs on none."""


class MetadataItemNotFound(DibsError):
    """Metadata item was not found"""


class TooManyMetadataItems(DibsError):
    """Maximum number of metadata items exceeds {limit}"""


class HypervisorNotFound(DibsError):
    """Hypervisor with ID '{hypervisor}' could not be found."""


class ServiceNotFound(DibsError):
    """Could not find binary {binary} on host {host}."""
