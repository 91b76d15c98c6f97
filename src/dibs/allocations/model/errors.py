"""Errors about allocations and holds."""

from dibs.errors import DibsError


class NodeRequestNotFound(DibsError):
    """Allocation {request} could not be found."""


class NodeHasNoRequest(DibsError):
    """Allocation for node {node} was not found"""


class NodeRequestExists(DibsError):
    """An allocation with {field} {value} already exists."""


class InstanceInUse(DibsError):
    """Instance {instance} is in use already, so that no allocation can have its UUID."""


class CannotBackfill(DibsError):
    """Cannot backfill an allocation for node {node}: {reason}."""


class NobodyToFindNodes(DibsError):
    """No conductor is alive just now that could find a node. Please try again."""
