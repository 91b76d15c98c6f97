"""Errors about allocations."""

from dibs.errors import DibsError


class AllocationNotFound(DibsError):
    """Allocation {allocation} could not be found."""


class NodeHasNoAllocation(DibsError):
    """Allocation for node {node} was not found"""


class AllocationExists(DibsError):
    """An allocation with {field} {value} already exists."""


class InstanceInUse(DibsError):
    """Instance {instance} is already in use, so no allocation can have its UUID."""


class CannotBackfill(DibsError):
    """Cannot backfill an allocation for node {node}: {reason}."""


class NodePromised(DibsError):
    """Node {node} is promised to an allocation in the queue from {start} on."""


class NoConductorAvailable(DibsError):
    """No conductor is available to find a node. Please try again."""
