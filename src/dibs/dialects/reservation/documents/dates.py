"""Dates of the reservation API: in UTC, to the minute in requests, in two formats in answers."""

from datetime import datetime, timedelta

from dibs.dialects.reservation.errors import bad_request
from dibs.leases.model.dates import CURRENT_MINUTE, LeaseDate

FORMAT = "%Y-%m-%d %H:%M"
NOW = "now"

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)


def read_date(value: object) -> LeaseDate:
    """Parse a date, or the word ``now``."""
    return CURRENT_MINUTE if value == NOW else read_moment(value)


def read_moment(value: object) -> int:
    """Parse a date where the word ``now`` is not allowed."""
    try:
        if not isinstance(value, str):
            raise ValueError
        return (datetime.strptime(value, FORMAT) - _EPOCH) // _MICROSECOND
    except ValueError:
        raise bad_request(f"{value} is an invalid date. Required format: {FORMAT}") from None


def render_date(instant: int) -> str:
    """Format the start or end of a lease, or the time of an event. Quirk: clients require the microseconds."""
    return _moment(instant).isoformat(timespec="microseconds")


def render_stamp(instant: int | None) -> str | None:
    """Format when a row was written. Quirk: a space instead of the T, and no fractions of a second."""
    return None if instant is None else _moment(instant).isoformat(" ", timespec="seconds")


def _moment(instant: int) -> datetime:
    return _EPOCH + timedelta(microseconds=instant)
