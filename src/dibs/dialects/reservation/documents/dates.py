"""Dates as the reservation API writes them: in UTC, to the minute on the way in, in two forms on the way out."""

from datetime import datetime, timedelta

from dibs.dialects.reservation.errors import bad_request
from dibs.leases.model.leases import NOW, Now

FORM = "%Y-%m-%d %H:%M"
THIS_MOMENT = "now"

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)


def read_date(value: object) -> int | Now:
    """A date that a caller wrote, or the word for this moment."""
    return NOW if value == THIS_MOMENT else read_moment(value)


def read_moment(value: object) -> int:
    """A date that a caller wrote, where the word is not understood."""
    try:
        if not isinstance(value, str):
            raise ValueError
        return (datetime.strptime(value, FORM) - _EPOCH) // _MICROSECOND
    except ValueError:
        raise bad_request(f"{value} is an invalid date. Required format: {FORM}") from None


def render_date(instant: int) -> str:
    """When a lease starts or ends, or an event is due. Quirk: clients read it back and want the microseconds."""
    return _moment(instant).isoformat(timespec="microseconds")


def render_stamp(instant: int | None) -> str | None:
    """When a row was written. Quirk: a blank in the middle, and no fractions."""
    return None if instant is None else _moment(instant).isoformat(" ", timespec="seconds")


def _moment(instant: int) -> datetime:
    return _EPOCH + timedelta(microseconds=instant)
