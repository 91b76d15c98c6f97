"""Webhooks for tests."""

from dibs.access.access import SERVICE
from dibs.events.operations.publishing import publish_events
from dibs.webhooks.model.messages import new_secret
from dibs.webhooks.model.targets import TargetRules
from dibs.webhooks.model.webhooks import Delivery, Webhook
from dibs.webhooks.operations.routing import route_events
from dibs.webhooks.operations.webhooks import (
    CreateWebhook,
    ListDeliveries,
    create_webhook,
    get_webhook,
    list_deliveries,
)
from tests.builders import Ledger

LOOPBACK = TargetRules.parse("127.0.0.0/8")
SECRET = new_secret(b"s" * 32)


def subscribe(
    ledger: Ledger, url: str = "https://example.org/hook", *, project: str | None = None, types: tuple[str, ...] = ()
) -> Webhook:
    """Create a webhook; without a project it receives the events of every project."""
    command = CreateWebhook(url=url, project=project, types=types, secret=SECRET, targets=LOOPBACK)
    return ledger.runner.write(create_webhook, SERVICE, command)


def publish(ledger: Ledger) -> None:
    """Give events their positions, and webhooks their deliveries, as a conductor does."""
    ledger.runner.write(publish_events, SERVICE, None)
    ledger.runner.write(route_events, SERVICE, None)


def show(ledger: Ledger, webhook: Webhook) -> Webhook:
    """Return the webhook as it is now."""
    return ledger.runner.read(get_webhook, SERVICE, webhook.uuid)


def deliveries(ledger: Ledger, webhook: Webhook) -> list[Delivery]:
    """Return its deliveries, the oldest first."""
    command = ListDeliveries(webhook=webhook.uuid, limit=1_000)
    return ledger.runner.read(list_deliveries, SERVICE, command)[::-1]
