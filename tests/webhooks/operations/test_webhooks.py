"""Webhooks and their secrets."""

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import select

from dibs.access.access import SERVICE
from dibs.database.columns import SEALED, Vault
from dibs.webhooks.model.errors import TooManyWebhooks
from dibs.webhooks.model.webhooks import WEBHOOKS_MAX
from dibs.webhooks.operations.webhooks import delete_webhook, encrypt_webhook_secrets
from dibs.webhooks.queries import webhooks
from dibs.webhooks.tables import webhooks as table
from dibs.wiring.hooks import build_runner
from tests import event_rows
from tests.builders import Ledger
from tests.webhooks.builders import SECRET, subscribe


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
