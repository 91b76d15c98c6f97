"""What events record of webhooks: neither the URL, which may contain a key, nor how attempts went."""

from dibs.events.model.events import Event, Watch
from dibs.webhooks.model.webhooks import Webhook

DISABLED = "disabled"
ENABLED = "enabled"
_WEBHOOK = Watch(kind="webhook", names=("project_id", "types", "disabled_reason"))


def webhook_event(before: Webhook | None, after: Webhook | None) -> Event | None:
    """Return the event of a change to a webhook."""
    present = after or before
    assert present is not None
    verb = None
    if before is not None and after is not None and before.disabled_at != after.disabled_at:
        verb = ENABLED if after.disabled_at is None else DISABLED
    return _WEBHOOK.event(
        before,
        after,
        object_id=present.uuid,
        project=present.project_id,
        verb=verb,
    )
