"""Create, show, list and delete webhooks, and list their deliveries."""

import uuid

from msgspec import Struct

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.events.queries import positions
from dibs.webhooks.model.access import RULES, check_webhook
from dibs.webhooks.model.errors import TooManyWebhooks
from dibs.webhooks.model.retries import enable
from dibs.webhooks.model.targets import TargetRules
from dibs.webhooks.model.webhooks import WEBHOOKS_MAX, Delivery, Webhook
from dibs.webhooks.queries import deliveries, webhooks


class CreateWebhook(Struct, frozen=True, kw_only=True):
    """Send the events of a project, or of every project, to a URL from now on."""

    url: str
    project: str | None
    """None stands for every project."""
    types: tuple[str, ...] = ()
    secret: str
    targets: TargetRules = TargetRules()


class ListWebhooks(Struct, frozen=True, kw_only=True):
    """List the webhooks that the caller sees."""

    marker: str | None = None
    """The uuid of the last webhook of the page before."""
    limit: int


class ListDeliveries(Struct, frozen=True, kw_only=True):
    """List the deliveries of a webhook."""

    webhook: str
    state: str | None = None
    marker: int | None = None
    """The id of the last delivery of the page before."""
    limit: int


def create_webhook(tx: Transaction, access: Access, now: int, command: CreateWebhook) -> Webhook:
    """Create a webhook. It receives what is published from now on."""
    RULES.require_to_create(access, command.project)
    command.targets.check(command.url)
    # No transaction routes events meanwhile: one that began before would pass over events that happen after this. Nor
    # does another one create a webhook, so that the count holds.
    webhooks.lock_position(tx)
    if webhooks.count(tx, command.project) >= WEBHOOKS_MAX:
        raise TooManyWebhooks(limit=WEBHOOKS_MAX)
    made = Webhook(
        id=0,
        uuid=str(uuid.uuid4()),
        project_id=command.project,
        url=command.url,
        types=command.types,
        position=positions.last(tx),
        created_at=now,
    )
    return webhooks.create(tx, made, command.secret)


def get_webhook(tx: Transaction, access: Access, now: int, ident: str) -> Webhook:
    """Return a webhook by its uuid."""
    return check_webhook(access, webhooks.get(tx, ident), ident)


def list_webhooks(tx: Transaction, access: Access, now: int, command: ListWebhooks) -> list[Webhook]:
    """Return one page of the webhooks that the caller sees, the oldest first."""
    visible = RULES.visible(access)
    after = 0 if command.marker is None else get_webhook(tx, access, now, command.marker).id
    return webhooks.page(tx, visible, after, command.limit)


def enable_webhook(tx: Transaction, access: Access, now: int, ident: str) -> Webhook:
    """Enable a webhook that Dibs has disabled. It receives what is published from now on, and what still waits for it.

    Deliveries that were given up stay failed, and events that happened while it was disabled have no deliveries.
    """
    webhooks.lock_position(tx)
    webhook = check_webhook(access, webhooks.lock(tx, ident), ident)
    RULES.require_to_create(access, webhook.project_id)
    if webhook.disabled_at is None:
        return webhook
    enabled = enable(webhook, positions.last(tx), deliveries.first_due(tx, ident))
    webhooks.save(tx, webhook, enabled)
    return enabled


def delete_webhook(tx: Transaction, access: Access, now: int, ident: str) -> None:
    """Delete a webhook: no further attempt begins."""
    webhook = check_webhook(access, webhooks.lock(tx, ident), ident)
    RULES.require_to_delete(access, webhook.project_id)
    webhooks.delete(tx, webhook)


def list_deliveries(tx: Transaction, access: Access, now: int, command: ListDeliveries) -> list[Delivery]:
    """Return one page of the deliveries of a webhook, the newest first."""
    webhook = get_webhook(tx, access, now, command.webhook)
    return deliveries.page(tx, webhook.uuid, command.state, command.marker, command.limit)


def encrypt_webhook_secrets(tx: Transaction, access: Access, now: int, command: None) -> int:
    """Encrypt the secrets of all webhooks with the key that encrypts now; return how many."""
    return webhooks.encrypt_secrets(tx)
