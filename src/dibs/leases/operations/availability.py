"""Whether a lease would fit, why not, what would fit instead, and how long a lease can be kept. Nothing is booked.

The searches for the earliest start and for other offers can take long. These operations only read what they need; the
caller runs them after the transaction, within a budget.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from dibs.access.access import Access
from dibs.database.transaction import Transaction
from dibs.leases.model.bookings import Booking
from dibs.leases.model.dates import LeaseRules
from dibs.leases.model.hosts import Host
from dibs.leases.model.leases import ACTIVE, PENDING, TERMINATED, Lease, Reservation
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.displacement import Displaced, Displacement
from dibs.leases.model.matching.earliest_start import StartSearch
from dibs.leases.model.matching.fleet import each_alone
from dibs.leases.model.matching.latest_end import BOOKED, LIMITED, LatestEnd, latest_end
from dibs.leases.model.matching.needs import Assignment, need_of
from dibs.leases.model.matching.offer_search import OfferSearch
from dibs.leases.model.matching.offers import Offer
from dibs.leases.model.matching.shortages import HostShortage
from dibs.leases.model.matching.terms import terms_of, with_class, without_terms
from dibs.leases.model.windows import MINUTE, Window
from dibs.leases.operations.leases import GetLease, allowed
from dibs.leases.operations.matching.search import HostChoice, HostSearch, read_start_search, search_hosts
from dibs.leases.operations.planning import CreateLease, LeasePlan, ReservationRequest, plan_lease, search_of
from dibs.leases.operations.updates import UpdateLease, plan_update
from dibs.leases.queries import bookings, hosts, leases, quota_uses
from dibs.machines.model.conductors import after
from dibs.quotas.model.errors import QuotaExceeded
from dibs.quotas.model.rooms import Room
from dibs.quotas.model.uses import Use
from dibs.quotas.operations.sources import read_rooms

LEASES_MAX = 20
"""How many leases one preview looks at: each takes some statements, and a search."""

_ANY_TIME = 2**62


class LeaseAvailability(NamedTuple):
    """The result of a lease if it were created now."""

    fits: bool
    hosts: int
    """The number of hosts that it would have."""
    start: int
    """The requested start."""
    assignments: tuple[Assignment, ...]
    """The hosts of each reservation; creating the lease may choose others."""
    reasons: Mapping[str, int]
    """The number of hosts that do not fit, by the first reason; empty when the lease fits."""
    text: str
    """The reasons in words; empty when the lease fits."""
    later: StartSearch | None
    """The search for a later start; None when there are enough hosts."""
    offers: OfferSearch | None
    """The search for other offers; None when there are enough hosts."""


class FindLatestEnd(GetLease, frozen=True, kw_only=True):
    """Ask until when a lease can be prolonged."""

    rules: LeaseRules = field(default_factory=LeaseRules)


class PreviewDisplacement(Struct, frozen=True, kw_only=True):
    """Ask where leases would go if some nodes went out of service."""

    nodes: frozenset[int]
    """The ids of the nodes."""
    leases: tuple[str, ...]
    """The uuids of the leases that have booked them; the first LEASES_MAX are looked at."""
    cleaning_minutes: int = 0


class NewHosts(NamedTuple):
    """What a lease would have instead of hosts that went out of service."""

    names: tuple[str, ...]
    """The hosts that it would get."""
    enough: bool
    """False when it would have fewer hosts than it needs."""


def check_availability(tx: Transaction, access: Access, now: int, command: CreateLease) -> LeaseAvailability:
    """Search for hosts exactly as ``create_lease`` does. A read."""
    plan = plan_lease(tx, access, now, command)
    search = search_of(plan, command)
    found = search_hosts(tx, now, search) if plan.reservations else HostChoice([])
    if isinstance(found, HostShortage):
        offers = _offers(tx, access, now, command, search)
        return LeaseAvailability(False, 0, plan.window.start, (), found.reasons, found.text, offers.later, offers)
    hosts = {host_id for assignment in found.assignments for host_id in assignment}
    exceeded = _quota_against(tx, access.actor.project, now, plan, found.assignments)
    text = "" if exceeded is None else str(exceeded)
    return LeaseAvailability(
        exceeded is None, len(hosts), plan.window.start, tuple(found.assignments), {}, text, None, None
    )


def find_offers(tx: Transaction, access: Access, now: int, command: CreateLease) -> OfferSearch:
    """Return the search for what would fit instead of a lease that was refused for lack of hosts. A read."""
    return _offers(tx, access, now, command, search_of(plan_lease(tx, access, now, command), command))


def offered(command: CreateLease, offer: Offer) -> CreateLease:
    """Return the lease with the change of an offer."""
    start_at = command.start_at if offer.start is None else offer.start
    end_at = command.end_at if offer.end is None else offer.end
    reservations = list(command.reservations)
    reservations[offer.reservation] = _offered(reservations[offer.reservation], offer)
    return replace(
        command,
        start_at=start_at,
        end_at=end_at,
        # A date that the client chose for another window may lie outside this one.
        before_end_at=command.before_end_at if (start_at, end_at) == (command.start_at, command.end_at) else None,
        reservations=tuple(reservations),
    )


def find_later_start_of_update(tx: Transaction, access: Access, now: int, command: UpdateLease) -> StartSearch | None:
    """Return the search for the earliest start of an update that was refused for lack of hosts. A read.

    None when the lease has begun, so that a later start is of no use, and when the update needs no other hosts.
    """
    lease = allowed(access, leases.get(tx, command.uuid), command)
    search = plan_update(tx, now, lease, command).search
    return None if lease.status == ACTIVE or search is None else read_start_search(tx, now, search)


def preview_displacement(
    tx: Transaction, access: Access, now: int, command: PreviewDisplacement
) -> dict[str, NewHosts]:
    """Return what each lease that has not ended would have after conductors reassigned it, by its uuid. A read."""
    uuids = command.leases[:LEASES_MAX]
    found = [allowed(access, leases.get(tx, uuid), GetLease(uuid=uuid)) for uuid in uuids]
    affected = sorted((lease for lease in found if lease.status in (PENDING, ACTIVE)), key=lambda each: each.start_at)
    if not affected:
        return {}
    names = {host.id: host for host in hosts.every(tx)}
    left = {host.id: host for host in names.values() if host.provider_id not in command.nodes}
    taken = bookings.from_moment(tx, now - command.cleaning_minutes * MINUTE)
    displaced = [
        _displaced(lease, reservation, left, taken) for lease in affected for reservation in lease.reservations
    ]
    search = Displacement(
        hosts=list(left.values()),
        bookings=taken,
        displaced=displaced,
        now=now,
        cleaning_minutes=command.cleaning_minutes,
    )
    result: dict[str, NewHosts] = {}
    for each, assignment in zip(displaced, search.find_hosts(), strict=True):
        new = sorted(names[host_id].name for host_id in (assignment or {}).keys() - each.hosts.keys())
        others, enough = result.get(each.lease, NewHosts((), True))
        result[each.lease] = NewHosts((*others, *new), enough and assignment is not None)
    return result


def find_latest_end(tx: Transaction, access: Access, now: int, command: FindLatestEnd) -> LatestEnd:
    """Return the latest end of a lease: when another lease needs one of its hosts, or the operator's limit."""
    lease = allowed(access, leases.get(tx, command.uuid), command)
    found = LatestEnd(lease.end_at, None, "")
    if lease.status == TERMINATED:
        return found._replace(latest=lease.end_at, reason="it has ended")
    needs = {reservation.id: need_of(reservation) for reservation in lease.reservations}
    own = bookings.of_reservations(tx, list(needs))
    host_ids = sorted({booking.host_id for booking in own})
    pause = command.rules.cleaning_minutes * MINUTE
    others = bookings.overlapping(tx, Window(lease.start_at - pause, _ANY_TIME), host_ids)
    calendar = Calendar(
        fleet=each_alone(hosts.some(tx, host_ids)),
        bookings=[booking for booking in others if booking.reservation_id not in needs],
        first_starts=bookings.first_starts(tx, host_ids),
        now=now,
        cleaning_minutes=command.rules.cleaning_minutes,
    )
    limit = latest_end(calendar, own, needs, Window(lease.start_at, lease.end_at))
    return found.limited_to(limit, BOOKED).limited_to(
        _longest(lease.start_at, lease.project_id, command.rules), LIMITED
    )


