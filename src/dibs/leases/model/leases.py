"""Leases: hosts and instances reserved for a window of time, and the states of a lease."""

from collections.abc import Mapping

from msgspec import Struct, field

from dibs.flavors.model.flavors import CLASS_PREFIX

# Resource types of reservations.
WHOLE_HOST = "physical:host"
INSTANCES = "virtual:instance"
FLAVORED_INSTANCES = "flavor:instance"
RESOURCE_TYPES = (WHOLE_HOST, INSTANCES, FLAVORED_INSTANCES)

RESERVATIONS_MAX = 32
"""The number of reservations of a lease: hosts are chosen for all of them in one transaction."""

# States of a lease.
PENDING = "PENDING"
STARTING = "STARTING"
ACTIVE = "ACTIVE"
TERMINATING = "TERMINATING"
TERMINATED = "TERMINATED"
ERROR = "ERROR"

# States of a reservation.
RESERVATION_PENDING = "pending"
RESERVATION_ACTIVE = "active"
RESERVATION_DELETED = "deleted"
RESERVATION_ERROR = "error"

# States of an event.
UNDONE = "UNDONE"
IN_PROGRESS = "IN_PROGRESS"
DONE = "DONE"
FAILED = "ERROR"

# Kinds of events, in the order in which events that are due at the same moment happen: a host that is released at noon
# is free for the lease that begins at noon.
BEFORE_END = "before_end_lease"
END = "end_lease"
START = "start_lease"
EVENT_ORDER = (BEFORE_END, END, START)


class Event(Struct, frozen=True, kw_only=True):
    """A step in the life of a lease that is due at a moment."""

    id: int
    uuid: str
    kind: str
    status: str
    due_at: int
    created_at: int
    updated_at: int | None = None


class Reservation(Struct, frozen=True, kw_only=True):
    """A part of a lease: whole hosts, or instances."""

    id: int
    uuid: str
    resource_type: str
    status: str
    missing_resources: bool = False
    """True when a host failed and no other host was available, so that less is booked than was requested."""
    resources_changed: bool = False
    """True when another host replaced one that failed."""
    least: int
    most: int
    """The minimum and maximum number of hosts; for instances both are the number of instances."""
    affinity: bool | None = None
    """True: all instances on one host; False: each on another host; None: no preference."""
    resources: Mapping[str, int] = field(default_factory=dict)
    """What one instance takes of its host, by resource class; empty for whole hosts."""
    required_traits: tuple[str, ...] = ()
    forbidden_traits: tuple[str, ...] = ()
    hypervisor_properties: str = ""
    resource_properties: str = ""
    before_end: str | None = None
    created_at: int
    updated_at: int | None = None
    maintenance: bool = False
    """True when it keeps hosts free for work on them: it never moves, and nothing replaces its hosts."""

    @property
    def whole_hosts(self) -> bool:
        """True when it reserves whole hosts."""
        return self.resource_type == WHOLE_HOST

    @property
    def resource_class(self) -> str:
        """The resource class of its instances, which hosts offer while the lease is active."""
        return class_of(self.uuid)


class Lease(Struct, frozen=True, kw_only=True):
    """Reservations for one window of time."""

    id: int
    uuid: str
    name: str
    project_id: str | None
    user_id: str | None
    start_at: int
    end_at: int
    status: str
    degraded: bool = False
    external_compute: bool = False
    """An external compute service keeps its flavors and servers; outbox calls keep that service up to date."""
    enforced: bool = False
    """The enforcement service is notified of its end."""
    created_at: int
    updated_at: int | None = None
    reservations: tuple[Reservation, ...] = ()
    events: tuple[Event, ...] = ()

    def event(self, kind: str) -> Event | None:
        """Return the event of a kind; None when the lease has none."""
        return next((event for event in self.events if event.kind == kind), None)

    def is_due(self, kind: str, now: int) -> bool:
        """Return True when it has an event of a kind that is due and was not run."""
        event = self.event(kind)
        return event is not None and event.status == UNDONE and event.due_at <= now

    @property
    def begun(self) -> bool:
        """True once its project may use its hosts; before that, users of its hosts belong to another lease."""
        start = self.event(START)
        return start is not None and start.status in (IN_PROGRESS, DONE)


def class_of(reservation: str) -> str:
    """Return the resource class of the instances of a reservation, by its uuid."""
    return CLASS_PREFIX + reservation.upper().replace("-", "_")


def reservation_of(resource_class: str) -> str | None:
    """Return the uuid of the reservation that has a resource class; None for a class of another kind."""
    if not resource_class.startswith(CLASS_PREFIX):
        return None
    return resource_class.removeprefix(CLASS_PREFIX).lower().replace("_", "-")


def settled_status(start: str, end: str) -> str:
    """Return the state of a lease that follows from the states of its start and end events."""
    return {(UNDONE, UNDONE): PENDING, (DONE, UNDONE): ACTIVE, (DONE, DONE): TERMINATED}.get((start, end), ERROR)
