"""Leases: ask for hosts and instances in a window of time, look, and give them back before their time.

A lease is made whole or not at all: its reservations and events, the hosts in the calendar, and for reservations of
instances the resource class and the private flavor.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import getrandbits

from dibs.access.access import EVERY_PROJECT, Access
from dibs.database.transaction import Transaction
from dibs.flavors.model.flavors import Flavor
from dibs.flavors.operations.flavors import OneFlavor, get_flavor
from dibs.flavors.queries import flavors
from dibs.leases.model import leases as states
from dibs.leases.model.access import require_on_lease, visible_leases
from dibs.leases.model.dates import LeaseRules, before_end, check_length, check_new, moment
from dibs.leases.model.errors import BadLease, LeaseNotFound
from dibs.leases.model.leases import BEFORE_END, END, START, Event, Lease, Now, Reservation
from dibs.leases.model.matching import HostNeed, need_of
from dibs.leases.model.outbox import CREATE_FLAVORS
from dibs.leases.model.requirements import check_known
from dibs.leases.model.reservation_flavors import described, private_flavor, size_of
from dibs.leases.model.windows import Window
from dibs.leases.operations import calendar
from dibs.leases.operations import reservation_inventories as reservation_stock
from dibs.leases.operations.calendar import Question
from dibs.leases.operations.events import end_and_forget
from dibs.leases.queries import leases, outbox, property_names

NOT_STORED = 0
"""The number of a row that does not exist yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewReservation:
    """Part of a lease to be made."""

    resource_type: str
    least: int
    most: int
    """Hosts, from least to most; instances, both the same."""
    affinity: bool | None = None
    resources: Mapping[str, int] = field(default_factory=dict)
    """For virtual:instance what one takes, by resource class; zeros are left out."""
    flavor: str | None = None
    """For flavor:instance what callers know the flavor by."""
    source: Flavor | None = None
    """The flavor itself when an external compute service keeps it."""
    hypervisor_properties: str = ""
    resource_properties: str = ""
    before_end: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLease:
    """Ask for a lease."""

    name: str
    start_at: int | Now
    end_at: int | Now
    before_end_at: int | None = None
    """When its owner is told that the end is near; None leaves it to the rules."""
    reservations: tuple[NewReservation, ...] = ()
    rules: LeaseRules = field(default_factory=LeaseRules)
    seed: int | None = None
    """Decides among hosts that are as good; None: chance does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneLease:
    """A lease by its uuid."""

    uuid: str
    rule: str
    """The rule that must let the caller do this to the lease."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A lease as it would be made."""

    window: Window
    before_end_at: int | None
    reservations: tuple[Reservation, ...]
    sources: Mapping[str, Flavor]
    """The flavors that reservations were made from, by the uuid of the reservation."""

    @property
    def needs(self) -> tuple[HostNeed, ...]:
        """What each reservation needs."""
        return tuple(need_of(reservation) for reservation in self.reservations)


def create_lease(tx: Transaction, access: Access, now: int, command: NewLease) -> Lease:
    """Make a lease; refused with reasons, and the earliest start at which it would fit, when there are no hosts."""
    if command.reservations:
        calendar.lock_calendar(tx)
    plan = plan_lease(tx, access, now, command)
    found = calendar.choose(tx, now, question_of(plan, command)) if plan.reservations else []
    lease = leases.add(tx, planned_lease(access, now, command, plan))
    calendar.book(tx, [each.id for each in lease.reservations], found, plan.window)
    reservation_stock.make_classes(tx, now, lease.reservations)
    for reservation in lease.reservations:
        if not reservation.whole_hosts:
            make_flavor(tx, now, lease, reservation, plan.sources.get(reservation.uuid))
    return lease


def list_leases(tx: Transaction, access: Access, now: int, command: None) -> list[Lease]:
    """Return the leases that the caller sees, the oldest first."""
    projects = visible_leases(access)
    return leases.every(tx) if projects is EVERY_PROJECT else leases.of_projects(tx, projects)


def get_lease(tx: Transaction, access: Access, now: int, command: OneLease) -> Lease:
    """Return one lease."""
    return allowed(access, leases.get(tx, command.uuid), command)


