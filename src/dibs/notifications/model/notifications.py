"""The notifications of an event: none, one, or several when a change of a node has several meanings for Ironic."""

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from dibs.events.model.stored import StoredEvent
from dibs.notifications.model.baremetal import allocation_messages, node_messages
from dibs.notifications.model.leases import lease_messages
from dibs.notifications.model.messages import Message

SECOND = 1_000_000
FIRST_PAUSE_SECONDS = 1
LONGEST_PAUSE_SECONDS = 60

_NAMESPACE = uuid.UUID("5b6f0f0e-6d0b-4e8e-8a52-0b8f6e1d7c35")
_MESSAGES: Mapping[str, Callable[[StoredEvent], list[Message]]] = {
    "node": node_messages,
    "allocation": allocation_messages,
    "lease": lease_messages,
}


class NotSent(Exception):
    """The broker has not taken a notification."""


class Notification(Struct, frozen=True, kw_only=True):
    """A message, and what its envelope says."""

    id: str
    """The same for each attempt, so that a consumer can drop what it has seen."""
    message: Message
    happened_at: int
    context: Mapping[str, Any]


def notifications_of(event: StoredEvent) -> list[Notification]:
    """Return the notifications of an event, in their order."""
    messages = _MESSAGES.get(event.kind)
    if messages is None:
        return []
    context = {"request_id": event.request_id, "user_id": event.actor_user, "project_id": event.actor_project}
    return [
        Notification(
            id=str(uuid.uuid5(_NAMESPACE, f"{event.object_id} {event.id} {place}")),
            message=message,
            happened_at=event.happened_at,
            context=context,
        )
        for place, message in enumerate(messages(event))
    ]


def pause_after(failures: int) -> int:
    """Return the microseconds to wait after this many failures in a row: twice as long each time, up to a limit."""
    return min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS << min(failures - 1, 16)) * SECOND
