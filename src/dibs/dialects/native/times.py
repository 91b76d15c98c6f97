"""Timestamps of this dialect: ISO 8601, in UTC, with microseconds."""

from datetime import UTC, datetime, timedelta

from dibs.events.model.documents import format_time

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def render_time(instant: int | None) -> str | None:
    """Return a time of the ledger as text, or None for None."""
    return None if instant is None else format_time(instant)


def read_time(text: str) -> int:
    """Return a time of the ledger from text, in UTC unless it has an offset; raise ValueError for other text."""
    try:
        given = datetime.fromisoformat(text)
        return (given.replace(tzinfo=given.tzinfo or UTC) - _EPOCH) // _MICROSECOND
    except OverflowError as error:
        raise ValueError(text) from error
