"""Growth: which projects a transaction lets use more, by the events that it records.

Every path that books something records an event: an allocation that gets its node, a reservation of a node, an instance
that an operator puts on it and a server all record the claim. A release, a shorter lease or another name is no growth,
so a project that is over its quota can still do these.
"""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct, field

from dibs.events.model.events import CREATED, DELETED, Event


class Growth(Struct, frozen=True, kw_only=True):
    """What a transaction adds to the use of one project."""

    holders: set[str] = field(default_factory=set)
    """The uuids of the consumers and leases that get more."""
    queued: Counter[str] = field(default_factory=Counter)
    """The number of allocations that enter the queue, by resource class."""


def growth_of(events: Iterable[Event], *, claims: bool) -> dict[str, Growth]:
    """Return the growth of each project; ``claims`` decides whether new claims count. One event for each object."""
    events = list(events)
    released = {(event.project, event.node) for event in events if event.type == f"claim.{DELETED}"}
    grown: dict[str, Growth] = {}
    for event in events:
        if event.project is None:
            continue
        if _enters_queue(event):
            grown.setdefault(event.project, Growth()).queued[_after(event, "resource_class")] += 1
        # A claim that passes from one consumer to another of the same project adds nothing.
        claimed = event.type == f"claim.{CREATED}" and (event.project, event.node) not in released
        if (claimed and claims) or _books_more(event):
            holder = _after(event, "lease") if event.kind == "reservation" else event.object_id
            grown.setdefault(event.project, Growth()).holders.add(holder)
    return grown


_ENDS = {"allocation": "ends_at", "hold": "expires_at", "lease": "end_at"}
"""The attribute with the end of each kind of object."""


def _enters_queue(event: Event) -> bool:
    return event.type in ("allocation.created", "allocation.requeued") and _after(event, "state") == "allocating"


def _books_more(event: Event) -> bool:
    """Return True for a new lease, a later end, an earlier start, or more hosts and instances."""
    if event.kind == "lease" and event.verb == CREATED:
        return True
    if event.before is None or event.after is None:
        return False
    if event.kind == "reservation":
        return _is_more(event, "most")
    if event.kind == "lease" and event.before.get("start_at", 0) > event.after.get("start_at", 0):
        return True
    return event.kind in _ENDS and _is_more(event, _ENDS[event.kind])


def _is_more(event: Event, name: str) -> bool:
    before, after = (event.before or {}).get(name), (event.after or {}).get(name)
    return before is not None and after is not None and after > before


def _after(event: Event, name: str) -> str:
    return str((event.after or {}).get(name) or "")
