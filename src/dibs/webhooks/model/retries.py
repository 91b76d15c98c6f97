"""What follows from an attempt: when the next one is made, and when a delivery or a webhook is given up.

A receiver that cannot be reached pauses its webhook: the pause doubles with each failure, so a dead receiver costs
one attempt per pause, however many events wait. An answer that refuses one message (a 4xx) postpones that message
only.
"""

from http import HTTPStatus

from msgspec.structs import replace

from dibs.webhooks.model.webhooks import DELIVERED, FAILED, Attempt, Delivery, Webhook

SECOND = 1_000_000
FIRST_PAUSE_SECONDS = 5
LONGEST_PAUSE_SECONDS = 3_600
GIVE_UP_SECONDS = 3 * 24 * 3_600
"""How long a delivery is retried, and how long all attempts may fail before the webhook is disabled."""

GONE = "The receiver answered 410 Gone."
EVENT_REMOVED = "The event was removed, because it is older than event_retention_days."

_RETRY_ALL = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS})


def after_attempt(webhook: Webhook, delivery: Delivery, attempt: Attempt, now: int) -> tuple[Webhook, Delivery]:
    """Return the webhook and the delivery as they are after an attempt."""
    delivery = replace(delivery, attempts=delivery.attempts + 1, last_status=attempt.status, last_error=None)
    if attempt.status is not None and HTTPStatus.OK <= attempt.status < HTTPStatus.MULTIPLE_CHOICES:
        webhook = replace(webhook, failures=0, failing_since=None, retry_at=None, delivered_at=now, last_error=None)
        return webhook, replace(delivery, state=DELIVERED, finished_at=now)
    problem = attempt.problem or f"The receiver answered {attempt.status}."
    since = now if webhook.failing_since is None else webhook.failing_since
    webhook = replace(webhook, failures=webhook.failures + 1, failing_since=since, last_error=problem)
    delivery = replace(delivery, last_error=problem, due_at=now + pause_after(delivery.attempts))
    if attempt.status is None or attempt.status >= HTTPStatus.INTERNAL_SERVER_ERROR or attempt.status in _RETRY_ALL:
        webhook = replace(webhook, retry_at=now + pause_after(webhook.failures))
    if attempt.status == HTTPStatus.GONE:
        return disable(webhook, GONE, now), give_up(delivery, GONE, now)
    if now - since >= GIVE_UP_SECONDS * SECOND:
        reason = f"No delivery has succeeded for {GIVE_UP_SECONDS // 86_400} days. The last attempt: {problem}"
        webhook = disable(webhook, reason, now)
    if now - delivery.created_at >= GIVE_UP_SECONDS * SECOND:
        delivery = give_up(delivery, problem, now)
    return webhook, delivery


def disable(webhook: Webhook, reason: str, now: int) -> Webhook:
    """Return the webhook as it is once nothing more is delivered to it."""
    return replace(webhook, disabled_at=now, disabled_reason=reason, due_at=None)


def enable(webhook: Webhook, position: int, due_at: int | None) -> Webhook:
    """Return a disabled webhook as it is once it receives the events after a position, as a new one does."""
    return replace(
        webhook,
        position=position,
        due_at=due_at,
        failures=0,
        failing_since=None,
        retry_at=None,
        last_error=None,
        disabled_at=None,
        disabled_reason=None,
    )


def give_up(delivery: Delivery, problem: str, now: int) -> Delivery:
    """Return the delivery as it is once it is not tried any more."""
    return replace(delivery, state=FAILED, finished_at=now, last_error=problem)


def pause_after(failures: int) -> int:
    """Return the microseconds to wait after this many failures in a row: twice as long each time, up to a limit."""
    return min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS << min(failures - 1, 16)) * SECOND
