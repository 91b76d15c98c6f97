"""The history of a node as the bare-metal API shows it: its events, each as a sentence."""

import json
from uuid import UUID

from msgspec import Struct

from dibs.events.model.events import CREATED
from dibs.events.model.stored import StoredEvent

ERROR, INFO = "ERROR", "INFO"


class HistoryEntry(Struct, frozen=True, kw_only=True):
    """One change of a node."""

    id: int
    created_at: int
    severity: str
    event_type: str
    """The operation that made the change."""
    event: str
    """The error, or the attributes that changed."""
    conductor: None = None
    """Events do not name the conductor."""
    user: str | None
    project: str | None
    state: str | None
    target_provision_state: str | None
    """The state and the target after the change; None when it did not change them."""
    duration_seconds: None = None

    @property
    def uuid(self) -> str:
        """The id of the event, written as a uuid."""
        return str(UUID(int=self.id))


def history_entry(event: StoredEvent) -> HistoryEntry:
    """Return the entry of an event of a node."""
    after = event.after or {}
    error = after.get("last_error")
    return HistoryEntry(
        id=event.id,
        created_at=event.happened_at,
        severity=ERROR if error else INFO,
        event_type=event.operation,
        event=str(error) if error else _describe(event),
        user=event.actor_user,
        project=event.actor_project,
        state=after.get("provision_state"),
        target_provision_state=after.get("target_provision_state"),
    )


def event_id(uuid: str) -> int | None:
    """Return the id of the event that an entry shows; None for a uuid of something else."""
    number = UUID(uuid).int
    return number if number < 2**63 else None


def _describe(event: StoredEvent) -> str:
    if event.type.endswith(f".{CREATED}"):
        return "The node was created."
    before, after = event.before or {}, event.after or {}
    changes = (f"{name}: {_shown(before.get(name))} → {_shown(value)}" for name, value in after.items())
    return "; ".join(changes)


def _shown(value: object) -> str:
    if value in (None, ""):
        return "none"
    return value if isinstance(value, str) else json.dumps(value)
