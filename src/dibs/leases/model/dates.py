"""When a lease begins and ends, and when its before_end event is due."""

import enum
from typing import Final

from msgspec import Struct

from dibs.leases.model.errors import BadLease, LeaseTooLong, OutsideLease
from dibs.leases.model.windows import MINUTE, SECOND, Window, to_minute


class CurrentMinute(enum.Enum):
    """The type of CURRENT_MINUTE."""

    CURRENT_MINUTE = enum.auto()


CURRENT_MINUTE: Final = CurrentMinute.CURRENT_MINUTE
"""The minute in which the operation runs, as the date of a lease: only the transaction knows which minute that is."""

LeaseDate = int | CurrentMinute
"""The start or end of a lease, as a client gives it."""


class LeaseRules(Struct, frozen=True, kw_only=True):
    """The operator's settings for all leases."""

    cleaning_minutes: int = 0
    """The time for which a host stays free before and after each lease."""
    before_end_minutes: int = 60
    """How long before the end the before_end event is due, unless the client gives a date; 0: no event."""
    seconds_max: int = 0
    """The longest duration of a lease; 0: no limit."""
    exempt_projects: frozenset[str] = frozenset()
    """Projects without a limit."""
    external_compute: bool = False
    """An external compute service keeps the flavors and servers of new leases."""
    enforced: bool = False
    """An enforcement service checks new leases and is notified when they end."""


def moment(date: LeaseDate, now: int) -> int:
    """Return a date as a moment."""
    return to_minute(now) if isinstance(date, CurrentMinute) else date


def check_new(window: Window, now: int) -> None:
    """Raise BadLease when a new lease would begin in the past or end before it begins."""
    if window.start < to_minute(now):
        raise BadLease(reason="Start date must be later than current date")
    if window.end <= window.start:
        raise BadLease(reason="End date must be later than start date.")


def check_length(window: Window, project: str | None, rules: LeaseRules) -> None:
    """Raise LeaseTooLong when a lease is longer than the operator allows."""
    if not rules.seconds_max or project in rules.exempt_projects:
        return
    if window.length > rules.seconds_max * SECOND:
        raise LeaseTooLong(seconds=window.length // SECOND, seconds_max=rules.seconds_max)


def before_end(window: Window, given: int | None, minutes: int) -> int | None:
    """Return when the before_end event is due; None for no event.

    A given date must lie within the lease. The default lies ``minutes`` before the end, but not before the start.
    """
    if given is not None:
        if not window.start < given < window.end:
            raise OutsideLease
        return given
    return max(window.start, window.end - minutes * MINUTE) if minutes else None
