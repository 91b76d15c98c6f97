"""Events that the ledger publishes after a commit."""

from msgspec import Struct


class CapacityFreed(Struct, frozen=True):
    """A claim was released or a provider changed, so a queued allocation may find a node now."""


CAPACITY_FREED = CapacityFreed()
