"""The earliest start at which a lease would fit, as far as can be known today.

A window that moves to the right gains room only where a booking or a hold ends, and loses it where a booking begins. So
each host is looked at once for each of its own bookings, and what all hosts have to give is a running sum.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from dibs.leases.model.hosts import Host
from dibs.leases.model.matching import Calendar, HostNeed, Shortage
from dibs.leases.model.windows import MINUTE, Window, minute_after

ATTEMPTS_MAX = 200
"""How many starts are tried at which every reservation of a lease would fit by itself."""


def earliest_start(calendar: Calendar, needs: Sequence[HostNeed], window: Window) -> int | None:
    """The first full minute after the window's start from which a window as long would fit; None when none would."""
    for number, start in enumerate(_promising_starts(calendar, needs, window)):
        if number == ATTEMPTS_MAX:
            return None
        if len(needs) == 1 or not isinstance(calendar.pick(needs, window.moved_to(start), 0), Shortage):
            return start
    return None


def _promising_starts(calendar: Calendar, needs: Sequence[HostNeed], window: Window) -> Iterator[int]:
    """Starts, the earliest first, at which each need by itself could be served."""
    changes: dict[int, list[tuple[int, int]]] = defaultdict(list)
    totals = [0] * len(needs)
    for number, need in enumerate(needs):
        for host in calendar.hosts.values():
            if calendar.never(need, host) is None:
                now, later = _course(calendar, need, host, window)
                totals[number] += now
                for start, difference in later:
                    changes[start].append((number, difference))
    for start in sorted(changes):
        for number, difference in changes[start]:
            totals[number] += difference
        if all(total >= need.goal for total, need in zip(totals, needs, strict=True)):
            yield start


def _course(calendar: Calendar, need: HostNeed, host: Host, window: Window) -> tuple[int, list[tuple[int, int]]]:
    """What a host contributes at the start of the window, and by how much that changes at which later starts."""
    first = before = need.counts(calendar.room(need, host, window))
    later = []
    for start in _turns(calendar, host, window):
        after = need.counts(calendar.room(need, host, window.moved_to(start)))
        if after != before:
            later.append((start, after - before))
        before = after
    return first, later


def _turns(calendar: Calendar, host: Host, window: Window) -> list[int]:
    """The starts at which a booking or hold leaves the window or a booking comes into it."""
    pause = calendar.cleaning_minutes * MINUTE
    turns = set()
    for booking in calendar.bookings_of(host):
        turns.add(minute_after(booking.end_at + pause))
        turns.add(minute_after(booking.start_at - pause - window.length + 1))
    if host.node is not None and host.node.hold_ends_at is not None:
        turns.add(minute_after(host.node.hold_ends_at + pause))
    return sorted(turn for turn in turns if turn > window.start)
