"""The values of webhooks and their deliveries."""

from msgspec import Struct

from dibs.events.model.stored import StoredEvent

WEBHOOKS_MAX = 20
"""How many webhooks a project may have: each costs a delivery for each event."""

PENDING = "pending"
DELIVERED = "delivered"
FAILED = "failed"
STATES = (PENDING, DELIVERED, FAILED)


class Webhook(Struct, frozen=True, kw_only=True):
    """A URL that receives events."""

    id: int
    uuid: str
    project_id: str | None
    """The project whose events it receives; None for those of every project."""
    url: str
    types: tuple[str, ...]
    """The types (``lease.started``) or kinds of objects (``lease``) that it receives; empty for all."""
    position: int
    """It receives the events after this position."""
    due_at: int | None = None
    """When a conductor looks at its deliveries; None while none is pending."""
    failures: int = 0
    """How many attempts have failed since the last one that succeeded."""
    failing_since: int | None = None
    retry_at: int | None = None
    """No attempt is made before this moment, because the receiver could not be reached."""
    delivered_at: int | None = None
    """When the last attempt succeeded."""
    last_error: str | None = None
    disabled_at: int | None = None
    disabled_reason: str | None = None
    created_at: int

    def receives(self, event: StoredEvent) -> bool:
        """Return True when the webhook receives this event."""
        if (event.position or 0) <= self.position or self.project_id not in (None, event.project_id):
            return False
        return not self.types or event.type in self.types or event.kind in self.types


class Delivery(Struct, frozen=True, kw_only=True):
    """One event for one webhook."""

    id: int
    webhook: str
    """The uuid of the webhook."""
    position: int
    """The position of the event."""
    type: str
    """The type of the event."""
    state: str
    attempts: int
    due_at: int
    last_status: int | None
    """The HTTP status of the last answer; None when there was none."""
    last_error: str | None
    created_at: int
    finished_at: int | None


class Attempt(Struct, frozen=True, kw_only=True):
    """The result of posting a message: the status of the answer, or why there was none."""

    status: int | None = None
    problem: str | None = None
