"""What others are told of a change: a signal within the process after the commit, and the events of allocations."""

from msgspec import Struct
from msgspec.structs import replace

from dibs.allocations.model.allocations import ACTIVE, ALLOCATING, ERROR, Allocation
from dibs.events.model.events import DELETED, Event, Watch


class AllocationQueued(Struct, frozen=True):
    """An allocation entered the queue."""


ALLOCATION_QUEUED = AllocationQueued()


class AllocationWaits(Struct, frozen=True):
    """An allocation entered the queue to wait for a node; there may be one already."""


ALLOCATION_WAITS = AllocationWaits()

_ALLOCATION = Watch(
    kind="allocation",
    names=(
        "name", "state", "resource_class", "traits", "candidate_nodes", "extra", "owner", "last_error", "node_uuid",
        "wait_until", "sticky", "keep_alive_seconds", "lifetime_seconds", "ends_at", "noticed_at", "batch",
    ),
)  # fmt: skip

ENDED = "ended"
ENDING_SOON = "ending_soon"
NODE_LOST = "node_lost"
REQUEUED = "requeued"
_VERBS = {ACTIVE: "granted", ERROR: "failed", ALLOCATING: REQUEUED}
"""What happened to an allocation whose state changed."""


def allocation_event(before: Allocation | None, after: Allocation | None, verb: str | None = None) -> Event | None:
    """Return the event of a change to an allocation; without a verb, its state says what happened."""
    present = after or before
    assert present is not None
    if verb is None and before is not None and after is not None and before.state != after.state:
        verb = _VERBS[after.state]
    event = _ALLOCATION.event(
        before,
        after,
        object_id=present.uuid,
        project=present.owner,
        node=present.node_uuid or (before.node_uuid if before else None),
        verb=verb,
    )
    if event is None or event.verb != REQUEUED:
        return event
    # Quotas count what enters the queue by its class.
    return replace(event, after={**(event.after or {}), "resource_class": present.resource_class})


def node_lost_event(having: Allocation, reason: str | None) -> Event:
    """Return the event of an allocation whose node is out of service."""
    return Event(
        type=f"{_ALLOCATION.kind}.{NODE_LOST}",
        object_id=having.uuid,
        project=having.owner,
        node=having.node_uuid,
        before={},
        after={"maintenance_reason": reason},
    )


def removed_allocation_event(uuid: str, owner: str | None, last_error: str | None) -> Event:
    """Return the event of the removal of an allocation that failed long ago."""
    before = {"state": ERROR, "last_error": last_error}
    return Event(type=f"{_ALLOCATION.kind}.{DELETED}", object_id=uuid, project=owner, before=before)
