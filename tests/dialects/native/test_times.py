"""Timestamps of the dialect."""

from dibs.dialects.native.times import render_time


def test_timestamp_has_microseconds_and_utc() -> None:
    assert render_time(1_800_000_000_000_001) == "2027-01-15T08:00:00.000001+00:00"
    assert render_time(None) is None
