"""Webhooks and their secrets."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import select

from dibs.access.access import SERVICE
from dibs.database.columns import SEALED, Vault
from dibs.database.transaction import Transaction
from dibs.webhooks.model.errors import TooManyWebhooks
from dibs.webhooks.model.webhooks import WEBHOOKS_MAX, Attempt, Webhook
from dibs.webhooks.operations.delivering import RecordAttempt, list_due_webhooks, record_attempt, take_webhook
from dibs.webhooks.operations.webhooks import delete_webhook, enable_webhook, encrypt_webhook_secrets
from dibs.webhooks.queries import webhooks
from dibs.webhooks.tables import webhooks as table
from dibs.wiring.hooks import build_runner
from tests import event_rows
from tests.builders import Ledger
from tests.webhooks.builders import SECRET, deliveries, publish, show, subscribe


def test_project_has_a_bounded_number_of_webhooks(ledger: Ledger) -> None:
    made = [subscribe(ledger, project="p1") for _ in range(WEBHOOKS_MAX)]
    with pytest.raises(TooManyWebhooks):
        subscribe(ledger, project="p1")
    subscribe(ledger, project="p2")
    subscribe(ledger)
    ledger.runner.write(delete_webhook, SERVICE, made[0].uuid)
    subscribe(ledger, project="p1")


def test_events_of_a_webhook_show_neither_url_nor_secret(ledger: Ledger) -> None:
    made = subscribe(ledger, "https://example.org/key-123", project="p1", types=("lease",))
    ledger.runner.write(delete_webhook, SERVICE, made.uuid)
    created, deleted = event_rows.rows(ledger.store)[-2:]
    assert (created["type"], deleted["type"]) == ("webhook.created", "webhook.deleted")
    assert created["after_state"] == {"project_id": "p1", "types": ["lease"]}
    assert created["project_id"] == "p1"


def test_secret_is_encrypted_and_can_get_another_key(ledger: Ledger) -> None:
    first, second = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    clear = subscribe(ledger)
    ledger.runner = build_runner(ledger.store, ledger.clock, Vault([first]))
    sealed = subscribe(ledger)

    def stored() -> set[bool]:
        return {text.startswith(SEALED) for text in ledger.store.read(lambda tx: tx.values(select(table.c.secret)))}

    assert stored() == {False, True}
    rotating = build_runner(ledger.store, ledger.clock, Vault([second, first]))
    assert rotating.write(encrypt_webhook_secrets, SERVICE, None) == 2
    assert stored() == {True}
    ledger.runner = build_runner(ledger.store, ledger.clock, Vault([second]))
    for webhook in (clear, sealed):
        assert ledger.run(lambda tx, uuid=webhook.uuid: webhooks.secret_of(tx, uuid)) == SECRET


def gone(ledger: Ledger) -> Webhook:
    """Return a webhook that was disabled when its receiver answered 410 to the first of two messages."""
    webhook = subscribe(ledger, project=None, types=("node",))
    for _ in range(2):
        ledger.enrol()
    publish(ledger)
    (due,) = ledger.runner.read(list_due_webhooks, SERVICE, 10)
    first, _ = ledger.runner.write(take_webhook, SERVICE, due) or []
    command = RecordAttempt(webhook=webhook.uuid, delivery=first.delivery, attempt=Attempt(status=410))
    assert not ledger.runner.write(record_attempt, SERVICE, command)
    assert show(ledger, webhook).disabled_reason is not None
    return webhook


def test_enabled_webhook_goes_on_with_what_waits_and_what_happens_next(ledger: Ledger) -> None:
    webhook = gone(ledger)
    enabled = ledger.runner.write(enable_webhook, SERVICE, webhook.uuid)
    assert (enabled.disabled_at, enabled.disabled_reason, enabled.failures, enabled.last_error) == (None, None, 0, None)
    assert show(ledger, webhook) == enabled
    assert [each.state for each in deliveries(ledger, webhook)] == ["failed", "pending"]
    ledger.clock.move(60)
    (due,) = ledger.runner.read(list_due_webhooks, SERVICE, 10)
    (waiting,) = ledger.runner.write(take_webhook, SERVICE, due) or []
    assert waiting.delivery == deliveries(ledger, webhook)[1].id


def test_events_from_before_a_webhook_is_enabled_are_not_sent(ledger: Ledger) -> None:
    webhook = gone(ledger)
    ledger.enrol()
    publish(ledger)
    ledger.runner.write(enable_webhook, SERVICE, webhook.uuid)
    after = ledger.enrol()
    publish(ledger)
    assert len(deliveries(ledger, webhook)) == 3
    assert after.uuid in [row["object_id"] for row in event_rows.rows(ledger.store) if row["type"] == "node.created"]
    assert "webhook.enabled" in event_rows.types(ledger.store)


def test_enabled_webhook_stays_as_it_is(ledger: Ledger) -> None:
    webhook = subscribe(ledger)
    before = show(ledger, webhook)
    ledger.enrol()
    publish(ledger)
    changed = show(ledger, webhook)
    assert ledger.runner.write(enable_webhook, SERVICE, webhook.uuid) == changed
    assert changed.position == before.position


@pytest.mark.server_engines
def test_webhook_is_not_created_while_events_are_routed(ledger: Ledger) -> None:
    """A routing that began before would pass over an event that commits after the webhook, without a delivery."""
    with ThreadPoolExecutor(1) as pool:

        def route_slowly(tx: Transaction) -> None:
            webhooks.lock_position(tx)
            creating = pool.submit(subscribe, ledger)
            with pytest.raises(TimeoutError):
                creating.result(timeout=0.5)

        ledger.store.write(route_slowly)
        pool.submit(int).result(timeout=30)
