"""Access to webhooks: a caller manages those of its project; ``create_all`` and ``get_all`` cover every project.

A webhook of no project receives the events of all of them, so only a caller who may see all events creates one.
"""

from dibs.access.access import EVERY_PROJECT, Access, VisibleProjects
from dibs.errors import Forbidden
from dibs.webhooks.model.errors import WebhookNotFound
from dibs.webhooks.model.webhooks import Webhook

GET = "dibs:webhook:get"
GET_ALL = "dibs:webhook:get_all"
CREATE = "dibs:webhook:create"
CREATE_ALL = "dibs:webhook:create_all"
DELETE = "dibs:webhook:delete"
DELETE_ALL = "dibs:webhook:delete_all"


def visible_webhooks(access: Access) -> VisibleProjects:
    """Return the projects whose webhooks the caller sees; raise Forbidden when there are none."""
    if access.allows(GET_ALL, {}):
        return EVERY_PROJECT
    if not access.actor.project:
        raise Forbidden(resource=GET_ALL)
    access.require(GET, {})
    return frozenset({access.actor.project})


def check_webhook(access: Access, webhook: Webhook | None, ident: str) -> Webhook:
    """Return a webhook that the caller may see; for any other caller it does not exist."""
    visible = visible_webhooks(access)
    if webhook is None or (visible is not EVERY_PROJECT and webhook.project_id not in visible):
        raise WebhookNotFound(webhook=ident)
    return webhook


def require_to_create(access: Access, project: str | None) -> None:
    """Raise Forbidden unless the caller may create a webhook for the events of a project; None stands for all."""
    if project is None or project != access.actor.project:
        access.require(CREATE_ALL, {})
    else:
        access.require(CREATE, {})


def require_to_delete(access: Access, webhook: Webhook) -> None:
    """Raise Forbidden unless the caller may delete a webhook that it sees."""
    own = webhook.project_id is not None and webhook.project_id == access.actor.project
    access.require(DELETE if own else DELETE_ALL, {})
