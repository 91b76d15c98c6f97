"""The life of a delivery, without HTTP."""

import pytest

from dibs.access.access import SERVICE
from dibs.events.operations.retention import RemoveOldEvents, remove_old_events
from dibs.webhooks.model.retries import GIVE_UP_SECONDS
from dibs.webhooks.model.webhooks import Attempt, Webhook
from dibs.webhooks.operations.delivering import (
    TAKEN_SECONDS,
    DueMessage,
    RecordAttempt,
    RemoveOldDeliveries,
    drop_delivery,
    list_due_webhooks,
    record_attempt,
    release_webhook,
    remove_old_deliveries,
    take_webhook,
)
from dibs.webhooks.operations.webhooks import delete_webhook
from tests import event_rows
from tests.builders import Ledger
from tests.webhooks.builders import deliveries, publish, show, subscribe


@pytest.fixture
def webhook(ledger: Ledger) -> Webhook:
    """A webhook with two deliveries that are due."""
    made = subscribe(ledger, types=("node",))
    for _ in range(2):
        ledger.enrol()
    publish(ledger)
    return made


def take(ledger: Ledger) -> list[DueMessage] | None:
    (due,) = ledger.runner.read(list_due_webhooks, SERVICE, 10)
    return ledger.runner.write(take_webhook, SERVICE, due)


def record(ledger: Ledger, webhook: Webhook, due: DueMessage, attempt: Attempt) -> bool:
    command = RecordAttempt(webhook=webhook.uuid, delivery=due.delivery, attempt=attempt)
    return ledger.runner.write(record_attempt, SERVICE, command)


def states(ledger: Ledger, webhook: Webhook) -> list[str]:
    return [each.state for each in deliveries(ledger, webhook)]


def test_taken_webhook_is_due_for_no_other_conductor_until_its_time_is_over(ledger: Ledger, webhook: Webhook) -> None:
    (due,) = ledger.runner.read(list_due_webhooks, SERVICE, 10)
    first = ledger.runner.write(take_webhook, SERVICE, due)
    assert ledger.runner.write(take_webhook, SERVICE, due) is None
    assert ledger.runner.read(list_due_webhooks, SERVICE, 10) == []
    ledger.clock.move(TAKEN_SECONDS)
    again = take(ledger)
    assert first is not None
    assert again is not None
    assert [each.message.headers["webhook-id"] for each in again if each.message] == [
        each.message.headers["webhook-id"] for each in first if each.message
    ]


def test_delivered_messages_leave_nothing_due(ledger: Ledger, webhook: Webhook) -> None:
    assert all(record(ledger, webhook, due, Attempt(status=204)) for due in take(ledger) or [])
    ledger.runner.write(release_webhook, SERVICE, webhook.uuid)
    assert states(ledger, webhook) == ["delivered"] * 2
    assert show(ledger, webhook).due_at is None
    assert show(ledger, webhook).delivered_at is not None
    ledger.enrol()
    publish(ledger)
    assert len(take(ledger) or []) == 1


def test_unreachable_receiver_pauses_and_then_gets_everything(ledger: Ledger, webhook: Webhook) -> None:
    for pause in (5, 10, 20):
        first, *_ = take(ledger) or []
        assert not record(ledger, webhook, first, Attempt(problem="refused"))
        ledger.runner.write(release_webhook, SERVICE, webhook.uuid)
        assert ledger.runner.read(list_due_webhooks, SERVICE, 10) == []
        ledger.clock.move(pause + 1)
    due = take(ledger) or []
    assert len(due) == 2
    assert all(record(ledger, webhook, each, Attempt(status=200)) for each in due)
    assert sum(each.attempts for each in deliveries(ledger, webhook)) == 3 + 2


def test_refused_message_does_not_hold_up_the_next(ledger: Ledger, webhook: Webhook) -> None:
    first, second = take(ledger) or []
    assert record(ledger, webhook, first, Attempt(status=400))
    assert record(ledger, webhook, second, Attempt(status=200))
    ledger.runner.write(release_webhook, SERVICE, webhook.uuid)
    assert states(ledger, webhook) == ["pending", "delivered"]
    ledger.clock.move(6)
    assert len(take(ledger) or []) == 1


def test_webhook_that_fails_for_days_is_disabled_and_receives_no_more(ledger: Ledger, webhook: Webhook) -> None:
    first, *_ = take(ledger) or []
    record(ledger, webhook, first, Attempt(status=503))
    ledger.runner.write(release_webhook, SERVICE, webhook.uuid)
    ledger.clock.move(GIVE_UP_SECONDS)
    first, *_ = take(ledger) or []
    assert not record(ledger, webhook, first, Attempt(status=503))
    ledger.runner.write(release_webhook, SERVICE, webhook.uuid)
    disabled = show(ledger, webhook)
    assert disabled.disabled_reason is not None
    assert "3 days" in disabled.disabled_reason
    assert event_rows.types(ledger.store)[-1] == "webhook.disabled"
    ledger.revive_conductor()
    ledger.enrol()
    publish(ledger)
    assert ledger.runner.read(list_due_webhooks, SERVICE, 10) == []
    assert len(deliveries(ledger, webhook)) == 2


def test_deleted_webhook_is_left_alone(ledger: Ledger, webhook: Webhook) -> None:
    first, *_ = take(ledger) or []
    ledger.runner.write(delete_webhook, SERVICE, webhook.uuid)
    assert not record(ledger, webhook, first, Attempt(status=204))
    ledger.runner.write(release_webhook, SERVICE, webhook.uuid)
    ledger.clock.move(TAKEN_SECONDS)
    assert ledger.runner.read(list_due_webhooks, SERVICE, 10) == []


def test_delivery_of_a_removed_event_is_given_up(ledger: Ledger, webhook: Webhook) -> None:
    ledger.clock.move(100)
    ledger.runner.write(remove_old_events, SERVICE, RemoveOldEvents(seconds=50))
    due = take(ledger) or []
    assert [each.message for each in due] == [None, None]
    ledger.runner.write(drop_delivery, SERVICE, due[0].delivery)
    (first, _) = deliveries(ledger, webhook)
    assert first.state == "failed"
    assert "event_retention_days" in (first.last_error or "")


def test_old_deliveries_are_removed(ledger: Ledger, webhook: Webhook) -> None:
    assert ledger.runner.write(remove_old_deliveries, SERVICE, RemoveOldDeliveries(seconds=50)) == 0
    ledger.clock.move(100)
    ledger.revive_conductor()
    ledger.enrol()
    publish(ledger)
    assert ledger.runner.write(remove_old_deliveries, SERVICE, RemoveOldDeliveries(seconds=50)) == 2
    assert len(deliveries(ledger, webhook)) == 1
