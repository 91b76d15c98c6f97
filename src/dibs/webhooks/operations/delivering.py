"""The life of a delivery: due, taken by one conductor with its webhook, then delivered, retried or given up.

A conductor takes a webhook, posts its messages one after the other with no transaction open, records each result, and
releases the webhook. When the conductor fails in between, the webhook is due again after TAKEN_SECONDS, and any
conductor repeats what was not recorded: a receiver gets each message at least once.
"""

from msgspec import Struct
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.events.queries import pages
from dibs.webhooks.model.messages import Message, message_of
from dibs.webhooks.model.retries import EVENT_REMOVED, SECOND, after_attempt, give_up
from dibs.webhooks.model.webhooks import PENDING, Attempt
from dibs.webhooks.queries import deliveries, webhooks

TAKEN_SECONDS = 60
"""After this time another conductor may take a webhook whose release was not recorded."""
MESSAGES_MAX = 20
"""How many messages a conductor posts before it releases the webhook."""
DELIVERIES_REMOVED_MAX = 400
"""How many deliveries one transaction removes."""


class DueWebhook(Struct, frozen=True, kw_only=True):
    """A webhook with deliveries that are due."""

    webhook: str
    due_at: int


class DueMessage(Struct, frozen=True, kw_only=True):
    """A delivery that is due, and its message; None when the event no longer exists."""

    delivery: int
    message: Message | None


class RecordAttempt(Struct, frozen=True, kw_only=True):
    """Record the result of posting one message."""

    webhook: str
    delivery: int
    attempt: Attempt


class RemoveOldDeliveries(Struct, frozen=True, kw_only=True):
    """Remove deliveries from more than this long ago."""

    seconds: float


def list_due_webhooks(tx: Transaction, access: Access, now: int, count_max: int) -> list[DueWebhook]:
    """Return webhooks with deliveries that are due, the longest waiting first."""
    return [DueWebhook(webhook=uuid, due_at=due_at) for uuid, due_at in webhooks.due(tx, now, count_max)]


def take_webhook(tx: Transaction, access: Access, now: int, command: DueWebhook) -> list[DueMessage] | None:
    """Keep other conductors from a webhook, and return what to post; None when another conductor took it."""
    if not webhooks.take(tx, command.webhook, command.due_at, now + TAKEN_SECONDS * SECOND):
        return None
    webhook = webhooks.get(tx, command.webhook)
    due = deliveries.due(tx, command.webhook, now, MESSAGES_MAX)
    if webhook is None or not due:
        return []
    secret = webhooks.secret_of(tx, webhook.uuid)
    events = pages.at_positions(tx, [each.position for each in due])
    return [
        DueMessage(
            delivery=each.id,
            message=message_of(webhook.url, secret, events[each.position], now) if each.position in events else None,
        )
        for each in due
    ]


def record_attempt(tx: Transaction, access: Access, now: int, command: RecordAttempt) -> bool:
    """Store the result of posting a message; return True when the next message may be posted."""
    webhook = webhooks.lock(tx, command.webhook)
    delivery = deliveries.get(tx, command.delivery)
    if webhook is None or webhook.disabled_at is not None:
        return False
    if delivery is None or delivery.state != PENDING:
        return True
    after, delivery = after_attempt(webhook, delivery, command.attempt, now)
    webhooks.save(tx, webhook, after)
    deliveries.save(tx, delivery)
    return after.disabled_at is None and (after.retry_at is None or after.retry_at <= now)


def drop_delivery(tx: Transaction, access: Access, now: int, delivery_id: int) -> None:
    """Give up a delivery whose event no longer exists."""
    delivery = deliveries.get(tx, delivery_id)
    if delivery is not None and delivery.state == PENDING:
        deliveries.save(tx, give_up(delivery, EVENT_REMOVED, now))


def release_webhook(tx: Transaction, access: Access, now: int, ident: str) -> None:
    """Let any conductor take a webhook once its next delivery is due, and its receiver had its pause."""
    webhook = webhooks.lock(tx, ident)
    if webhook is None or webhook.disabled_at is not None:
        return
    due_at = deliveries.first_due(tx, ident)
    if due_at is not None and webhook.retry_at is not None:
        due_at = max(due_at, webhook.retry_at)
    webhooks.save(tx, webhook, replace(webhook, due_at=due_at))


def remove_old_deliveries(tx: Transaction, access: Access, now: int, command: RemoveOldDeliveries) -> int:
    """Remove some of the oldest deliveries; return how many. Repeat it while it returns DELIVERIES_REMOVED_MAX."""
    return deliveries.remove(tx, now - int(command.seconds * SECOND), DELIVERIES_REMOVED_MAX)