def delete_lease(tx: Transaction, access: Access, now: int, command: OneLease) -> None:
    """End a lease, if it has not ended, and forget it."""
    lease = allowed(access, leases.lock(tx, command.uuid), command)
    end_and_forget(tx, now, lease)


def plan_lease(tx: Transaction, access: Access, now: int, command: NewLease) -> Plan:
    """Check everything about a lease but whether there are hosts for it."""
    window = Window(moment(command.start_at, now), moment(command.end_at, now))
    check_new(window, now)
    check_length(window, access.actor.project, command.rules)
    announced = before_end(window, command.before_end_at, command.rules.before_end_minutes)
    planned = [_plan_reservation(tx, access, now, new) for new in command.reservations]
    plan = Plan(
        window=window,
        before_end_at=announced,
        reservations=tuple(reservation for reservation, _ in planned),
        sources={reservation.uuid: source for reservation, source in planned if source is not None},
    )
    check_requirements(tx, plan.needs)
    return plan


def question_of(plan: Plan, command: NewLease) -> Question:
    """Which hosts could a planned lease have?"""
    return Question(
        needs=plan.needs,
        window=plan.window,
        cleaning_minutes=command.rules.cleaning_minutes,
        seed=getrandbits(32) if command.seed is None else command.seed,
    )


def check_requirements(tx: Transaction, needs: Sequence[HostNeed]) -> None:
    """Refuse requirements about properties that no host was ever given."""
    requirements = [requirement for need in needs for requirement in need.requirements]
    if requirements:
        check_known(requirements, {each.name for each in property_names.every(tx)})


def make_flavor(tx: Transaction, now: int, lease: Lease, reservation: Reservation, source: Flavor | None) -> None:
    """Make the private flavor of a reservation of instances."""
    flavor = private_flavor(reservation, source)
    flavors.create(tx, {**flavor, "created_at": now})
    if lease.external_compute:
        outbox.add(tx, CREATE_FLAVORS, lease.uuid, {"flavors": [flavor]}, now)


def allowed(access: Access, lease: Lease | None, command: OneLease) -> Lease:
    """Return the lease; raise when there is none, or when the caller may not do this to it."""
    if lease is None:
        raise LeaseNotFound(lease=command.uuid)
    require_on_lease(access, command.rule, lease)
    return lease


def _plan_reservation(
    tx: Transaction, access: Access, now: int, new: NewReservation
) -> tuple[Reservation, Flavor | None]:
    reservation = Reservation(
        id=NOT_STORED,
        uuid=str(uuid.uuid4()),
        resource_type=new.resource_type,
        status=states.RESERVATION_PENDING,
        least=new.least,
        most=new.most,
        affinity=new.affinity,
        resources={name: amount for name, amount in new.resources.items() if amount},
        hypervisor_properties=new.hypervisor_properties,
        resource_properties=new.resource_properties,
        before_end=new.before_end,
        created_at=now,
    )
    if reservation.resource_type == states.FLAVORED_INSTANCES:
        named = OneFlavor(flavor=new.flavor or "", visibility=visible_leases(access))
        source = new.source or get_flavor(tx, access, now, named)
        return replace(reservation, **size_of(source)._asdict(), resource_properties=described(source)), source
    if not reservation.whole_hosts and not reservation.resources:
        raise BadLease(reason="An instance that takes nothing of its host cannot be reserved.")
    return reservation, None


def planned_lease(access: Access, now: int, command: NewLease, plan: Plan) -> Lease:
    """The lease that a plan makes."""
    dates = {START: plan.window.start, END: plan.window.end, BEFORE_END: plan.before_end_at}
    return Lease(
        id=NOT_STORED,
        uuid=str(uuid.uuid4()),
        name=command.name,
        project_id=access.actor.project,
        user_id=access.actor.user,
        start_at=plan.window.start,
        end_at=plan.window.end,
        status=states.PENDING,
        external_compute=command.rules.external_compute,
        enforced=command.rules.enforced,
        created_at=now,
        reservations=plan.reservations,
        events=tuple(new_event(kind, due_at, now) for kind, due_at in dates.items() if due_at is not None),
    )


def new_event(kind: str, due_at: int, now: int) -> Event:
    """Something that will be due."""
    return Event(id=NOT_STORED, uuid=str(uuid.uuid4()), kind=kind, status=states.UNDONE, due_at=due_at, created_at=now)
