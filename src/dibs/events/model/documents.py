"""Events as documents: what audit, streams and webhooks show of an event."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from dibs.events.model.stored import StoredEvent

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def format_time(instant: int) -> str:
    """Return a time as ISO 8601 text, in UTC, with microseconds."""
    return (_EPOCH + timedelta(microseconds=instant)).isoformat(timespec="microseconds")


def event_document(event: StoredEvent) -> dict[str, Any]:
    """Return an event as a JSON object."""
    return {
        "id": event.id,
        "time": format_time(event.happened_at),
        "type": event.type,
        "object": {"kind": event.kind, "id": event.object_id},
        "node": event.node,
        "project": event.project_id,
        "actor": {"user": event.actor_user, "project": event.actor_project},
        "request_id": event.request_id,
        "operation": event.operation,
        "before": None if event.before is None else state_document(event.before),
        "after": None if event.after is None else state_document(event.after),
    }


def state_document(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return a state with its times as text."""
    return {
        name: format_time(value) if isinstance(value, int) and name.endswith(("_at", "_until")) else value
        for name, value in state.items()
    }
