"""Plan a lease: every check on it but whether there are hosts, before anything is written.

Creating a lease, asking whether it would fit, and proposing it to the enforcement service all begin here.
"""

import uuid
from collections.abc import Mapping, Sequence
from random import getrandbits

from msgspec import Struct, field
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.flavors.model.flavors import Flavor
from dibs.flavors.operations.flavors import FlavorReference, get_flavor
from dibs.leases.model.access import visible_leases
from dibs.leases.model.dates import LeaseDate, LeaseRules, before_end, check_length, check_new, moment
from dibs.leases.model.errors import BadLease
from dibs.leases.model.leases import (
    BEFORE_END,
    END,
    FLAVORED_INSTANCES,
    PENDING,
    RESERVATION_PENDING,
    START,
    UNDONE,
    Event,
    Lease,
    Reservation,
)
from dibs.leases.model.matching.needs import HostNeed, need_of
from dibs.leases.model.matching.requirements import check_count, check_known
from dibs.leases.model.reservation_flavors import flavor_document, size_of
from dibs.leases.model.windows import Window
from dibs.leases.operations.matching.search import HostSearch
from dibs.leases.queries import property_names

LARGE_LEASE = 32
"""The number of hosts and instances from which on a lease is large."""
NOT_STORED = 0
"""The id of a row that does not exist yet."""


class ReservationRequest(Struct, frozen=True, kw_only=True):
    """A reservation of a lease that is to be created."""

    resource_type: str
    least: int
    most: int
    """The minimum and maximum number of hosts; for instances both are the number of instances."""
    affinity: bool | None = None
    resources: Mapping[str, int] = field(default_factory=dict)
    """For virtual:instance what one instance takes, by resource class; zeros are ignored."""
    flavor: str | None = None
    """For flavor:instance the id of the flavor."""
    source: Flavor | None = None
    """The flavor itself when an external compute service keeps it."""
    hypervisor_properties: str = ""
    resource_properties: str = ""
    before_end: str | None = None


class CreateLease(Struct, frozen=True, kw_only=True):
    """Create a lease."""

    name: str
    start_at: LeaseDate
    end_at: LeaseDate
    before_end_at: int | None = None
    """When the before_end event is due; None: as the rules say."""
    reservations: tuple[ReservationRequest, ...] = ()
    rules: LeaseRules = field(default_factory=LeaseRules)
    seed: int | None = None
    """Decides among hosts that fit equally well; None: a random seed."""
    moving: bool = True
    """Whether leases that have not begun may be moved to other hosts."""

    @property
    def is_large(self) -> bool:
        """Whether the search takes long because of the number of hosts or instances."""
        return sum(reservation.least for reservation in self.reservations) > LARGE_LEASE


class LeasePlan(Struct, frozen=True, kw_only=True):
    """A lease as it would be created."""

    window: Window
    before_end_at: int | None
    reservations: tuple[Reservation, ...]
    sources: Mapping[str, Flavor]
    """The flavors that reservations were created from, by the uuid of the reservation."""

    @property
    def needs(self) -> tuple[HostNeed, ...]:
        """What each reservation needs."""
        return tuple(need_of(reservation) for reservation in self.reservations)


def plan_lease(tx: Transaction, access: Access, now: int, command: CreateLease) -> LeasePlan:
    """Check everything about a lease but whether there are hosts for it."""
    window = Window(moment(command.start_at, now), moment(command.end_at, now))
    check_new(window, now)
    check_length(window, access.actor.project, command.rules)
    before_end_at = before_end(window, command.before_end_at, command.rules.before_end_minutes)
    planned = [_plan_reservation(tx, access, now, request) for request in command.reservations]
    plan = LeasePlan(
        window=window,
        before_end_at=before_end_at,
        reservations=tuple(reservation for reservation, _ in planned),
        sources={reservation.uuid: source for reservation, source in planned if source is not None},
    )
    check_requirements(tx, plan.needs)
    return plan


def search_of(plan: LeasePlan, command: CreateLease) -> HostSearch:
    """Return the search for the hosts of a planned lease."""
    return HostSearch(
        needs=plan.needs,
        window=plan.window,
        cleaning_minutes=command.rules.cleaning_minutes,
        seed=getrandbits(32) if command.seed is None else command.seed,
        moving=command.moving,
    )


def planned_lease(access: Access, now: int, command: CreateLease, plan: LeasePlan) -> Lease:
    """Return the lease that a plan creates."""
    dates = {START: plan.window.start, END: plan.window.end, BEFORE_END: plan.before_end_at}
    return Lease(
        id=NOT_STORED,
        uuid=str(uuid.uuid4()),
        name=command.name,
        project_id=access.actor.project,
        user_id=access.actor.user,
        start_at=plan.window.start,
        end_at=plan.window.end,
        status=PENDING,
        external_compute=command.rules.external_compute,
        enforced=command.rules.enforced,
        created_at=now,
        reservations=plan.reservations,
        events=tuple(new_event(kind, due_at, now) for kind, due_at in dates.items() if due_at is not None),
    )


def new_event(kind: str, due_at: int, now: int) -> Event:
    """Return an event that is not stored yet."""
    return Event(id=NOT_STORED, uuid=str(uuid.uuid4()), kind=kind, status=UNDONE, due_at=due_at, created_at=now)


def check_requirements(tx: Transaction, needs: Sequence[HostNeed], kept: Sequence[HostNeed] = ()) -> None:
    """Raise BadLease for requirements on properties that no host ever had, and for too many requirements.

    ``kept`` are needs that a lease has already: they count, but are not checked again.
    """
    requirements = [requirement for need in needs for requirement in need.requirements]
    if requirements:
        check_count([*requirements, *(requirement for need in kept for requirement in need.requirements)])
        check_known(requirements, {each.name for each in property_names.every(tx)})


def _plan_reservation(
    tx: Transaction, access: Access, now: int, request: ReservationRequest
) -> tuple[Reservation, Flavor | None]:
    reservation = Reservation(
        id=NOT_STORED,
        uuid=str(uuid.uuid4()),
        resource_type=request.resource_type,
        status=RESERVATION_PENDING,
        least=request.least,
        most=request.most,
        affinity=request.affinity,
        resources={name: amount for name, amount in request.resources.items() if amount},
        hypervisor_properties=request.hypervisor_properties,
        resource_properties=request.resource_properties,
        before_end=request.before_end,
        created_at=now,
    )
    if reservation.resource_type == FLAVORED_INSTANCES:
        named = FlavorReference(flavor=request.flavor or "", visibility=visible_leases(access))
        source = request.source or get_flavor(tx, access, now, named)
        return replace(reservation, **size_of(source)._asdict(), resource_properties=flavor_document(source)), source
    if not reservation.whole_hosts and not reservation.resources:
        raise BadLease(reason="An instance that takes nothing of its host cannot be reserved.")
    return reservation, None
