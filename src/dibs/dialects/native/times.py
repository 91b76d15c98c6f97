"""How this dialect writes times: ISO 8601, in UTC, to the microsecond."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def render_time(instant: int | None) -> str | None:
    """A time of the ledger as text."""
    return None if instant is None else (_EPOCH + timedelta(microseconds=instant)).isoformat(timespec="microseconds")
