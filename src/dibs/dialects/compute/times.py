"""Times in UTC: most with seconds, some with microseconds and without a zone."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def render_time(instant: int) -> str:
    """Return a time in the format of most fields."""
    return _at(instant).strftime("%Y-%m-%dT%H:%M:%SZ")


def render_naive(instant: int | None) -> str | None:
    """Return a time with microseconds and without a zone.

    Quirk: Nova writes the launch time of a server and the update time of a service in this format.
    """
    return None if instant is None else _at(instant).strftime("%Y-%m-%dT%H:%M:%S.%f")


def _at(instant: int) -> datetime:
    return _EPOCH + timedelta(microseconds=instant)
