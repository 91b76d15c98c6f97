from dibs.dialects.compute.times import render_naive, render_time

INSTANT = 1_800_000_000_123_456


def test_most_times_have_seconds_and_a_zone() -> None:
    assert render_time(INSTANT) == "2027-01-15T08:00:00Z"


def test_naive_times_have_microseconds_and_no_zone() -> None:
    assert render_naive(INSTANT) == "2027-01-15T08:00:00.123456"
    assert render_naive(None) is None
