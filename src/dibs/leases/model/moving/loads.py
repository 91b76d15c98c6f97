"""Whether all hosts together are large enough at each moment of a window: a quick check before a long search.

A move changes which host bears a load, and not how much there is to bear. If bookings and new units together take more
of a resource class than all hosts have, no moves help. If they do not, moves may still not help, because a unit fits on
one host or not at all.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from dibs.leases.model.bookings import Booking
from dibs.leases.model.matching.calendar import Calendar, peak_load
from dibs.leases.model.moving.moves import Movable
from dibs.leases.model.moving.units import Unit
from dibs.leases.model.windows import Window


def exceed_all_hosts(calendar: Calendar, movables: Iterable[Movable], new: Sequence[Unit], window: Window) -> bool:
    """Return True when the bookings of a window and new units together take more than all hosts have.

    A whole host bears no instances: it counts as a load of the size of the smallest host. Maintenance does not count,
    because a host in maintenance may still bear what could not leave it. The work is one look at every booking.
    """
    hosts = list(calendar.distinct())
    needs = [*(unit.need for unit in new), *(movable.need for movable in movables)]
    classes = {name for need in needs for name in need.resources}
    smallest = {name: min((host.capacity(name) for host, _ in hosts), default=0) for name in classes}
    added = Counter[str]()
    for unit in new:
        taken = smallest if unit.need.whole else unit.need.resources
        added.update({name: unit.amount * size for name, size in taken.items()})
    during = [each for each in calendar.bookings if window.overlaps(each.start_at, each.end_at)]
    loads = [replace(each, resources=smallest) if each.whole else each for each in during if not each.maintenance]
    rooms = {name: sum(count * host.capacity(name) for host, count in hosts) for name in classes}
    if all(_sum(loads, name) + added[name] <= rooms[name] for name in classes):
        return False
    wanted = peak_load(loads, window) + added
    excess = _excess(calendar, during, window)
    return any(wanted[name] > rooms[name] + excess[name] for name in classes)


def _sum(loads: Iterable[Booking], name: str) -> int:
    """Return what all loads take of a class, as if they were there at the same time."""
    return sum(each.amount * each.resources.get(name, 0) for each in loads)


def _excess(calendar: Calendar, during: Iterable[Booking], window: Window) -> Counter[str]:
    """Return how much more hosts bear than they have: a host that was made smaller keeps what it bears."""
    of_host: dict[int, list[Booking]] = defaultdict(list)
    for booking in during:
        if not booking.whole:
            of_host[booking.host_id].append(booking)
    found = Counter[str]()
    for host_id, borne in of_host.items():
        for name, peak in peak_load(borne, window).items():
            found[name] += max(0, peak - calendar.hosts[host_id].capacity(name))
    return found
