"""How this dialect writes times: in UTC, most to the second, some to the microsecond and without a zone."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def render_time(instant: int) -> str:
    """A time of the ledger as most fields have it."""
    return _at(instant).strftime("%Y-%m-%dT%H:%M:%SZ")


def render_naive(instant: int | None) -> str | None:
    """Quirk: when a server was launched and a service changed is written with microseconds and without a zone."""
    return None if instant is None else _at(instant).strftime("%Y-%m-%dT%H:%M:%S.%f")


def _at(instant: int) -> datetime:
    return _EPOCH + timedelta(microseconds=instant)
