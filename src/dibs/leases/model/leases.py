"""Leases: hosts and instances promised for a window of time, and the states that a lease goes through."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dibs.flavors.model.flavors import CLASS_PREFIX

# What can be reserved.
WHOLE_HOST = "physical:host"
INSTANCES = "virtual:instance"
FLAVORED_INSTANCES = "flavor:instance"
RESOURCE_TYPES = (WHOLE_HOST, INSTANCES, FLAVORED_INSTANCES)

# Of a lease.
PENDING = "PENDING"
STARTING = "STARTING"
ACTIVE = "ACTIVE"
TERMINATING = "TERMINATING"
TERMINATED = "TERMINATED"
ERROR = "ERROR"

# Of a reservation.
RESERVATION_PENDING = "pending"
RESERVATION_ACTIVE = "active"
RESERVATION_DELETED = "deleted"
RESERVATION_ERROR = "error"

# Of an event.
UNDONE = "UNDONE"
IN_PROGRESS = "IN_PROGRESS"
DONE = "DONE"
FAILED = "ERROR"

# What happens to a lease, in the order in which things due at the same moment happen: a host that is given back at noon
# is free for the lease that begins at noon.
BEFORE_END = "before_end_lease"
END = "end_lease"
START = "start_lease"
EVENT_ORDER = (BEFORE_END, END, START)


class Now:
    """The moment at which the request is carried out, to the minute."""


NOW = Now()


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyName:
    """The name of something that operators say of hosts."""

    id: int
    uuid: str
    name: str
    private: bool
    """True when only operators are shown it."""
    created_at: int
    updated_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """A host for one reservation in the window of its lease."""

    reservation_id: int
    host_id: int
    start_at: int
    end_at: int
    amount: int
    """How many instances lie on the host; 1 when the host is booked whole."""
    whole: bool = False
    resources: Mapping[str, int] = field(default_factory=dict)
    """What one instance takes, by resource class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownBooking:
    """A booking as operators see it."""

    host_id: int
    reservation: str
    """Its uuid."""
    lease: str
    """Its uuid."""
    start_at: int
    end_at: int
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that is due in a lease."""

    id: int
    uuid: str
    kind: str
    status: str
    due_at: int
    created_at: int
    updated_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """Part of a lease: whole hosts, or instances."""

    id: int
    uuid: str
    resource_type: str
    status: str
    missing_resources: bool = False
    """Fewer are promised than were asked for, because a host broke and there was no other."""
    resources_changed: bool = False
    """Another host was taken for one that broke."""
    least: int
    most: int
    """Hosts, from least to most; instances, both the same."""
    affinity: bool | None = None
    """All on one host, each on another, or as they come."""
    resources: Mapping[str, int] = field(default_factory=dict)
    """What one instance takes of its host, by resource class; empty for whole hosts."""
    required_traits: tuple[str, ...] = ()
    forbidden_traits: tuple[str, ...] = ()
    hypervisor_properties: str = ""
    resource_properties: str = ""
    before_end: str | None = None
    created_at: int
    updated_at: int | None = None

    @property
    def whole_hosts(self) -> bool:
        """True when it takes hosts whole."""
        return self.resource_type == WHOLE_HOST

    @property
    def resource_class(self) -> str:
        """The class in which its instances are offered once the lease has begun."""
        return class_of(self.uuid)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A promise: these reservations, from one moment until another."""

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
    """A service that has a say in who may have what is told of its end."""
    created_at: int
    updated_at: int | None = None
    reservations: tuple[Reservation, ...] = ()
    events: tuple[Event, ...] = ()

    def event(self, kind: str) -> Event | None:
        """The event of a kind, if the lease has one."""
        return next((event for event in self.events if event.kind == kind), None)

    @property
    def begun(self) -> bool:
        """True once its project may use what it promises: before that, whoever uses its hosts does so by right of
        another lease."""
        start = self.event(START)
        return start is not None and start.status in (IN_PROGRESS, DONE)


def class_of(reservation: str) -> str:
    """The resource class of a reservation's instances, by its uuid."""
    return CLASS_PREFIX + reservation.upper().replace("-", "_")


def reservation_of(resource_class: str) -> str | None:
    """The uuid of the reservation that would have a resource class; None when it is none of a reservation's."""
    if not resource_class.startswith(CLASS_PREFIX):
        return None
    return resource_class.removeprefix(CLASS_PREFIX).lower().replace("_", "-")


def settled_status(start: str, end: str) -> str:
    """What state a lease is in, by what became of its start and its end."""
    return {(UNDONE, UNDONE): PENDING, (DONE, UNDONE): ACTIVE, (DONE, DONE): TERMINATED}.get((start, end), ERROR)
