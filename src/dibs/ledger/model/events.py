"""What the ledger announces after a commit."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CapacityFreed:
    """Something was released or changed, so that a node may be free for an allocation that had none before."""


CAPACITY_FREED = CapacityFreed()
