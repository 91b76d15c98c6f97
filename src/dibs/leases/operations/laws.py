"""The laws of leases: no host is booked twice, and what a lease has follows from its state."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from dibs.database.laws import Law, Page
from dibs.database.transaction import Transaction
from dibs.leases.model.bookings import Booking
from dibs.leases.model.hosts import Host
from dibs.leases.model.leases import ACTIVE, BEFORE_END, END, PENDING, START, TERMINATED, reservation_of
from dibs.leases.model.matching.calendar import peak_load
from dibs.leases.model.windows import Window
from dibs.leases.queries import bookings, hosts
from dibs.leases.queries import laws as queries

_UNDONE_EVENTS = {PENDING: {START, END}, ACTIVE: {END}, TERMINATED: set[str]()}
"""The events that a lease still has to run; the warning before the end is optional."""


def _bookings_of_hosts(tx: Transaction, page: Page) -> Iterator[str]:
    by_host: dict[int, list[Booking]] = defaultdict(list)
    for booking in bookings.of_reservations(tx, sorted(queries.reservations_on(tx, page))):
        by_host[booking.host_id].append(booking)
    for host in hosts.some(tx, queries.hosts_of(tx, page)):
        booked = sorted(by_host[host.id], key=lambda each: each.start_at)
        yield from _doubled(host, booked)
        yield from _overbooked(host, booked)


def _doubled(host: Host, booked: Sequence[Booking]) -> Iterator[str]:
    """Describe each booking that begins before an earlier one ends, when one of the two has the whole host."""
    any_end = whole_end = 0
    for booking in booked:
        if booking.start_at < (any_end if booking.whole else whole_end):
            yield f"Host {host.name} is booked whole and once more, by the reservation in row {booking.reservation_id}."
        any_end = max(any_end, booking.end_at)
        whole_end = max(whole_end, booking.end_at) if booking.whole else whole_end


def _overbooked(host: Host, booked: Sequence[Booking]) -> Iterator[str]:
    if not booked:
        return
    peaks = peak_load(booked, Window(booked[0].start_at, max(each.end_at for each in booked)))
    for resource_class, peak in sorted(peaks.items()):
        if peak > host.capacity(resource_class):
            yield f"Host {host.name} has {host.capacity(resource_class)} of {resource_class}; {peak} are booked."


def _ended_leases(tx: Transaction, page: Page) -> Iterator[str]:
    for lease in queries.ended_with_bookings(tx, page):
        yield f"Lease {lease} has ended and still has hosts."


def _events(tx: Transaction, page: Page) -> Iterator[str]:
    for (lease, status), undone in queries.undone_events(tx, page).items():
        if status in _UNDONE_EVENTS and undone - {BEFORE_END} != _UNDONE_EVENTS[status]:
            yield f"Lease {lease} is {status} and its undone events are: {', '.join(sorted(undone)) or 'none'}."


def _classes(tx: Transaction, page: Page) -> Iterator[str]:
    owners = {name: reservation_of(name) for name in queries.reservation_classes(tx, page)}
    live = queries.live_reservations(tx, sorted(uuid for uuid in owners.values() if uuid))
    for name, reservation in owners.items():
        if reservation not in live:
            yield f"Resource class {name} belongs to no reservation."


LAWS = (
    Law(
        promise="No host is booked twice, and no moment of it is promised to more instances than fit.",
        remedy="Compare the leases of the host (`dibs lease list`) with its inventory; move or delete the later lease.",
        page_end=queries.hosts_page,
        violations=_bookings_of_hosts,
    ),
    Law(
        promise="A lease that has ended has no hosts.",
        remedy="Delete the lease (`dibs lease delete LEASE`).",
        page_end=queries.leases_page,
        violations=_ended_leases,
    ),
    Law(
        promise="A pending lease has to begin and to end, an active one has to end, an ended one has nothing to do.",
        remedy="Delete the lease (`dibs lease delete LEASE`) and create it again.",
        page_end=queries.leases_page,
        violations=_events,
    ),
    Law(
        promise="The resource class of a reservation exists as long as the reservation.",
        remedy="Delete the resource class (`openstack resource class delete CLASS`) once its inventories are gone.",
        page_end=queries.classes_page,
        violations=_classes,
    ),
)
