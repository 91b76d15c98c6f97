"""Whether all hosts together are large enough at each moment of a window: a quick check before a long search.

A move changes which host bears a load, and not how much there is to bear. If bookings and new units together take more
of a resource class than all hosts have, no moves help. If they do not, moves may still not help, because a unit fits on
one host or not at all.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from dibs.leases.model.matching.calendar import Calendar, peak_load
from dibs.leases.model.moving.moves import Movable
from dibs.leases.model.moving.units import Unit
from dibs.leases.model.windows import Window


def exceed_all_hosts(calendar: Calendar, movables: Iterable[Movable], new: Sequence[Unit], window: Window) -> bool:
    """Return True when the bookings of a window and new units together take more than all hosts have.

    A whole host bears no instances: it counts as a load of the size of the smallest host. Maintenance does not count,
    because a host in maintenance may still bear what could not leave it. The work is one look at every booking.
    """
    hosts = calendar.hosts.values()
    needs = [*(unit.need for unit in new), *(movable.need for movable in movables)]
    classes = {name for need in needs for name in need.resources}
    smallest = {name: min((host.capacity(name) for host in hosts), default=0) for name in classes}
    loads, rooms = [], Counter[str]()
    for host in hosts:
        during = [each for each in calendar.bookings_of(host) if window.overlaps(each.start_at, each.end_at)]
        borne = peak_load([each for each in during if not each.whole], window)
        # A host that was made smaller keeps what it bears.
        rooms.update({name: max(host.capacity(name), borne[name]) for name in classes})
        loads += [replace(each, resources=smallest) if each.whole else each for each in during if not each.maintenance]
    wanted = peak_load(loads, window)
    for unit in new:
        taken = smallest if unit.need.whole else unit.need.resources
        wanted.update({name: unit.amount * size for name, size in taken.items()})
    return any(wanted[name] > rooms[name] for name in classes)
