"""Write the events that an operation recorded, in its transaction."""

from dibs.database.runner import Cause, CommitHook
from dibs.database.transaction import Transaction
from dibs.events.model.events import Event, encode_state, merge
from dibs.events.queries import events


class EventRecorder(CommitHook):
    """Inserts the recorded events before the commit."""

    def before_commit(self, tx: Transaction, now: int, cause: Cause) -> None:
        """Insert one row for each object that the transaction changed."""
        recorded = merge(event for event in tx.recorded if isinstance(event, Event))
        if not recorded:
            return
        shared = {
            "happened_at": now,
            "request_id": cause.request_id,
            "operation": cause.operation,
        }
        events.add(tx, shared, [_row(event, cause) for event in recorded])


def _row(event: Event, cause: Cause) -> dict[str, str | None]:
    return {
        "type": event.type,
        "object_id": event.object_id,
        "node": event.node,
        "project_id": event.project,
        "actor_user": None if event.actor_hidden else cause.actor.user,
        "actor_project": None if event.actor_hidden else cause.actor.project,
        "before_state": encode_state(event.before),
        "after_state": encode_state(event.after),
    }
