"""What leases were promised of a host, and whether a change of the host breaks it."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from dibs.leases.model.bookings import Booking
from dibs.leases.model.errors import LeaseConflict
from dibs.leases.model.hosts import Host
from dibs.leases.model.matching.calendar import peak_load
from dibs.leases.model.matching.requirements import Condition
from dibs.leases.model.windows import Window

NAMED_MAX = 10
"""The number of leases that an error names."""


class Promise(Struct, frozen=True, kw_only=True):
    """A booking of a host, with what its lease requires of the host."""

    lease: str
    """The uuid of the lease."""
    booking: Booking
    requirements: tuple[Condition, ...]


def check_promises(before: Host, after: Host, promises: Sequence[Promise]) -> None:
    """Raise LeaseConflict when a change of a host breaks a promise that the host kept before."""
    for reason, broken in (*_broken_requirements(before, after, promises), *_broken_sizes(before, after, promises)):
        leases = sorted({promise.lease for promise in broken})
        more = f" and {len(leases) - NAMED_MAX} more" if len(leases) > NAMED_MAX else ""
        raise LeaseConflict(
            reason=f"Host {before.name} is booked for lease {', '.join(leases[:NAMED_MAX])}{more}, and with this change"
            f" it {reason}. Change or delete the lease first."
        )


def _broken_requirements(
    before: Host, after: Host, promises: Sequence[Promise]
) -> Iterator[tuple[str, Sequence[Promise]]]:
    for requirement in dict.fromkeys(each for promise in promises for each in promise.requirements):
        if requirement.met_by(before) and not requirement.met_by(after):
            yield requirement.words(1), [promise for promise in promises if requirement in promise.requirements]


def _broken_sizes(before: Host, after: Host, promises: Sequence[Promise]) -> Iterator[tuple[str, Sequence[Promise]]]:
    """Yield what instances could no longer take: one of them, or all that are booked at the same time."""
    bookings = [promise.booking for promise in promises]
    if not bookings:
        return
    whole_time = Window(min(each.start_at for each in bookings), max(each.end_at for each in bookings))
    for name, peak in sorted(peak_load(bookings, whole_time).items()):
        concerned = [promise for promise in promises if name in promise.booking.resources]
        too_small = [promise for promise in concerned if _was_taken(before, after, name, promise)]
        if too_small:
            amount = too_small[0].booking.resources[name]
            yield f"has no room for an instance with {amount} of {name}", too_small
        elif after.capacity(name) < min(peak, before.capacity(name)):
            yield f"has {after.capacity(name)} of {name}, of which {peak} are booked at the same time", concerned


def _was_taken(before: Host, after: Host, name: str, promise: Promise) -> bool:
    amount = promise.booking.resources[name]
    return before.takes(name, amount) and not after.takes(name, amount)
