"""When a lease begins and ends, and when its owner is told that the end is near."""

from dataclasses import dataclass

from dibs.leases.model.errors import BadLease, LeaseTooLong, OutsideLease
from dibs.leases.model.leases import Now
from dibs.leases.model.windows import MINUTE, SECOND, Window, to_minute


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseRules:
    """What an operator decided about all leases."""

    cleaning_minutes: int = 0
    """How long a host rests before and after each lease."""
    before_end_minutes: int = 60
    """How long before its end a lease is told so, unless its owner says when; 0 tells nothing."""
    seconds_max: int = 0
    """How long a lease may be; 0: as long as one likes."""
    exempt_projects: frozenset[str] = frozenset()
    """Projects whose leases may be longer."""
    external_compute: bool = False
    """An external compute service keeps the flavors and servers of new leases."""
    enforced: bool = False
    """A service outside has a say in who may have what, and is told of the end of each new lease."""


def moment(date: int | Now, now: int) -> int:
    """A date that was given, or the minute that it is now."""
    return to_minute(now) if isinstance(date, Now) else date


def check_new(window: Window, now: int) -> None:
    """Refuse dates of a new lease that cannot be."""
    if window.start < to_minute(now):
        raise BadLease(reason="Start date must be later than current date")
    if window.end <= window.start:
        raise BadLease(reason="End date must be later than start date.")


def check_length(window: Window, project: str | None, rules: LeaseRules) -> None:
    """Refuse a lease that is longer than leases may be."""
    if not rules.seconds_max or project in rules.exempt_projects:
        return
    if window.length > rules.seconds_max * SECOND:
        raise LeaseTooLong(seconds=window.length // SECOND, seconds_max=rules.seconds_max)


def before_end(window: Window, given: int | None, minutes: int) -> int | None:
    """When the end is announced: when the owner says, otherwise so long before it, but not before the start.

    None when the owner says nothing and the operator wants no announcements.
    """
    if given is not None:
        if not window.start < given < window.end:
            raise OutsideLease
        return given
    return max(window.start, window.end - minutes * MINUTE) if minutes else None
