"""Events that operations on leases publish after their commit."""

from msgspec import Struct


class LeaseChanged(Struct, frozen=True):
    """A lease was created or changed: one of its events may be due at once."""


LEASE_CHANGED = LeaseChanged()
