"""The next events to send: taken by one conductor, sent with no transaction open, then passed."""

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.events.queries import pages
from dibs.events.queries import positions as published
from dibs.notifications.model.notifications import SECOND, Notification, notifications_of, pause_after
from dibs.notifications.queries import positions

TAKEN_SECONDS = 60
"""After this time another conductor may send what the one before has not recorded."""
EVENTS_MAX = 50
"""How many events one portion has."""


class Portion(Struct, frozen=True, kw_only=True):
    """Events that this conductor sends, each with its position."""

    taken_until: int
    position: int
    """The position before the first of them."""
    events: tuple[tuple[int, tuple[Notification, ...]], ...]


class FinishPortion(Struct, frozen=True, kw_only=True):
    """Record how far a portion was sent, and why no further."""

    taken_until: int
    position: int
    problem: str | None = None


def has_notifications(tx: Transaction, access: Access, now: int, command: None) -> bool:
    """Return True when this conductor may have events to send. A read, so that idle conductors take no lock."""
    row = positions.get(tx)
    return bool(row["due_at"] <= now and row["position"] != published.last(tx))


def take_portion(tx: Transaction, access: Access, now: int, command: None) -> Portion | None:
    """Keep other conductors from sending, and return what to send; None when another one sends."""
    taken_until = now + TAKEN_SECONDS * SECOND
    if not positions.take(tx, now, taken_until):
        return None
    position = positions.get(tx)["position"]
    if position is None:
        # The first conductor that sends begins with what happens next.
        return Portion(taken_until=taken_until, position=published.last(tx), events=())
    found = pages.published(tx, position, EVENTS_MAX)
    events = tuple((event.position or 0, tuple(notifications_of(event))) for event in found)
    return Portion(taken_until=taken_until, position=position, events=events)


def finish_portion(tx: Transaction, access: Access, now: int, command: FinishPortion) -> bool:
    """Move past what was sent; return False when another conductor has taken over, and sends it again."""
    if command.problem is None:
        return positions.release(tx, command.taken_until, position=command.position, due_at=now)
    failures = int(positions.get(tx)["failures"]) + 1
    return positions.release(
        tx,
        command.taken_until,
        position=command.position,
        due_at=now + pause_after(failures),
        failures=failures,
        error=command.problem,
    )
