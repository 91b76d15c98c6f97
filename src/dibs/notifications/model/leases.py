"""Events of leases as Blazar's notifications. The payload has the attributes that the event has."""

from collections.abc import Mapping

from dibs.events.model.documents import format_time
from dibs.events.model.events import CHANGED, CREATED, DELETED
from dibs.events.model.stored import StoredEvent
from dibs.notifications.model.messages import LEASES, Message

TYPES: Mapping[str, str] = {
    CREATED: "lease.create",
    CHANGED: "lease.update",
    DELETED: "lease.delete",
    "started": "lease.event.start_lease",
    "ending_soon": "lease.event.before_end_lease",
    "ended": "lease.event.end_lease",
}
_NAMES = ("name", "user_id", "status", "degraded")
_DATES = {"start_at": "start_date", "end_at": "end_date"}
_BY_CLIENTS = frozenset({"name", *_DATES})
"""What a client changes; Blazar does not notify of the steps of a status."""


def lease_messages(event: StoredEvent) -> list[Message]:
    """Return what Blazar would notify of an event of a lease."""
    verb = event.type.partition(".")[2]
    state = (event.before if verb == DELETED else event.after) or {}
    if verb not in TYPES or (verb == CHANGED and not state.keys() & _BY_CLIENTS):
        return []
    payload = {"lease_id": event.object_id, "project_id": event.project_id}
    payload |= {name: state[name] for name in _NAMES if name in state}
    payload |= {word: format_time(state[name])[:26] for name, word in _DATES.items() if name in state}
    return [Message(family=LEASES, event_type=TYPES[verb], payload=payload)]
