"""Add a delivery for each published event and each webhook that receives it.

One transaction at a time reads the events after the position where the last one stopped, adds the deliveries and moves
the position. So every event is looked at once, and after a crash the next conductor goes on where the rows end.
"""

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.events.queries import pages, positions
from dibs.webhooks.queries import deliveries, webhooks

EVENTS_MAX = 400
"""How many events one transaction looks at."""
DELIVERIES_MAX = 2_000
"""A transaction looks at no further event once it has this many deliveries."""


def has_events_to_route(tx: Transaction, access: Access, now: int, command: None) -> bool:
    """Return True when events may have to be delivered. A read, so that idle conductors do not take the lock."""
    # Most sites have no webhook: then this is one statement.
    return bool(webhooks.enabled(tx)) and webhooks.position(tx) < positions.last(tx)


def route_events(tx: Transaction, access: Access, now: int, command: None) -> int:
    """Add the deliveries of the next published events; return how many events were looked at."""
    after = webhooks.lock_position(tx)
    receivers = webhooks.enabled(tx)
    if not receivers:
        return 0
    # No receiver wants the events from before its creation.
    after = max(after, min(webhook.position for webhook in receivers))
    rows, due, seen = [], set(), 0
    for event in pages.published(tx, after, EVENTS_MAX):
        found = [webhook for webhook in receivers if webhook.receives(event)]
        rows += [{"webhook": each.uuid, "position": event.position, "type": event.type} for each in found]
        due |= {each.id for each in found}
        after, seen = event.position or after, seen + 1
        if len(rows) >= DELIVERIES_MAX:
            break
    # The lock of a webhook comes before its deliveries: a conductor that finds none pending holds it too.
    webhooks.mark_due(tx, sorted(due), now)
    deliveries.add(tx, rows, now)
    webhooks.move_position(tx, after)
    return seen
