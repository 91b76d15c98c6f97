"""Events that the ledger publishes after a commit."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CapacityFreed:
    """A claim was released or a provider changed, so a queued allocation may find a node now."""


CAPACITY_FREED = CapacityFreed()
