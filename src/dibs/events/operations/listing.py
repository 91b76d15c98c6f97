"""List events, and read what was published."""

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.events.model.stored import EventQuery, StoredEvent
from dibs.events.queries import pages, positions


class ReadPublished(Struct, frozen=True, kw_only=True):
    """Read published events after a position."""

    after: int
    count_max: int


def list_events(tx: Transaction, access: Access, now: int, command: EventQuery) -> list[StoredEvent]:
    """Return one page of events of the projects that the caller sees, the newest first."""
    return pages.page(tx, command)


def read_published(tx: Transaction, access: Access, now: int, command: ReadPublished) -> list[StoredEvent]:
    """Return published events of every project, in order; the caller shows each reader what it may see."""
    return pages.published(tx, command.after, command.count_max)


def last_position(tx: Transaction, access: Access, now: int, command: None) -> int:
    """Return the position of the last published event; 0 when there is none."""
    return positions.last(tx)


def count_events(tx: Transaction, access: Access, now: int, command: None) -> int:
    """Return how many events were ever recorded: a number that every committed change moves, published or not."""
    return positions.count(tx)
