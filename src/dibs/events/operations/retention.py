"""Remove events by age."""

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.events.queries import retention

SECOND = 1_000_000
COUNT_MAX = 400
"""How many events one transaction removes."""


class RemoveOldEvents(Struct, frozen=True, kw_only=True):
    """Remove events from more than this long ago."""

    seconds: float


def remove_old_events(tx: Transaction, access: Access, now: int, command: RemoveOldEvents) -> int:
    """Remove some of the oldest events; return how many. The caller repeats it while it returns COUNT_MAX."""
    return retention.remove(tx, now - int(command.seconds * SECOND), COUNT_MAX)
