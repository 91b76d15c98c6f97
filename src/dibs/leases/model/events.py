"""What others are told of a change: a signal within the process after the commit, and events of leases and hosts."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from dibs.events.model.events import CREATED, DELETED, Event, State, Watch
from dibs.leases.model.hosts import Host
from dibs.leases.model.leases import ACTIVE, ERROR, TERMINATED, Lease, Reservation


class LeaseChanged(Struct, frozen=True):
    """A lease was created or changed: one of its events may be due at once."""


LEASE_CHANGED = LeaseChanged()

_LEASE = Watch(kind="lease", names=("name", "project_id", "user_id", "start_at", "end_at", "status", "degraded"))
_RESERVATION = Watch(
    kind="reservation",
    names=tuple(
        name for name in Reservation.__struct_fields__ if name not in ("id", "uuid", "created_at", "updated_at")
    ),
)
_HOST = Watch(kind="host", names=("name", "properties"))

STARTED = "started"
ENDED = "ended"
ENDING_SOON = "ending_soon"
STARTING_SOON = "starting_soon"
NODE_LOST = "node_lost"
MOVED = "moved"
_VERBS = {ACTIVE: STARTED, TERMINATED: ENDED, ERROR: "failed"}
"""What happened to a lease whose status changed; another status is on the way to one of these."""


def lease_event(before: Lease | None, after: Lease | None, verb: str | None = None) -> Event | None:
    """Return the event of a change to a lease."""
    present = after or before
    assert present is not None
    if before is not None and after is not None and before.status != after.status:
        verb = _VERBS.get(after.status)
    return _LEASE.event(before, after, object_id=present.uuid, project=present.project_id, verb=verb)


def ending_soon_event(ending: Lease) -> Event | None:
    """Return the event of a lease that is about to end."""
    event = lease_event(ending, ending, ENDING_SOON)
    return event and replace(event, after={"end_at": ending.end_at})


def starting_soon_event(starting: Lease) -> Event | None:
    """Return the event of a lease that is about to start."""
    event = lease_event(starting, starting, STARTING_SOON)
    return event and replace(event, after={"start_at": starting.start_at})


def node_lost_event(of: Lease, lost: Host, *, replaced: bool) -> Event:
    """Return the event of a lease one of whose hosts is out of service; it may have another one instead."""
    return Event(
        type=f"{_LEASE.kind}.{NODE_LOST}",
        object_id=of.uuid,
        project=of.project_id,
        node=lost.provider,
        before={"host": lost.name},
        after={"replaced": replaced},
    )


def moved_event(of: Lease, before: Sequence[str], after: Sequence[str]) -> Event:
    """Return the event of a lease that has not begun and was given other hosts, so that something else fits."""
    return Event(
        type=f"{_LEASE.kind}.{MOVED}",
        object_id=of.uuid,
        project=of.project_id,
        before={"hosts": before},
        after={"hosts": after},
        actor_hidden=True,
    )


def reservation_event(of: Lease, before: Reservation | None, after: Reservation | None) -> Event | None:
    """Return the event of a change to a reservation of a lease."""
    present = after or before
    assert present is not None
    event = _RESERVATION.event(before, after, object_id=present.uuid, project=of.project_id)
    return event and replace(event, after=None if event.after is None else {**event.after, "lease": of.uuid})


def host_event(before: Host | None, after: Host | None) -> Event | None:
    """Return the event of a change to a host."""
    present = after or before
    assert present is not None
    return _HOST.event(before, after, object_id=str(present.id), project=None, node=present.provider)


def booking_event(of: Lease, provider: str, *, booked: bool) -> Event:
    """Return the event of a host, by the uuid of its provider, that a lease books or gives up.

    Once the lease has begun, its project uses the host from then on, or no longer.
    """
    verb = (STARTED if booked else ENDED) if of.begun else (CREATED if booked else DELETED)
    state = {"lease": of.name}
    return _booking(of, provider, verb, None if booked else state, state if booked else None)


def booking_started_event(of: Lease, provider: str) -> Event:
    """Return the event of a booked host that the project of a lease may use from now on."""
    return _booking(of, provider, STARTED, {}, {"lease": of.name})


def _booking(of: Lease, provider: str, verb: str, before: State | None, after: State | None) -> Event:
    return Event(
        type=f"booking.{verb}",
        object_id=of.uuid,
        project=of.project_id,
        node=provider,
        before=before,
        after=after,
    )
