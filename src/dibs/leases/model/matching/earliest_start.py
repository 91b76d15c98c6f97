"""The earliest start at which a lease would fit, as far as is known today.

When a window moves to a later start, room grows only where a booking or a hold ends and shrinks only where a booking
begins. So the search looks at each host once for each of its own bookings, and keeps running sums over all hosts.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.calendar import Calendar
from dibs.leases.model.matching.needs import HostNeed
from dibs.leases.model.matching.selection import select_hosts
from dibs.leases.model.matching.shortages import HostShortage
from dibs.leases.model.windows import MINUTE, Window, minute_after

ATTEMPTS_MAX = 200
"""The number of starts to try at which every reservation of a lease fits by itself."""


def earliest_start(calendar: Calendar, needs: Sequence[HostNeed], window: Window) -> int | None:
    """Return the first full minute after the window's start at which a window of its length fits; None for never."""
    for number, start in enumerate(_promising_starts(calendar, needs, window)):
        if number == ATTEMPTS_MAX:
            return None
        if len(needs) == 1 or not isinstance(select_hosts(calendar, needs, window.moved_to(start), 0), HostShortage):
            return start
    return None


def _promising_starts(calendar: Calendar, needs: Sequence[HostNeed], window: Window) -> Iterator[int]:
    """Yield the starts at which each need fits by itself, the earliest first."""
    changes: dict[int, list[tuple[int, int]]] = defaultdict(list)
    totals = [0] * len(needs)
    for number, need in enumerate(needs):
        for host in calendar.hosts.values():
            if calendar.why_never(need, host) is None:
                now, later = _contributions(calendar, need, host, window)
                totals[number] += now
                for start, difference in later:
                    changes[start].append((number, difference))
    for start in sorted(changes):
        for number, difference in changes[start]:
            totals[number] += difference
        if all(total >= need.goal for total, need in zip(totals, needs, strict=True)):
            yield start


def _contributions(calendar: Calendar, need: HostNeed, host: Host, window: Window) -> tuple[int, list[tuple[int, int]]]:
    """Return what a host contributes at the start of the window, and how that changes at later starts."""
    first = before = need.contribution(calendar.room(need, host, window))
    later = []
    for start in _turning_points(calendar, host, window):
        after = need.contribution(calendar.room(need, host, window.moved_to(start)))
        if after != before:
            later.append((start, after - before))
        before = after
    return first, later


def _turning_points(calendar: Calendar, host: Host, window: Window) -> list[int]:
    """Return the starts at which a booking or hold leaves the window, or a booking enters it."""
    pause = calendar.cleaning_minutes * MINUTE
    starts = set()
    for booking in calendar.bookings_of(host):
        starts.add(minute_after(booking.end_at + pause))
        starts.add(minute_after(booking.start_at - pause - window.length + 1))
    if host.node is not None and host.node.hold_ends_at is not None:
        starts.add(minute_after(host.node.hold_ends_at + pause))
    return sorted(start for start in starts if start > window.start)