def _displaced(lease: Lease, reservation: Reservation, left: Mapping[int, Host], taken: Sequence[Booking]) -> Displaced:
    own = {each.host_id: each.amount for each in taken if each.reservation_id == reservation.id}
    kept = {host_id: own[host_id] for host_id in own if host_id in left and left[host_id].out_of_service is None}
    return Displaced(
        lease=lease.uuid,
        reservation_id=reservation.id,
        hosts=own,
        need=need_of(reservation, kept),
        window=Window(lease.start_at, lease.end_at),
    )


def _offers(tx: Transaction, access: Access, now: int, command: CreateLease, search: HostSearch) -> OfferSearch:
    terms = [terms_of(each.hypervisor_properties, each.resource_properties) for each in command.reservations]
    limited = _room(tx, access.actor.project, now) is not None
    return OfferSearch(later=read_start_search(tx, now, search), terms=terms, limited=limited)


def _offered(request: ReservationRequest, offer: Offer) -> ReservationRequest:
    if offer.count is not None:
        request = replace(request, least=offer.count, most=offer.count)
    texts = {name: getattr(request, name) for name in ("hypervisor_properties", "resource_properties")}
    if offer.without:
        texts = {name: without_terms(text, offer.without) for name, text in texts.items()}
    if offer.resource_class is not None:
        texts = {name: with_class(text, offer.resource_class) for name, text in texts.items()}
    return replace(request, **texts)


def _quota_against(
    tx: Transaction, project: str | None, now: int, plan: LeasePlan, chosen: Sequence[Assignment]
) -> QuotaExceeded | None:
    """Return why the quota of a project does not allow a planned lease on chosen hosts; None when it does."""
    room = _room(tx, project, now)
    if room is None:
        return None
    classes = quota_uses.classes_of(tx, sorted({host_id for assignment in chosen for host_id in assignment}))
    return room.reason_against_uses(
        [
            Use(
                room.quota.project,
                reservation.uuid,
                *classes[host_id],
                plan.window.start,
                plan.window.end,
                leased=True,
                whole=reservation.whole_hosts,
            )
            for reservation, assignment in zip(plan.reservations, chosen, strict=True)
            for host_id in assignment
        ]
    )


def _room(tx: Transaction, project: str | None, now: int) -> Room | None:
    return read_rooms(tx, now, [project]).get(project) if project is not None else None


def _longest(start_at: int, project: str | None, rules: LeaseRules) -> int | None:
    if not rules.seconds_max or project in rules.exempt_projects:
        return None
    return after(start_at, rules.seconds_max)
