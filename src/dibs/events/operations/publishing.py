"""Give committed events their positions in streams, one transaction at a time.

Row ids cannot be the positions: an id is issued when the row is inserted, so an event with a smaller id may be
committed later, and a reader that has seen the larger id would never see it. A publisher sees only committed events,
and no two publish at once. So a reader that has seen a position has seen, or can read, everything before it.
"""

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.events.queries import positions

COUNT_MAX = 400
"""How many events one transaction publishes."""


def has_unpublished_events(tx: Transaction, access: Access, now: int, command: None) -> bool:
    """Return True when there is something to publish. A read, so that idle conductors do not take the lock."""
    return positions.any_without(tx)


def publish_events(tx: Transaction, access: Access, now: int, command: None) -> int:
    """Give events without a position the next ones, in the order of their ids; return how many."""
    return positions.give(tx, positions.lock(tx), COUNT_MAX)
