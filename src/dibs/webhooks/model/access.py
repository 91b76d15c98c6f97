"""Access to webhooks: ``create_all`` and ``get_all`` cover every project.

A webhook of no project receives the events of all of them, so only a caller who may see all events creates one.
"""

from dibs.access.access import Access
from dibs.access.project_rules import ProjectRules
from dibs.webhooks.model.errors import WebhookNotFound
from dibs.webhooks.model.webhooks import Webhook

RULES = ProjectRules("dibs:webhook")


def check_webhook(access: Access, webhook: Webhook | None, ident: str) -> Webhook:
    """Return a webhook that the caller may see; for any other caller it does not exist."""
    sees = RULES.sees(access, webhook.project_id if webhook is not None else None)
    if webhook is None or not sees:
        raise WebhookNotFound(webhook=ident)
    return webhook
