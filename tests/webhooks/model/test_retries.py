"""What follows from an attempt."""

import pytest
from msgspec.structs import replace

from dibs.webhooks.model.retries import GIVE_UP_SECONDS, LONGEST_PAUSE_SECONDS, SECOND, after_attempt, pause_after
from dibs.webhooks.model.webhooks import DELIVERED, FAILED, PENDING, Attempt, Delivery, Webhook

NOW = 1_800_000_000_000_000
WEBHOOK = Webhook(id=1, uuid="w", project_id="p", url="https://r/", types=(), position=0, created_at=NOW)
DELIVERY = Delivery(
    id=1, webhook="w", position=1, type="node.created", state=PENDING, attempts=0, due_at=NOW, last_status=None,
    last_error=None, created_at=NOW, finished_at=None,
)  # fmt: skip


def test_success_ends_the_delivery_and_the_series_of_failures() -> None:
    failing = replace(WEBHOOK, failures=3, failing_since=NOW - 1, retry_at=NOW, last_error="no")
    webhook, delivery = after_attempt(failing, DELIVERY, Attempt(status=202), NOW)
    assert (delivery.state, delivery.attempts, delivery.finished_at) == (DELIVERED, 1, NOW)
    assert webhook == replace(WEBHOOK, delivered_at=NOW)


@pytest.mark.parametrize("attempt", [Attempt(problem="r: refused"), Attempt(status=503), Attempt(status=429)])
def test_receiver_that_cannot_take_any_message_pauses_the_webhook(attempt: Attempt) -> None:
    webhook, delivery = after_attempt(WEBHOOK, DELIVERY, attempt, NOW)
    assert webhook.retry_at == delivery.due_at == NOW + 5 * SECOND
    assert (webhook.failures, webhook.failing_since, delivery.state) == (1, NOW, PENDING)
    assert webhook.last_error == delivery.last_error == (attempt.problem or f"The receiver answered {attempt.status}.")


@pytest.mark.parametrize("status", [301, 400, 404])
def test_refused_message_waits_alone(status: int) -> None:
    webhook, delivery = after_attempt(WEBHOOK, DELIVERY, Attempt(status=status), NOW)
    assert webhook.retry_at is None
    assert (delivery.state, delivery.due_at, delivery.last_status) == (PENDING, NOW + 5 * SECOND, status)


def test_pause_doubles_up_to_a_limit() -> None:
    assert [pause_after(failures) // SECOND for failures in (1, 2, 3, 10, 11, 1_000)] == [
        5,
        10,
        20,
        2_560,
        3_600,
        3_600,
    ]
    assert pause_after(10_000) == LONGEST_PAUSE_SECONDS * SECOND


def test_webhook_is_disabled_after_days_of_failures_with_the_reason() -> None:
    since = NOW - GIVE_UP_SECONDS * SECOND
    almost, _ = after_attempt(replace(WEBHOOK, failing_since=since + 1), DELIVERY, Attempt(status=500), NOW)
    assert almost.disabled_at is None
    webhook, _ = after_attempt(replace(WEBHOOK, failing_since=since, due_at=NOW), DELIVERY, Attempt(status=500), NOW)
    assert (webhook.disabled_at, webhook.due_at) == (NOW, None)
    assert webhook.disabled_reason == (
        "No delivery has succeeded for 3 days. The last attempt: The receiver answered 500."
    )


def test_delivery_is_given_up_after_days() -> None:
    old = replace(DELIVERY, created_at=NOW - GIVE_UP_SECONDS * SECOND)
    webhook, delivery = after_attempt(WEBHOOK, old, Attempt(status=400), NOW)
    assert (delivery.state, delivery.finished_at) == (FAILED, NOW)
    assert webhook.disabled_at is None


def test_receiver_that_is_gone_disables_the_webhook_at_once() -> None:
    webhook, delivery = after_attempt(WEBHOOK, DELIVERY, Attempt(status=410), NOW)
    assert webhook.disabled_reason == delivery.last_error == "The receiver answered 410 Gone."
    assert delivery.state == FAILED
